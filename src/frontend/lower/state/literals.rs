//! The objects of literals: strings, the names of functions, and C23's static compound literals.

use rustc_hash::FxHashMap;

use lang_c::ast;

use crate::ir::ObjectIndex;
use crate::types::Type;

/// A string's units, with the final zero, and their width (bytes).
pub(in crate::lower) type StringKey = (Vec<u32>, u8);

/// The objects of literals.
#[derive(Default)]
pub(in crate::lower) struct Literals {
    /// String literals by contents and width.
    strings: FxHashMap<StringKey, ObjectIndex>,
    /// Whether the program contains two equal string literals.
    has_equal_strings: bool,
    /// The objects for `__func__` and its variants, by function and spelling.
    function_names: FxHashMap<String, (ObjectIndex, Type)>,
    /// The compound literals in functions that are static objects, by the address of their syntax node.
    compound: FxHashMap<usize, (ObjectIndex, Type)>,
}

impl Literals {
    /// The object of an equal string.
    pub fn string(&self, key: &StringKey) -> Option<ObjectIndex> {
        self.strings.get(key).copied()
    }

    pub fn add_string(&mut self, key: StringKey, object: ObjectIndex) {
        self.strings.insert(key, object);
    }

    /// Number of distinct strings.
    pub fn string_count(&self) -> usize {
        self.strings.len()
    }

    /// The bytes of a string literal, up to the first zero; `None` for wide strings and other objects.
    pub fn text(&self, object: ObjectIndex) -> Option<Vec<u8>> {
        let mut strings = self.strings.iter();
        let ((units, _), _) =
            strings.find(|((_, bytes), literal)| *bytes == 1 && **literal == object)?;
        let bytes = units.iter().take_while(|&&unit| unit != 0);
        Some(bytes.map(|&unit| unit as u8).collect())
    }

    /// Checks whether a string may be a format with `%n`.
    pub fn has_counting_format(&self) -> bool {
        self.strings.keys().any(|(units, bytes)| {
            *bytes == 1
                && units.iter().enumerate().any(|(position, &unit)| {
                    let mut behind = units.iter().skip(position + 1);
                    let last = behind.find(|&&unit| {
                        !char::from_u32(unit).is_some_and(|c| "hlqjzt0123456789".contains(c))
                    });
                    unit == u32::from(b'%') && last == Some(&u32::from(b'n'))
                })
        })
    }

    /// The units of all strings, by object.
    pub fn into_texts<C: FromIterator<(ObjectIndex, Vec<u32>)>>(self) -> C {
        let strings = self.strings.into_iter();
        strings
            .map(|((units, _), object)| (object, units))
            .collect()
    }

    /// Records that the program contains two equal string literals.
    pub fn note_equal_strings(&mut self) {
        self.has_equal_strings = true;
    }

    pub fn has_equal_strings(&self) -> bool {
        self.has_equal_strings
    }

    /// The object for a function's name.
    pub fn function_name(&self, key: &str) -> Option<(ObjectIndex, Type)> {
        self.function_names.get(key).copied()
    }

    pub fn add_function_name(&mut self, key: String, object: ObjectIndex, ty: Type) {
        self.function_names.insert(key, (object, ty));
    }

    /// The object of a static compound literal.
    pub fn compound(&self, literal: &ast::CompoundLiteral) -> Option<(ObjectIndex, Type)> {
        self.compound.get(&address_of(literal)).copied()
    }

    pub fn add_compound(&mut self, literal: &ast::CompoundLiteral, made: (ObjectIndex, Type)) {
        self.compound.insert(address_of(literal), made);
    }
}

fn address_of(literal: &ast::CompoundLiteral) -> usize {
    std::ptr::from_ref(literal) as usize
}
