//! Which library functions access the memory that C says they access, so that checks of memory see it.

use crate::ir::{Instruction, ScalarType};
use crate::library::{LibraryFunction, lookup};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::{Lowerer, Result};

/// Functions whose models, or the instructions for them, access exactly what the functions access.
const EXACT: &[&str] = &[
    "malloc",
    "calloc",
    "free",
    "cfree",
    "alloca",
    "aligned_alloc",
    "posix_memalign",
    "reallocarray",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "bzero",
    "bcopy",
    "memchr",
    "strspn",
    "strcspn",
    "strpbrk",
    "strtok",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strlen",
    "strnlen",
    "strcpy",
    "stpcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strcmp",
    "strncmp",
    "strchr",
    "strrchr",
    "strstr",
    "strdup",
    "strndup",
    "wcslen",
    "wcscpy",
    "wcsncpy",
    "wcscat",
    "wcsncat",
    "wcscmp",
    "wmemset",
    "wmemcpy",
    "atoi",
    "atol",
    "atexit",
    "qsort",
    "bsearch",
    "time",
    "printf",
    "sprintf",
    "snprintf",
    "sscanf",
    "scanf",
    "__VERIFIER_nondet_memory",
    "__assert_fail",
    "__builtin_expect",
    "__builtin_prefetch",
    "__builtin_va_start",
    "__builtin_va_end",
];

/// Functions that print the string which is their first argument.
const PRINTERS: &[&str] = &["puts", "fputs", "perror"];

/// Functions that use an open stream, which is their first argument, or the last one.
const STREAM_FIRST: &[&str] = &["fprintf", "feof", "ferror", "getc", "fgetc", "rewind"];
const STREAM_LAST: &[&str] = &["fgets", "fputs", "fputc", "putc"];

/// Functions that have another model under a check of memory.
const REPLACED: &[(&str, &str)] = &[
    ("realloc", "__regatta_moved"),
    ("memcmp", "__regatta_compared"),
    ("bcmp", "__regatta_compared"),
    ("fopen", "__regatta_opened"),
    ("fclose", "__regatta_closed"),
    ("getenv", "__regatta_environment_text"),
];

/// Functions of the system that are unknown code where nothing is checked of operations: they call none of the program's
/// functions, and what they write has its limits.
const SYSTEM: &[(&str, &str)] = &[
    ("accept", "__regatta_accepted"),
    ("bind", "__regatta_addressed"),
    ("connect", "__regatta_addressed"),
    ("inet_addr", "__regatta_internet_address"),
    ("listen", "__regatta_listened"),
    ("recv", "__regatta_received"),
    ("send", "__regatta_sent"),
    ("socket", "__regatta_new_socket"),
];

/// Functions of the C library and of POSIX without a model, which access memory that they get pointers to.
const WITHOUT_MODEL: &[&str] = &[
    "__xpg_basename",
    "__xpg_strerror_r",
    "asctime",
    "asctime_r",
    "ctime_r",
    "fgetws",
    "fputws",
    "fstat",
    "getaddrinfo",
    "getcwd",
    "gethostname",
    "lfind",
    "lsearch",
    "lstat",
    "mblen",
    "mbstowcs",
    "mbtowc",
    "mktime",
    "nanosleep",
    "poll",
    "readlink",
    "recvfrom",
    "select",
    "sendto",
    "stat",
    "strerror_r",
    "strftime",
    "swprintf",
    "vswprintf",
    "wcsftime",
    "wcstol",
    "wcstombs",
    "wcstoul",
    "wctomb",
];

/// The model of a function of the system that has one only under checks of operations.
pub(in crate::lower) fn known_under_checks(name: &str) -> Option<LibraryFunction> {
    let mut models = SYSTEM.iter();
    let (_, model) = models.find(|(system, _)| *system == name)?;
    lookup(model)
}

/// What is known of the accesses of a call.
pub(in crate::lower) enum Accesses {
    /// The model makes them.
    Modelled,
    /// Another function makes them.
    Otherwise(LibraryFunction),
    /// They are not modelled.
    NotModelled,
}

impl Lowerer<'_> {
    /// The value of an argument, computed even if it is not used, where that accesses memory.
    pub(in crate::lower) fn computed(&mut self, value: Value) -> Value {
        match (value.kind, self.types.scalar(value.ty)) {
            (ValueKind::Scalar(expr), Some(scalar)) if !self.is_harmless(&expr) => {
                Value::scalar(self.store_fresh(expr, scalar), value.ty)
            }
            (ValueKind::Aggregate(address), _) => {
                self.read_unused(address.clone(), value.ty);
                Value::aggregate(address, value.ty)
            }
            (kind, _) => Value { kind, ty: value.ty },
        }
    }

    /// The other model of a library function under a check of memory, which a call through a pointer reaches, too.
    pub(in crate::lower) fn model_under_checks(&self, name: &str) -> Option<LibraryFunction> {
        let is_checked = self.input.property().checks_memory()
            && self.cursor.span().line != 0
            && !self.linkage.defines_name(name);
        let mut replaced = REPLACED.iter().filter(|_| is_checked);
        let (_, other) = replaced.find(|(known, _)| *known == name)?;
        lookup(other)
    }

    /// A call through a pointer reaches the model itself, which may leave out accesses.
    pub(in crate::lower) fn refuse_inexact_address(&mut self, name: &str) {
        let is_inexact = self.input.property().checks_memory()
            && self.cursor.span().line != 0
            && !self.linkage.defines_name(name)
            && !EXACT.contains(&name)
            && (lookup(name).is_some() || self.is_without_model(name));
        if is_inexact {
            self.unsupported(format!("the address of `{name}`"));
        }
    }

    /// Checks whether a function without a definition is one of the system that has no model.
    fn is_without_model(&self, name: &str) -> bool {
        self.symbols.is_from_system(name) || WITHOUT_MODEL.contains(&name)
    }

    /// What a function of the system without a model accesses is not known. So there is no proof where it gets a pointer, and an
    /// alarm behind the call is not confirmed, since it rests on the choice that the accesses are valid.
    pub(in crate::lower) fn doubt_accesses(&mut self, name: &str, values: &[Value]) {
        let mut values = values.iter();
        let has_pointer = values.any(|value| self.types.pointee(value.ty).is_some());
        if !self.input.property().checks_memory() || !has_pointer || !self.is_without_model(name) {
            return;
        }
        let choice = self.temporary(ScalarType::Bool);
        let place = self.object_place(choice, ScalarType::Bool);
        self.emit_fresh(Instruction::Choice { place });
        let chosen = self.load_object(choice, ScalarType::Bool);
        let chosen = fold::convert(chosen, ScalarType::Bool, fold::INT);
        self.unsupported_if(chosen, &format!("the accesses of `{name}`"));
    }

    /// Finds out whether the accesses of a library function are modelled, and emits those that its model leaves out.
    pub(in crate::lower) fn access_by_library(
        &mut self,
        known: &LibraryFunction,
        values: &[Value],
    ) -> Result<Accesses> {
        let mut replaced = REPLACED.iter();
        if let Some((_, other)) = replaced.find(|(name, _)| *name == known.name) {
            return Ok(lookup(other).map_or(Accesses::NotModelled, Accesses::Otherwise));
        }
        // The models' own text makes their accesses.
        if self.cursor.span().line == 0 || known.name.starts_with("__regatta_") {
            return Ok(Accesses::Modelled);
        }
        let stream = if STREAM_FIRST.contains(&known.name) {
            values.first()
        } else if STREAM_LAST.contains(&known.name) {
            values.last()
        } else {
            None
        };
        if let (Some(stream), Some(used)) = (stream, lookup("__regatta_use_stream")) {
            self.call_quietly(&used, vec![stream.clone()])?;
        }
        if PRINTERS.contains(&known.name)
            && let (Some(text), Some(read)) = (values.first(), lookup("__regatta_read_text"))
        {
            let all = Value::scalar(fold::int(-1), crate::types::Type::INT);
            self.call_quietly(&read, vec![text.clone(), all])?;
            return Ok(Accesses::Modelled);
        }
        let mut pointers = values
            .iter()
            .filter(|value| self.types.pointee(value.ty).is_some());
        let is_modelled = EXACT.contains(&known.name)
            || stream.is_some()
            || known.name.ends_with("_overflow")
            || pointers.next().is_none();
        Ok(match is_modelled {
            true => Accesses::Modelled,
            false => Accesses::NotModelled,
        })
    }
}
