//! What is known of the C library: for each modelled function its prototype and how it is modelled.
//!
//! The type checker asks by name, for functions without a body: [`lookup`]. Those with a [`Model::Prelude`] are defined
//! by C text of ours, see [`definition`]; only those that are used are ever parsed, and they are lowered like the user's
//! own. The user's prototype wins over ours; ours is for undeclared use and for `__builtin_` names.
//!
//! The prelude's functions call one another and the built-in ones without declaring them. They use reserved functions
//! that the table has as well, `__regatta_unknown_int()` ([`Model::Approximate`]), `__regatta_allocated_size(p)`,
//! `__regatta_unsupported("what")`. Result types that a user's header defines as a struct (`div_t`) have a type of ours
//! with the same layout.
//!
//! Each function returns and writes what the standard, or POSIX, permits. Where that is up to the environment (a file may
//! not be there) it is an input, and an alarm may depend on it. Where a real execution determines what is not modelled,
//! the value is unknown, or the path goes on only behind `__regatta_only_perhaps()`: no alarm is confirmed there. What
//! glibc documents counts as known (the messages of `strerror`, the bits of `isalpha`). [`precision`] is the table of all
//! that; [`format`](mod@format) is about `printf` and `scanf`.

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
    /// C text of ours defines it: [`definition`].
    Prelude,
    /// The type checker knows it.
    Builtin(Builtin),
    /// Terms express it exactly; the operands' type is that of the prototype's first parameter.
    Math(MathFunction),
    /// Returns a value that real executions determine but that is not modelled ([`super::ir::Instruction::Approximate`]);
    /// has no effect.
    Approximate,
    /// Threads, non-local jumps and the like: the path is not modelled from here on.
    Unsupported,
}

/// Functions that the type checker models itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `malloc(size)`, `alloca(size)`… with their kinds.
    Malloc,
    /// `__regatta_resized(pointer, size)`: the heap object ends and starts anew where it is with another size; the path ends
    /// if it cannot.
    Resized,
    /// `calloc(count, size)`: zeroed; a product that overflows gives null.
    Calloc,
    /// `__regatta_zeroed_pages(size)`: a new object on the heap that begins a page, with all bits zero.
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
    /// Ends the program normally: `exit`. What `atexit` registered runs.
    Exit,
    /// Ends the program at once: `_exit`.
    End,
    /// Ends the program by a signal, for which there may be a handler: `abort`, `__builtin_trap`.
    Abort,
    /// `__regatta_elsewhere_at_end()`: the program is about to end, and unknown code may have asked to be called then.
    ElsewhereAtEnd,
    /// `__regatta_streams_elsewhere()`: whether unknown code may have made streams or changed them.
    StreamsElsewhere,
    /// `__regatta_elsewhere_had_control()`: whether unknown code was ever called.
    ElsewhereHadControl,
    /// `__regatta_elsewhere(pointer, …)`: a call of unknown code that is given the pointers.
    Elsewhere,
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
    /// `__VERIFIER_nondet_memory(pointer, size)`: the bytes become inputs.
    NondetMemory,
    /// `scanf`, `printf`, `sprintf` and their kinds: a format that is known becomes C text of ours, see
    /// [`super::lower`]'s module on formats.
    Formatted,
    /// `__regatta_callbacks_matter()`: whether a function that compares may have effects, so that a program sees how
    /// often a library function calls it, and with what.
    CallbacksMatter,
    /// `__regatta_counts_matter()`: whether some string literal of the program has a `%n` in it, so that a format that
    /// is not known may be one that writes.
    CountsMatter,
    /// `__regatta_environment_is_named()`: whether the program's text uses `environ`, under any of its names.
    EnvironmentIsNamed,
    /// `__regatta_assumed_library("what")`, `__regatta_assumed_surroundings("what")`: the ledger says that this is assumed here.
    Assumed,
    /// `setjmp(buffer)` and its kinds: zero, and where `longjmp` comes to.
    SetJump,
    /// `longjmp(buffer, value)` and its kinds.
    LongJump,
    /// `__VERIFIER_atomic_begin()`, `srand`…: nothing, without a result.
    Nothing,
    /// `pthread_mutex_lock()`, `feclearexcept`…: nothing (in a single thread), the result is zero.
    Zero,
    /// `__builtin_expect(value, expected)`: the value.
    FirstArgument,
    /// `__builtin_unreachable()`: the path ends, since such a program has no meaning.
    Unreachable,
    /// `__builtin_constant_p(e)`: whether the operand is a constant expression.
    ConstantP,
    /// `__builtin_choose_expr(c, a, b)`.
    ChooseExpression,
    /// `__builtin_object_size(pointer, kind)`: any value, as it depends on the optimiser.
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
    pub name: &'static str,
    /// Its prototype as C text without the semicolon; empty where the type checker has its own rules for the arguments
    /// (`__builtin_isnan`, `__builtin_add_overflow`). Types are spelled without headers: `__regatta_size_t` and the like
    /// are typedef names declared by [`prototype`]'s unit, `_Decimal128x` is `__int128` (see [`super::rewrite`]).
    pub prototype: &'static str,
    /// How it is modelled.
    pub model: Model,
}

/// The prelude's texts: declarations and definitions with a blank line between any two.
const PRELUDE: &[&str] = &[
    include_str!("library/ctype.c"),
    include_str!("library/memory.c"),
    include_str!("library/mman.c"),
    include_str!("library/string.c"),
    include_str!("library/stdlib.c"),
    include_str!("library/stdio.c"),
    include_str!("library/unistd.c"),
    include_str!("library/time.c"),
    include_str!("library/signal.c"),
    include_str!("library/pthread.c"),
    include_str!("library/sigset.c"),
    include_str!("library/wchar.c"),
    include_str!("library/math.c"),
    include_str!("library/complex.c"),
];

/// The prelude's functions that exist for each floating-point type.
const MATH_TEMPLATES: [&str; 2] = [
    include_str!("library/math_template.c"),
    include_str!("library/complex_template.c"),
];

/// Typedefs, one on each line.
const TYPES: &str = include_str!("library/types.c");

/// The floating-point types with their functions' suffixes.
const REAL_TYPES: [(&str, &str); 3] = [("", "double"), ("f", "float"), ("l", "long double")];

/// Objects of the library that a program may declare. The prelude's function `__regatta_initial_NAME` gives the value that
/// it has when the program starts, if that is known, and the prelude's object `__regatta_shared_NAME`, if there is one, is
/// the program's own object.
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

/// The name by which an object of the library is known here, if it has several.
pub fn object_name(name: &str) -> &str {
    let mut known = SAME_OBJECT.iter();
    known
        .find(|(other, _)| *other == name)
        .map_or(name, |(_, object)| *object)
}

/// All names of an object of the library but the one by which it is known here.
pub fn other_object_names(object: &str) -> impl Iterator<Item = &'static str> {
    let names = SAME_OBJECT.iter();
    names
        .filter(move |(_, known)| *known == object)
        .map(|(other, _)| *other)
}

/// Whether a symbol that a program does not define is one of the library's objects with several names, a stream's, or the
/// linker's: no other file may define it.
pub fn is_taken(symbol: &str) -> bool {
    let known = |(other, object): &(&str, &str)| symbol == *other || symbol == *object;
    SAME_OBJECT.iter().chain(STREAMS).any(known)
        || linker::defines(symbol)
        || linker::section(symbol).is_some()
}

/// The function of the prelude that gives the address of one of the library's streams.
pub fn stream(name: &str) -> Option<LibraryFunction> {
    let (_, object) = STREAMS.iter().find(|(stream, _)| *stream == name)?;
    initial_value(object)
}

/// The prefix of the prelude's objects that are the program's own ones.
pub const SHARED: &str = "__regatta_shared_";

/// Names of functions that the compiler provides; those that the table lacks are not supported.
const COMPILER_PREFIXES: [&str; 3] = ["__builtin_", "__sync_", "__atomic_"];

struct Library {
    functions: FxHashMap<&'static str, LibraryFunction>,
    /// The prelude's definitions by name, those of static objects included.
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

/// Prototypes that are made of names and types.
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

    /// A definition of the prelude, with the comment in front of it.
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

    /// The typedefs and static objects that a text needs, in front of it.
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

/// The names that a function may be known by: its own; without `__builtin_`; without the standard that glibc's headers
/// put in front of it; without the suffix of those that do not lock their stream; that of the function that the headers
/// give this symbol.
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

/// What is known of a function by its name; `__builtin_NAME` is `NAME` where it has no entry of its own, and what else
/// the compiler provides is not supported. `None` for unknown code.
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

/// The prototype of a library function for a use without a declaration, as a parsed declaration (with the typedefs
/// that it needs in front of it). `None` if the function is not known or has no fixed prototype. Its spans are
/// [`regatta_base::Span::NONE`].
pub fn prototype(name: &str) -> Option<Result<ParsedUnit, Error>> {
    let function = lookup(name).filter(|function| !function.prototype.is_empty())?;
    Some(parse_text(
        &LIBRARY.with_dependencies(&format!("{};", function.prototype)),
    ))
}

/// The definition of a [`Model::Prelude`] function in C (with the typedefs and static objects that it needs in front of
/// it; those have names that begin with `__regatta_`, are the same whenever they occur, and are to be declared once).
/// The functions that it calls are looked up by name in turn. Its spans are [`regatta_base::Span::NONE`]: neither a
/// message nor a witness has to do with our text.
pub fn definition(name: &str) -> Option<Result<ParsedUnit, Error>> {
    let function = lookup(name).filter(|function| function.model == Model::Prelude)?;
    let item = LIBRARY.items.get(function.name)?;
    Some(parse_text(&LIBRARY.with_dependencies(item)))
}

/// Whether a function of the prelude only writes: see [`table::OUTPUT`].
pub fn is_output(name: &str) -> bool {
    table::OUTPUT.contains(&name)
}

/// Whether a function is one of those whose values are not modelled.
pub fn is_transcendental(name: &str) -> bool {
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    [table::APPROXIMATE, table::APPROXIMATE_OF_TWO]
        .iter()
        .any(|names| names.contains(&plain) || names.contains(&name))
}

/// A function of the lowering's own making, in C like the prelude's: its prototype, or its definition.
pub fn generated(text: &str) -> Result<ParsedUnit, Error> {
    parse_text(&LIBRARY.with_dependencies(text))
}

/// The function of the prelude that gives the initial value of a library's object.
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
