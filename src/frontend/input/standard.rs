//! The standard of C that a program is written in: `--std`.
//!
//! Without the option, a program is read as GNU C17, unless it can only be C23: it uses features of C23 and does not
//! declare their names itself (see `modern`). Then it is read as C23.

use std::fmt;
use std::str::FromStr;

/// An edition of the C standard.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edition {
    /// ANSI C, ISO 9899:1990.
    C89,
    C99,
    C11,
    C17,
    C23,
}

/// A value of `--std`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Standard {
    name: &'static str,
    edition: Edition,
}

/// The names that gcc knows.
const NAMES: &[(&str, Edition)] = &[
    ("ansi", Edition::C89),
    ("c89", Edition::C89),
    ("c90", Edition::C89),
    ("iso9899:1990", Edition::C89),
    ("iso9899:199409", Edition::C89),
    ("gnu89", Edition::C89),
    ("gnu90", Edition::C89),
    ("c99", Edition::C99),
    ("c9x", Edition::C99),
    ("iso9899:1999", Edition::C99),
    ("iso9899:199x", Edition::C99),
    ("gnu99", Edition::C99),
    ("gnu9x", Edition::C99),
    ("c11", Edition::C11),
    ("c1x", Edition::C11),
    ("iso9899:2011", Edition::C11),
    ("gnu11", Edition::C11),
    ("gnu1x", Edition::C11),
    ("c17", Edition::C17),
    ("c18", Edition::C17),
    ("iso9899:2017", Edition::C17),
    ("iso9899:2018", Edition::C17),
    ("gnu17", Edition::C17),
    ("gnu18", Edition::C17),
    ("c2x", Edition::C23),
    ("c23", Edition::C23),
    ("iso9899:2024", Edition::C23),
    ("gnu2x", Edition::C23),
    ("gnu23", Edition::C23),
];

impl Standard {
    /// The name as it was given.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The edition of the standard.
    pub const fn edition(self) -> Edition {
        self.edition
    }

    /// Whether the compiler's extensions have their plain names (`asm`, `typeof`) and macros (`linux`).
    pub fn has_extensions(self) -> bool {
        self.name.starts_with("gnu")
    }

    /// The compiler's options for the standard. C23 is named by its working title, which older compilers know, too.
    pub fn compiler_flags(self) -> Vec<String> {
        if self.edition != Edition::C23 {
            return vec![match self.name {
                "ansi" => "-ansi".to_owned(),
                name => format!("-std={name}"),
            }];
        }
        let mut flags = vec![match self.has_extensions() {
            true => "-std=gnu2x".to_owned(),
            false => "-std=c2x".to_owned(),
        }];
        // For a working title, the compiler's own version number stays.
        if !self.name.ends_with("2x") {
            flags.push("-U__STDC_VERSION__".to_owned());
            flags.push("-D__STDC_VERSION__=202311L".to_owned());
        }
        flags
    }
}

impl FromStr for Standard {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known
            .map(|&(name, edition)| Self { name, edition })
            .ok_or_else(|| {
                "no standard of C has this name; c89, c99, c11, c17, c23 and gnu89 to gnu23 are some"
                    .to_owned()
            })
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// How the front end reads a text.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// The standard that the user chose.
    pub standard: Option<Standard>,
    /// Whether it is C23, by the user's choice or because it can be nothing else.
    pub is_c23: bool,
}

impl Dialect {
    /// Whether the user chose C23, so that constructs that C23 has removed are errors.
    pub fn is_c23_alone(self) -> bool {
        self.is_c23 && self.standard.is_some()
    }

    /// The dialect of the user's standard; without one, it is detected later.
    pub fn of(standard: Option<Standard>) -> Self {
        Self {
            standard,
            is_c23: standard.is_some_and(|standard| standard.edition() == Edition::C23),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_compilers() {
        let flags = |name: &str| name.parse::<Standard>().unwrap().compiler_flags().join(" ");
        assert_eq!(flags("c89"), "-std=c89");
        assert_eq!(flags("ansi"), "-ansi");
        assert_eq!(flags("gnu18"), "-std=gnu18");
        assert_eq!(flags("c2x"), "-std=c2x");
        let c23 = "-U__STDC_VERSION__ -D__STDC_VERSION__=202311L";
        assert_eq!(flags("gnu23"), format!("-std=gnu2x {c23}"));
        assert_eq!(flags("iso9899:2024"), format!("-std=c2x {c23}"));
        for name in ["", "C23", "c++20", "c31", "gnu"] {
            assert!(name.parse::<Standard>().is_err(), "{name}");
        }
    }
}
