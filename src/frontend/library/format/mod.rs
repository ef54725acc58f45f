//! Formats of `printf` and `scanf`: a call with a known format becomes a call of a generated C function that executes
//! the format directive by directive.
//!
//! Printing computes the characters exactly, except for floating-point numbers and pointers. Scanning a string is exact,
//! too; scanning a stream gives any number of successful conversions and any values: a failed conversion assigns
//! nothing. Where a directive restricts the input of the next one (`"%d%c"`: the character ends the number), an alarm on
//! such a path is not confirmed.
//!
//! * [`family`](mod@family): the functions of the family.
//! * [`directive`]: parses a format into its directives.
//! * [`print`](mod@print), [`scan`]: generate the function that prints or scans by a format.

mod directive;
mod family;
mod print;
mod scan;

use std::fmt::Write;

pub use family::{Channel, Family, family};
pub use print::{print_function, read_function};
pub use scan::scan_function;

/// The kind of value that an argument must have.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Float,
    Pointer,
}

/// A generated function for a format.
#[derive(Clone, Debug, Default)]
pub struct FormatFunction {
    /// Its parameters after those of the channel: their C types.
    pub parameters: Vec<(Kind, String)>,
    /// The indices of the call's variable arguments that are passed to them.
    pub used: Vec<usize>,
    /// The statements of its body.
    pub body: String,
    /// Whether it writes to the target of an argument (`%n`, and all scanning).
    pub writes: bool,
}

/// The part of a format for which no function can be generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` in a format")]
pub struct NotModelled(pub String);

type Made = Result<FormatFunction, NotModelled>;

impl FormatFunction {
    /// Adds a parameter for the next variable argument; returns its name.
    fn parameter(&mut self, next: &mut usize, kind: Kind, ty: &str) -> String {
        let name = format!("a{}", self.parameters.len());
        self.parameters.push((kind, ty.to_owned()));
        self.used.push(*next);
        *next += 1;
        name
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "    {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_take_the_arguments_that_they_name() {
        let types = |made: Made| -> Vec<String> {
            let made = made.unwrap();
            made.parameters.into_iter().map(|(_, ty)| ty).collect()
        };
        let printed = |format: &[u8]| types(print_function(Channel::Text, Some(format)));
        assert_eq!(printed(b"100%% plain"), [""; 0]);
        assert_eq!(
            printed(b"%*.*s %hhd%lx %zu %Lf %n"),
            [
                "int",
                "int",
                "const char *",
                "signed char",
                "unsigned long",
                "__regatta_size_t",
                "long double",
                "int *"
            ]
        );
        let scanned = |format: &[u8]| types(scan_function(Channel::TextInput, format));
        assert_eq!(
            scanned(b"%*d %hd %lf%[^]x] %c%n"),
            ["short *", "double *", "char *", "char *", "int *"]
        );
    }

    #[test]
    fn what_is_not_modelled_is_named() {
        for (format, name) in [
            (&b"%ls"[..], "%ls"),
            (b"%1$d", "%$"),
            (b"%lc", "%lc"),
            (b"%k", "%k"),
        ] {
            let refused = print_function(Channel::Text, Some(format)).unwrap_err();
            assert_eq!(refused, NotModelled(name.to_owned()));
        }
        for format in [&b"%ms"[..], b"%p", b"%[abc", b"%"] {
            assert!(scan_function(Channel::Input, format).is_err());
        }
    }
}
