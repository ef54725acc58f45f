//! What one attempt to lower a program is given: the program, the property, and the command's options. Nothing changes it.

use crate::ir::{Devices, UnknownEffect};
use crate::lower::environment::exit::Late;
use crate::lower::{EntryOptions, LowerOptions};
use crate::parse::ParsedUnit;
use crate::property::Specification;
use regatta_program::DataModel;

/// The input of lowering.
pub(in crate::lower) struct Input<'a> {
    units: &'a [ParsedUnit],
    property: &'a Specification,
    options: &'a LowerOptions,
    /// The late actions found by an earlier attempt; what only they could observe is otherwise left out.
    late: Late,
    /// Whether the text of a file contains `errno`, or its expansion, more than once.
    names_errno: bool,
}

impl<'a> Input<'a> {
    pub fn new(
        units: &'a [ParsedUnit],
        property: &'a Specification,
        options: &'a LowerOptions,
        late: Late,
    ) -> Self {
        let is_named_twice = |word: &[u8]| {
            let mut texts = units.iter().map(|unit| unit.positions.text());
            texts.any(|text| is_named_twice(text, word))
        };
        Self {
            units,
            property,
            options,
            late,
            names_errno: is_named_twice(b"errno") || is_named_twice(b"__errno_location"),
        }
    }

    /// The files of the program.
    pub fn units(&self) -> &'a [ParsedUnit] {
        self.units
    }

    pub fn property(&self) -> &'a Specification {
        self.property
    }

    /// The function with which the program begins, if that is not `main`.
    pub fn entry(&self) -> Option<&'a EntryOptions> {
        self.options.entry.as_ref()
    }

    /// Sizes of C's types.
    pub fn data_model(&self) -> DataModel {
        self.options.data_model
    }

    /// Width of a pointer (bits).
    pub fn pointer_bits(&self) -> u8 {
        self.options.data_model.pointer_bits()
    }

    /// What a call of a function without a body may modify.
    pub fn unknown_calls(&self) -> UnknownEffect {
        self.options.unknown_calls
    }

    /// Which objects may change without a write by the program.
    pub fn devices(&self) -> &'a Devices {
        &self.options.devices
    }

    /// The late actions found by an earlier attempt.
    pub fn late(&self) -> Late {
        self.late
    }

    /// Checks whether the program's text contains `errno` outside of a first declaration.
    pub fn names_errno(&self) -> bool {
        self.names_errno
    }
}

/// Checks whether a word occurs more than once in a text, apart from names of headers.
fn is_named_twice(text: &[u8], word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let places = text.windows(word.len()).enumerate();
    let places = places.filter_map(|(at, part)| (part == word).then_some(at));
    let mut found = places.filter(|&at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let after = text.get(at + word.len());
        let is_header = before == Some(&b'/') && matches!(after, Some(b'.' | b'-'));
        !before.is_some_and(is_part) && !after.is_some_and(is_part) && !is_header
    });
    found.nth(1).is_some()
}
