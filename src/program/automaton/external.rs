//! Functions and objects that the source uses and does not define: another file has to define them before the program can
//! run.

use regatta_base::source::Span;

/// A function or an object that the source uses and does not define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The C name.
    pub name: String,
    pub kind: ExternalKind,
    /// The position of its first use.
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
    /// A function that fills memory with inputs; its parameters are the address and the size.
    FillsMemory,
    /// A function without a result or an effect.
    Nothing,
    /// An object.
    Object {
        /// In bytes.
        size: u64,
        /// In bytes.
        alignment: u64,
    },
}

/// A function's return type, as C text that does not depend on the program's declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnType {
    Void,
    /// A scalar, by its type in C. Pointers are pointers to `void`.
    Scalar(String),
    /// A struct or union.
    Record {
        /// Its type in C.
        name: String,
        /// The definitions that it needs, ending with its own.
        definitions: Vec<String>,
        /// In bytes.
        size: u64,
    },
    /// A type for which no C text is generated (a complex number, a vector), in words.
    Other(String),
}
