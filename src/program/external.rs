//! What the source uses and does not define: what another file has to define before the program can run.

use crate::program::source::Span;

/// A function or an object that the source uses and does not define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The C name.
    pub name: String,
    pub kind: ExternalKind,
    /// Where it is used first.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExternalKind {
    /// A function that returns any value.
    Function {
        returns: ReturnType,
        /// Whether the C library has a function of that name.
        is_library: bool,
    },
    /// A function whose call violates the property.
    Error,
    /// A function whose call ends the program.
    End,
    /// A function that ends the program unless its argument, an `int`, is true.
    Assume,
    /// A function whose call violates the property unless its argument, an `int`, is true.
    Assert,
    /// A function that fills memory with inputs: it takes its address and its size.
    FillsMemory,
    /// A function without a result and without an effect.
    Nothing,
    /// An object.
    Object {
        /// In bytes.
        size: u64,
        /// In bytes.
        alignment: u64,
    },
}

/// What a function returns, as C can say it without the program's own declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnType {
    Void,
    /// A scalar; its type in C. Pointers are pointers to `void`.
    Scalar(String),
    /// A struct or union.
    Record {
        /// Its type in C.
        name: String,
        /// The definitions that it needs, its own the last.
        definitions: Vec<String>,
        /// In bytes.
        size: u64,
    },
    /// What is not said in C here: a complex number, a vector; its type in words.
    Other(String),
}
