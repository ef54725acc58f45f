//! Formats of `printf` and `scanf`: a call whose format is known becomes a call of a C function of ours that does what
//! the format says, directive by directive.
//!
//! Printing computes the characters exactly, floating-point numbers and pointers excepted. Scanning a string is exact,
//! too; scanning a stream gives as many conversions as the environment likes, and any values: what a failed conversion
//! would have assigned stays as it is. Where directives that follow one another restrict what can come (`"%d%c"`: the
//! character ends the number), an alarm on such a path is not confirmed.
//!
//! * [`family`](mod@family): the functions of the family.
//! * [`directive`]: a format, read into its directives.
//! * [`print`](mod@print), [`scan`]: the function that prints, or scans, as a format says.

mod directive;
mod family;
mod print;
mod scan;

use std::fmt::Write;

pub use family::{Channel, Family, family};
pub use print::print_function;
pub use scan::scan_function;

/// What an argument has to be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Float,
    Pointer,
}

/// A function of ours for a format.
#[derive(Clone, Debug, Default)]
pub struct FormatFunction {
    /// Its parameters behind those that the channel has, as C declares them without a name.
    pub parameters: Vec<(Kind, String)>,
    /// Which of the call's variable arguments they are.
    pub used: Vec<usize>,
    /// The statements of its body.
    pub body: String,
    /// Whether it writes to what an argument points to (`%n`, and all that is scanned).
    pub writes: bool,
}

/// Why there is no such function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` in a format")]
pub struct NotModelled(pub String);

type Made = Result<FormatFunction, NotModelled>;

impl FormatFunction {
    /// Adds a parameter for the next variable argument; gives its name.
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
