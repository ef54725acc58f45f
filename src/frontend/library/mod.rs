//! Models of the C library: for each modelled function its prototype and the kind of its model.
//!
//! The type checker looks up functions without a body by name ([`lookup`]). Those with a [`Model::Prelude`] are defined
//! in C by the *prelude* ([`definition`]); only those that are used are parsed, and they are lowered like the user's
//! functions. The user's prototype takes precedence; the library's serves undeclared uses and `__builtin_` names.
//!
//! The prelude's functions call one another and the built-in ones without declaring them. The table also has reserved
//! functions for them: `__regatta_unknown_int()` ([`Model::Approximate`]), `__regatta_allocated_size(p)`,
//! `__regatta_unsupported("what")`. A result type that a user's header defines as a struct (`div_t`) is replaced by a
//! type with the same layout.
//!
//! Each function returns and writes what the standard, or POSIX, permits. A result that the environment decides
//! (whether a file exists) is an input, and an alarm may depend on it. A result that a real execution determines but
//! that is not modelled is an unknown value, or the path goes on only behind `__regatta_only_perhaps()`: no alarm is
//! confirmed there. Behaviour that glibc documents counts as known (the messages of `strerror`, the bits of `isalpha`).
//! [`precision`] tabulates all this; [`format`](mod@format) models `printf` and `scanf`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::ir::MathFunction;
use super::parse::{ParsedUnit, parse};
use super::position::PositionMap;
use super::preprocess::Preprocessed;
use regatta_base::diagnostic::Error;

pub mod format;
pub mod linker;
pub mod precision;
mod table;

/// How a library function is modelled.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Model {
    /// The prelude defines it in C: [`definition`].
    Prelude,
    /// The type checker models it.
    Builtin(Builtin),
    /// Terms express it exactly; the operands' type is that of the prototype's first parameter.
    Math(MathFunction),
    /// Returns an unknown value, which real executions determine ([`super::ir::Instruction::Approximate`]); has no
    /// effect.
    Approximate,
    /// Threads, non-local jumps and the like: the path is not modelled from here on.
    Unsupported,
}

/// Functions that the type checker models itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `malloc(size)`.
    Malloc,
    /// `__regatta_resized(pointer, size)`: the heap object ends, and a new one of another size begins at its address;
    /// the path ends if that is impossible.
    Resized,
    /// `calloc(count, size)`: zeroed; a product that overflows gives null.
    Calloc,
    /// `__regatta_zeroed_pages(size)`: a new zeroed heap object, aligned to a page.
    Pages,
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
    /// Ends the program normally: `exit`. The functions that `atexit` registered run.
    Exit,
    /// Ends the program at once: `_exit`.
    End,
    /// Ends the program by a signal, for which there may be a handler: `abort`, `__builtin_trap`.
    Abort,
    /// `__regatta_elsewhere_at_end()`: the program is about to end; unknown code may have registered functions to be
    /// called then.
    ElsewhereAtEnd,
    /// `__regatta_streams_elsewhere()`: whether unknown code may have created or changed streams.
    StreamsElsewhere,
    /// `__regatta_elsewhere_had_control()`: whether unknown code was ever called.
    ElsewhereHadControl,
    /// `__regatta_elsewhere(pointer, …)`: a call of unknown code that is given the pointers.
    Elsewhere,
    /// `__assert_fail(text, file, line, function)` and its variants: a failed `assert`.
    AssertFail,
    /// `__VERIFIER_assert(condition)`.
    VerifierAssert,
    /// `__VERIFIER_error()`, `reach_error()` without a body.
    VerifierError,
    /// `__VERIFIER_assume(condition)`.
    Assume,
    /// `__VERIFIER_nondet_X()`: an input of the type that the prototype returns.
    Nondet,
    /// `__VERIFIER_nondet_memory(pointer, size)`: the bytes become inputs.
    NondetMemory,
    /// `scanf`, `printf`, `sprintf` and their variants: a known format is translated to C, see [`super::lower`]'s
    /// module on formats.
    Formatted,
    /// `__regatta_callbacks_matter()`: whether a comparison function may have effects, so that the program can observe
    /// the number and arguments of its calls.
    CallbacksMatter,
    /// `__regatta_counts_matter()`: whether some string literal of the program contains `%n`, so that an unknown format
    /// may write.
    CountsMatter,
    /// `__regatta_environment_is_named()`: whether the program's text uses `environ`, under any of its names.
    EnvironmentIsNamed,
    /// `__regatta_assumed_library("what")`, `__regatta_assumed_surroundings("what")`: notes the assumption in the
    /// ledger.
    Assumed,
    /// `setjmp(buffer)` and its variants: gives zero, and is the target of `longjmp`.
    SetJump,
    /// `longjmp(buffer, value)` and its variants.
    LongJump,
    /// `__VERIFIER_atomic_begin()`, `closelog`…: no effect and no result.
    Nothing,
    /// `pthread_cond_signal()`, `feclearexcept`…: no effect (in a single thread), the result is zero.
    Zero,
    /// `__builtin_expect(value, expected)`: the value.
    FirstArgument,
    /// `__builtin_unreachable()`: the path ends, since reaching it is undefined.
    Unreachable,
    /// `__builtin_constant_p(e)`: whether the operand is a constant expression.
    ConstantP,
    /// `__builtin_choose_expr(c, a, b)`.
    ChooseExpression,
    /// `__builtin_object_size(pointer, kind)`: any value, since it depends on the optimiser.
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

/// The model of a library function.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LibraryFunction {
    pub name: &'static str,
    /// Its prototype in C without the semicolon; empty where the type checker has its own rules for the arguments
    /// (`__builtin_isnan`, `__builtin_add_overflow`). Types are spelled without headers: `__regatta_size_t` and the
    /// like are typedef names declared by [`prototype`]'s unit, `_Decimal128x` is `__int128` (see [`super::rewrite`]).
    pub prototype: &'static str,
    /// How it is modelled.
    pub model: Model,
}

/// The texts of the prelude: declarations and definitions, separated by blank lines.
const PRELUDE: &[&str] = &[
    include_str!("models/ctype.c"),
    include_str!("models/memory.c"),
    include_str!("models/mman.c"),
    include_str!("models/string.c"),
    include_str!("models/stdlib.c"),
    include_str!("models/stdio.c"),
    include_str!("models/unistd.c"),
    include_str!("models/time.c"),
    include_str!("models/signal.c"),
    include_str!("models/pthread.c"),
    include_str!("models/sigset.c"),
    include_str!("models/wchar.c"),
    include_str!("models/math/math.c"),
    include_str!("models/math/complex.c"),
];

/// Templates of the prelude's functions that exist for each floating-point type.
const MATH_TEMPLATES: [&str; 2] = [
    include_str!("models/math/math_template.c"),
    include_str!("models/math/complex_template.c"),
];

/// Typedefs, one on each line.
const TYPES: &str = include_str!("models/types.c");

/// The floating-point types with their functions' suffixes.
const REAL_TYPES: [(&str, &str); 3] = [("", "double"), ("f", "float"), ("l", "long double")];

/// Objects of the library that a program may declare. The prelude's function `__regatta_initial_NAME` returns the
/// object's value at the start of the program, if that is known; the prelude's object `__regatta_shared_NAME`, if there
/// is one, is the same object as the program's.
pub const OBJECTS: &[&str] = &[
    "stdin",
    "stdout",
    "stderr",
    "errno",
    ENVIRONMENT,
    "optind",
    "opterr",
    "optopt",
    "optarg",
    "signgam",
    "program_invocation_name",
    "program_invocation_short_name",
];

/// The object that points to the environment's strings.
pub const ENVIRONMENT: &str = "environ";

/// Other names of the library's objects.
const SAME_OBJECT: &[(&str, &str)] = &[
    ("__environ", ENVIRONMENT),
    ("_environ", ENVIRONMENT),
    ("__progname", "program_invocation_short_name"),
    ("__progname_full", "program_invocation_name"),
    ("__signgam", "signgam"),
    ("__tzname", "tzname"),
    ("__timezone", "timezone"),
    ("__daylight", "daylight"),
    ("_sys_errlist", "sys_errlist"),
    ("_sys_nerr", "sys_nerr"),
    ("_sys_siglist", "sys_siglist"),
    ("___brk_addr", "__curbrk"),
];

/// The streams that the library's objects `stdin` and its like point to at first, and those objects.
const STREAMS: &[(&str, &str)] = &[
    ("_IO_2_1_stdin_", "stdin"),
    ("_IO_2_1_stdout_", "stdout"),
    ("_IO_2_1_stderr_", "stderr"),
];

/// The canonical name of an object of the library.
pub fn object_name(name: &str) -> &str {
    let mut known = SAME_OBJECT.iter();
    known
        .find(|(other, _)| *other == name)
        .map_or(name, |(_, object)| *object)
}

/// Whether the library has an object with the name.
pub fn is_object(name: &str) -> bool {
    let canonical = object_name(name);
    let mut known = SAME_OBJECT.iter().map(|(_, object)| object).chain(OBJECTS);
    known.any(|object| *object == canonical)
}

/// All names of an object of the library except the canonical one.
pub fn other_object_names(object: &str) -> impl Iterator<Item = &'static str> {
    let names = SAME_OBJECT.iter();
    names
        .filter(move |(_, known)| *known == object)
        .map(|(other, _)| *other)
}

/// Whether an object of the prelude has arbitrary first contents, instead of zeros.
pub fn begins_arbitrary(object: &str) -> bool {
    object == "__regatta_environment_area"
}

/// Whether a symbol that the program does not define belongs to the library (an object with several names, or a stream)
/// or to the linker: no other file may define it.
pub fn is_taken(symbol: &str) -> bool {
    let known = |(other, object): &(&str, &str)| symbol == *other || symbol == *object;
    SAME_OBJECT.iter().chain(STREAMS).any(known)
        || linker::defines(symbol)
        || linker::section(symbol).is_some()
}

/// The prelude's function that returns the address of one of the library's streams.
pub fn stream(name: &str) -> Option<LibraryFunction> {
    let (_, object) = STREAMS.iter().find(|(stream, _)| *stream == name)?;
    initial_value(object)
}

/// The prefix of the prelude's objects that are shared with the program.
pub const SHARED: &str = "__regatta_shared_";

/// Prefixes of functions that the compiler provides; those that are not in the table are unsupported.
const COMPILER_PREFIXES: [&str; 3] = ["__builtin_", "__sync_", "__atomic_"];

struct Library {
    functions: FxHashMap<&'static str, LibraryFunction>,
    /// The prelude's definitions of functions and static objects, by name.
    items: FxHashMap<&'static str, &'static str>,
    /// The typedef names with their declarations.
    types: Vec<(&'static str, &'static str)>,
    /// Names of the prelude's static objects.
    objects: Vec<&'static str>,
}

static MATH_TEXT: LazyLock<String> = LazyLock::new(|| {
    let pairs = MATH_TEMPLATES
        .iter()
        .flat_map(|template| REAL_TYPES.iter().map(move |real| (template, real)));
    pairs
        .map(|(template, (suffix, real))| template.replace("__X", suffix).replace("REAL", real))
        .collect()
});

/// Prototypes that are composed of names and types.
static MADE_PROTOTYPES: LazyLock<Vec<(Model, String)>> = LazyLock::new(|| {
    let mut prototypes = Vec::new();
    let mut add = |model: Model, names: &[&str], operands: usize| {
        for name in names {
            for (suffix, real) in REAL_TYPES {
                let operands = match operands {
                    0 => "void".to_owned(),
                    _ => vec![real; operands].join(", "),
                };
                prototypes.push((model, format!("{real} {name}{suffix}({operands})")));
            }
        }
    };
    for (function, names) in table::MATH {
        add(Model::Math(*function), names, 1);
    }
    for (function, names) in table::MATH_OF_TWO {
        add(Model::Math(*function), names, 2);
    }
    add(Model::Approximate, &["__regatta_unknown_real"], 0);
    add(Model::Approximate, table::APPROXIMATE, 1);
    add(Model::Approximate, table::APPROXIMATE_OF_TWO, 2);
    for name in table::APPROXIMATE_COMPLEX {
        for (suffix, real) in REAL_TYPES {
            let prototype = format!("{real} _Complex {name}{suffix}({real} _Complex)");
            prototypes.push((Model::Approximate, prototype));
        }
    }
    for (suffix, real) in REAL_TYPES {
        let prototype = format!("{real} _Complex cpow{suffix}({real} _Complex, {real} _Complex)");
        prototypes.push((Model::Approximate, prototype));
    }
    prototypes
});

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let mut library = Library {
        functions: FxHashMap::default(),
        items: FxHashMap::default(),
        types: Vec::new(),
        objects: Vec::new(),
    };
    for line in TYPES.lines().filter(|line| line.starts_with("typedef")) {
        library.types.push((typedef_name(line), line));
    }
    let tables = table::BUILTINS
        .iter()
        .map(|(builtin, prototypes)| (Model::Builtin(*builtin), *prototypes))
        .chain(table::OTHERS.iter().copied());
    for (model, prototypes) in tables {
        for prototype in prototypes {
            library.add(prototype, model);
        }
    }
    for (model, prototype) in MADE_PROTOTYPES.iter() {
        library.add(prototype, *model);
    }
    for text in PRELUDE.iter().copied().chain([MATH_TEXT.as_str()]) {
        for item in text.split("\n\n") {
            library.add_item(item.trim_start_matches('\n'));
        }
    }
    library
});

impl Library {
    fn add(&mut self, prototype: &'static str, model: Model) {
        let name = function_name(prototype);
        let prototype = if prototype.ends_with("()") {
            ""
        } else {
            prototype
        };
        self.functions.insert(
            name,
            LibraryFunction {
                name,
                prototype,
                model,
            },
        );
    }

    /// Adds a definition of the prelude, given with the comment in front of it.
    fn add_item(&mut self, item: &'static str) {
        let mut text = item;
        if let Some(comment) = text.strip_prefix("/*") {
            text = comment
                .split_once("*/")
                .map_or("", |(_, rest)| rest)
                .trim_start();
        }
        if text.is_empty() {
            return;
        }
        match text.split_once("\n{") {
            Some((prototype, _)) => {
                self.add(prototype, Model::Prelude);
                self.items.insert(function_name(prototype), text);
            }
            None => {
                // A static object: the last word before the semicolon.
                let name = text.trim_end().trim_end_matches(';');
                let name = name.split(['[', '=']).next().unwrap_or("").trim_end();
                let name = name
                    .rsplit(|character: char| !is_name_character(character))
                    .next()
                    .unwrap_or("");
                self.objects.push(name);
                self.items.insert(name, text);
            }
        }
    }

    /// The text with the typedefs and static objects that it needs in front.
    fn with_dependencies(&self, text: &str) -> String {
        let mut types: Vec<(&str, &str)> = Vec::new();
        let objects: Vec<&str> = self
            .objects
            .iter()
            .filter(|name| contains_name(text, name))
            .filter_map(|name| self.items.get(name).copied())
            .collect();
        let mut needed = [&objects[..], &[text]].concat().join("\n");
        for &(name, declaration) in self.types.iter().rev() {
            if contains_name(&needed, name) {
                types.push((name, declaration));
                needed.push_str(declaration);
            }
        }
        let types = types.iter().rev().map(|(_, declaration)| *declaration);
        types
            .chain(objects)
            .chain([text])
            .collect::<Vec<_>>()
            .join("\n")
    }
}

const fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The word in front of the first parenthesis.
fn function_name(prototype: &str) -> &str {
    let before = prototype.split('(').next().unwrap_or("");
    before
        .rsplit(|character: char| !is_name_character(character))
        .next()
        .unwrap_or("")
}

/// The name that a typedef declares: the last word, or for a pointer to a function the one behind `(*`.
fn typedef_name(declaration: &str) -> &str {
    let name = match declaration.split_once("(*") {
        Some((_, rest)) if !declaration.contains("__typeof__") => {
            rest.split(')').next().unwrap_or("")
        }
        _ => declaration.trim_end_matches(';'),
    };
    name.rsplit(|character: char| !is_name_character(character))
        .next()
        .unwrap_or("")
}

fn contains_name(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + name.len()..].chars().next();
        !before.is_some_and(is_name_character) && !after.is_some_and(is_name_character)
    })
}

/// The names under which the table may have a function: its own; without `__builtin_`; without the prefix for a
/// standard (`__isoc99_`); without the suffix `_unlocked`; the function that glibc's headers redirect to this symbol.
fn aliases(name: &str) -> impl Iterator<Item = &str> {
    let plain = name.strip_prefix("__builtin_");
    let standard = name
        .strip_prefix("__isoc99_")
        .or_else(|| name.strip_prefix("__isoc23_"));
    let unlocked = name
        .strip_suffix("_unlocked")
        .filter(|name| table::UNLOCKED.contains(name));
    let mut redirected = table::REDIRECTED.iter();
    let redirected = redirected
        .find(|(symbol, _)| *symbol == name)
        .map(|(_, function)| *function);
    [Some(name), plain, standard, unlocked, redirected]
        .into_iter()
        .flatten()
}

/// The model of a function; `__builtin_NAME` is `NAME` if it has no entry of its own, and the compiler's other
/// functions are unsupported. `None` for unknown code.
pub fn lookup(name: &str) -> Option<LibraryFunction> {
    let library = &*LIBRARY;
    let known = aliases(name).find_map(|name| library.functions.get(name).copied());
    if known.is_some() {
        return known;
    }
    if let Some(prefix) = COMPILER_PREFIXES
        .into_iter()
        .find(|prefix| name.starts_with(prefix))
    {
        return Some(LibraryFunction {
            name: prefix,
            prototype: "",
            model: Model::Unsupported,
        });
    }
    name.starts_with("__VERIFIER_nondet_")
        .then_some(LibraryFunction {
            name: "__VERIFIER_nondet_",
            prototype: "",
            model: Model::Builtin(Builtin::Nondet),
        })
}

/// The prototype of a library function, for a use without a declaration, as a parsed declaration with the typedefs that
/// it needs. `None` if the function is not known or has no fixed prototype. Its spans are
/// [`regatta_base::Span::NONE`].
pub fn prototype(name: &str) -> Option<Result<ParsedUnit, Error>> {
    let function = lookup(name).filter(|function| !function.prototype.is_empty())?;
    Some(parse_text(
        &LIBRARY.with_dependencies(&format!("{};", function.prototype)),
    ))
}

/// The definition of a [`Model::Prelude`] function in C, with the typedefs and static objects that it needs. These have
/// names that begin with `__regatta_`, are the same in every definition, and must be declared once. The functions that
/// it calls are looked up by name in turn. Its spans are [`regatta_base::Span::NONE`]: neither messages nor witnesses
/// refer to the prelude.
pub fn definition(name: &str) -> Option<Result<ParsedUnit, Error>> {
    let function = lookup(name).filter(|function| function.model == Model::Prelude)?;
    let item = LIBRARY.items.get(function.name)?;
    Some(parse_text(&LIBRARY.with_dependencies(item)))
}

/// Whether a function of the prelude only writes output: see [`table::OUTPUT`].
pub fn is_output(name: &str) -> bool {
    table::OUTPUT.contains(&name)
}

/// Whether the function is transcendental: its values are not modelled.
pub fn is_transcendental(name: &str) -> bool {
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    [table::APPROXIMATE, table::APPROXIMATE_OF_TWO]
        .iter()
        .any(|names| names.contains(&plain) || names.contains(&name))
}

/// Parses a prototype or a definition that the lowering generates, in the prelude's C.
pub fn generated(text: &str) -> Result<ParsedUnit, Error> {
    parse_text(&LIBRARY.with_dependencies(text))
}

/// The prelude's function that returns the initial value of an object of the library.
pub fn initial_value(object: &str) -> Option<LibraryFunction> {
    let name = OBJECTS.iter().find(|known| **known == object)?;
    let name = match *name {
        "program_invocation_short_name" => "program_invocation_name",
        name => name,
    };
    lookup(&format!("__regatta_initial_{name}"))
}

fn parse_text(text: &str) -> Result<ParsedUnit, Error> {
    let mut unit = parse(Preprocessed::from_text("<library>", text))?;
    unit.positions = PositionMap::default();
    Ok(unit)
}

#[cfg(test)]
mod tests;
