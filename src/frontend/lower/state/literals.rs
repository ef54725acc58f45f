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

    /// The strings with their objects.
    pub fn strings(&self) -> impl Iterator<Item = (&StringKey, ObjectIndex)> {
        self.strings.iter().map(|(key, &object)| (key, object))
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
