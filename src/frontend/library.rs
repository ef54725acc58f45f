//! What is known of the C library: for each modelled function its prototype and how it is modelled.
//!
//! The type checker asks by name, for functions without a body: [`lookup`]. Those with a [`Model::Prelude`] are defined
//! by C text of ours, see [`definition`]; only those that are used are ever parsed, and they are lowered like the user's
//! own. The user's prototype wins over ours; ours is for undeclared use and for `__builtin_` names.

use super::diagnostic::Error;
use super::ir::MathFunction;
use super::parse::ParsedUnit;

/// How a library function is modelled.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Model {
    /// C text of ours defines it: [`definition`].
    Prelude,
    /// The type checker knows it.
    Builtin(Builtin),
    /// Terms express it exactly; the operands' type is that of the prototype's first parameter.
    Math(MathFunction),
    /// Returns a value that real executions determine but that is not modelled; has no effect.
    Approximate,
    /// Has no effect that a program could see; returns any value of its type.
    NoEffect,
    /// Returns an input: any value of its type, as `__VERIFIER_nondet_…` does.
    Input,
    /// Threads, non-local jumps and the like: the path is not modelled from here on.
    Unsupported,
}

/// Functions that the type checker models itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `malloc(size)`, `alloca(size)`… with their kinds.
    Malloc,
    /// `calloc(count, size)`: zeroed; a product that overflows gives null.
    Calloc,
    /// `free(pointer)`.
    Free,
    /// `alloca(size)`: ends with the function's activation.
    Alloca,
    /// `aligned_alloc(alignment, size)`, `memalign`.
    AlignedAlloc,
    /// `__regatta_allocated_size(pointer)`: [`super::ir::Expr::AllocatedSize`].
    AllocatedSize,
    /// `memcpy(to, from, size)`; a size that is not constant goes to the prelude's `__regatta_memcpy`.
    Memcpy,
    /// `memmove(to, from, size)`; a size that is not constant goes to the prelude's `__regatta_memmove`.
    Memmove,
    /// `memset(to, byte, size)`; a size that is not constant goes to the prelude's `__regatta_memset`.
    Memset,
    /// Ends the program: `exit`, `_exit`, `_Exit`, `quick_exit`.
    Exit,
    /// Ends the program: `abort`, `__builtin_trap`.
    Abort,
    /// `__assert_fail(text, file, line, function)` and its kind: a failed `assert`.
    AssertFail,
    /// `__VERIFIER_assert(condition)`.
    VerifierAssert,
    /// `__VERIFIER_error()`, `reach_error()` without a body.
    VerifierError,
    /// `__VERIFIER_assume(condition)`.
    Assume,
    /// `__VERIFIER_nondet_X()`: an input of the type that the prototype returns.
    Nondet,
    /// `__VERIFIER_nondet_memory(pointer, size)`, `__regatta_havoc(pointer, size)`: the bytes become inputs.
    NondetMemory,
    /// `__regatta_unknown_bytes(pointer, size)`: the bytes become values that are not modelled.
    ApproximateMemory,
    /// `__VERIFIER_atomic_begin()` and `…_end()`: nothing in a single thread.
    Nothing,
    /// `__builtin_expect(value, expected)`: the value.
    FirstArgument,
    /// `__builtin_unreachable()`: the path ends, since such a program has no meaning.
    Unreachable,
    /// `__builtin_constant_p(e)`: whether the operand is a constant expression.
    ConstantP,
    /// `__builtin_choose_expr(c, a, b)`.
    ChooseExpression,
    /// `__builtin_object_size(pointer, kind)`: all ones, or zero for kinds 2 and 3.
    ObjectSize,
    /// `__builtin_va_start`, also with one argument.
    VaStart,
    /// `__builtin_va_end`.
    VaEnd,
    /// `__builtin_va_copy`.
    VaCopy,
    /// `__builtin_add_overflow(a, b, result)`: exact result stored wrapped, returns whether it did not fit.
    AddOverflow,
    /// `__builtin_sub_overflow`.
    SubtractOverflow,
    /// `__builtin_mul_overflow`.
    MultiplyOverflow,
    /// `__builtin_huge_val()`, `__builtin_inf()`: positive infinity of the result type.
    Infinity,
    /// `__builtin_nan("")`, `nan("")`: a quiet NaN of the result type.
    NotANumber,
    /// `__builtin_isgreater(x, y)`… : the comparison without an exception.
    IsGreater,
    /// `__builtin_isgreaterequal`.
    IsGreaterEqual,
    /// `__builtin_isless`.
    IsLess,
    /// `__builtin_islessequal`.
    IsLessEqual,
    /// `__builtin_islessgreater`.
    IsLessGreater,
    /// `__builtin_isunordered`.
    IsUnordered,
    /// `__builtin_isinf_sign(x)`, glibc's `isinf`: 1, -1 or 0.
    IsInfiniteSign,
    /// `isfinite`, `finite`, `__builtin_isfinite`.
    IsFinite,
    /// `__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)`.
    FloatClassify,
    /// `fegetround()`: in the machine's numbering (x86: 0, 0x400, 0x800, 0xc00).
    GetRounding,
    /// `fesetround(mode)`: in the machine's numbering; returns 0 for a known mode.
    SetRounding,
}

/// What is known of a library function.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LibraryFunction {
    /// Its name.
    pub name: &'static str,
    /// Its prototype as C text without the semicolon; empty where the type checker has its own rules for the arguments.
    /// Types are spelled without headers: `__regatta_size_t` and the like are typedef names declared by
    /// [`prototype`]'s unit.
    pub prototype: &'static str,
    /// How it is modelled.
    pub model: Model,
}

/// What is known of a function by its name; `__builtin_NAME` is `NAME` where it has no entry of its own. `None` for
/// unknown code.
pub fn lookup(name: &str) -> Option<LibraryFunction> {
    let _ = name;
    None
}

/// The prototype of a library function for a use without a declaration, as a parsed declaration (with the typedefs
/// that it needs in front of it). `None` if the function is not known or has no fixed prototype.
pub fn prototype(name: &str) -> Option<Result<ParsedUnit, Error>> {
    let _ = name;
    None
}

/// The definition of a [`Model::Prelude`] function in C (with the typedefs and static objects that it needs in front of
/// it; those have names that begin with `__regatta_`, are the same whenever they occur, and are to be declared once).
/// The functions that it calls are looked up by name in turn. Its spans are [`crate::program::Span::NONE`]: neither a
/// message nor a witness has to do with our text.
pub fn definition(name: &str) -> Option<Result<ParsedUnit, Error>> {
    let _ = name;
    None
}
