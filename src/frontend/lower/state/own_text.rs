//! The verifier's own text: the library's models, and the functions that are generated for a program.

use rustc_hash::FxHashMap;

use super::scope::{Scopes, Symbol};
use crate::types::Type;

/// The verifier's own text.
pub(in crate::lower) struct OwnText {
    /// Its names, which are kept apart from the program's.
    scopes: Scopes,
    /// The types of library functions according to the library's prototypes.
    types: FxHashMap<&'static str, Option<Type>>,
    /// Functions that are used and not lowered yet.
    wanted: Vec<String>,
    /// The names of generated functions, by the text behind the name.
    generated: FxHashMap<String, String>,
    /// The texts of generated functions, by name.
    texts: FxHashMap<String, String>,
    /// The library's objects that the program declares, by name.
    program_objects: FxHashMap<&'static str, Symbol>,
}

impl OwnText {
    pub fn new() -> Self {
        Self {
            scopes: Scopes::new(),
            types: FxHashMap::default(),
            wanted: Vec::new(),
            generated: FxHashMap::default(),
            texts: FxHashMap::default(),
            program_objects: FxHashMap::default(),
        }
    }

    /// Takes the names out; none are visible until [`Self::return_scopes`].
    pub fn take_scopes(&mut self) -> Scopes {
        std::mem::replace(&mut self.scopes, Scopes::new())
    }

    pub fn return_scopes(&mut self, scopes: Scopes) {
        self.scopes = scopes;
    }

    /// The type of a library function, if it has been asked for before; the type is `None` if there is no prototype.
    pub fn known_type(&self, name: &str) -> Option<Option<Type>> {
        self.types.get(name).copied()
    }

    pub fn set_type(&mut self, name: &'static str, ty: Option<Type>) {
        self.types.insert(name, ty);
    }

    /// Requests that a function be lowered.
    pub fn want(&mut self, name: &str) {
        self.wanted.push(name.to_owned());
    }

    /// Withdraws the request for a function that has been lowered.
    pub fn satisfy(&mut self, name: &str) {
        self.wanted.retain(|wanted| wanted != name);
    }

    /// Takes the last request.
    pub fn next_wanted(&mut self) -> Option<String> {
        self.wanted.pop()
    }

    /// The name of a generated function that returns `int`; equal texts share one function.
    pub fn generate(&mut self, parameters: &str, body: &str) -> String {
        let key = format!("({parameters})\n{{\n{body}}}");
        if let Some(name) = self.generated.get(&key) {
            return name.clone();
        }
        let name = format!("__regatta_format_{}", self.generated.len());
        self.texts.insert(name.clone(), format!("int {name}{key}"));
        self.generated.insert(key, name.clone());
        name
    }

    /// The text of a generated function.
    pub fn generated_text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The program's object with the name of one of the library.
    pub fn program_object(&self, name: &str) -> Option<&Symbol> {
        self.program_objects.get(name)
    }

    pub fn add_program_object(&mut self, name: &'static str, symbol: Symbol) {
        self.program_objects.insert(name, symbol);
    }
}
