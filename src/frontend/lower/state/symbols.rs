//! What lowering learns of names with linkage, beside [`crate::lower::declarations::linkage`], which is known before.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::declarations::inline::Body;
use regatta_program::External;

/// What is known of names with linkage.
#[derive(Default)]
pub(in crate::lower) struct Symbols {
    /// The bodies of inline definitions by file and name, which differ from the external definitions of their names.
    inline_bodies: FxHashMap<(Option<usize>, Rc<str>), Body>,
    /// The functions with internal linkage.
    internal: FxHashSet<String>,
    /// The functions that were first declared in a system header.
    from_system: FxHashSet<Rc<str>>,
    /// The alignments that attributes give functions (bytes).
    alignments: FxHashMap<Rc<str>, u64>,
    /// The symbols that the program uses and does not define.
    externals: Vec<External>,
}

impl Symbols {
    /// The body of an inline definition in a file.
    pub fn inline_body(&self, file: Option<usize>, name: &str) -> Option<Body> {
        if self.inline_bodies.is_empty() {
            return None;
        }
        self.inline_bodies.get(&(file, name.into())).copied()
    }

    pub fn add_inline_body(&mut self, file: Option<usize>, name: Rc<str>, body: Body) {
        self.inline_bodies.insert((file, name), body);
    }

    /// Checks whether the function has internal linkage.
    pub fn is_internal(&self, name: &str) -> bool {
        self.internal.contains(name)
    }

    pub fn make_internal(&mut self, name: &str) {
        self.internal.insert(name.to_owned());
    }

    /// Checks whether the function was first declared in a system header.
    pub fn is_from_system(&self, name: &str) -> bool {
        self.from_system.contains(name)
    }

    pub fn note_from_system(&mut self, name: Rc<str>) {
        self.from_system.insert(name);
    }

    /// The alignment that attributes give a function (bytes).
    pub fn alignment(&self, name: &str) -> u64 {
        self.alignments.get(name).copied().unwrap_or(1)
    }

    /// Records an alignment that an attribute gives a function (bytes); the greatest counts.
    pub fn align(&mut self, name: &str, alignment: u64) {
        let known = self.alignments.entry(name.into()).or_insert(1);
        *known = (*known).max(alignment);
    }

    /// Records a symbol that the program uses and does not define. The first record of a name counts.
    pub fn note_external(&mut self, external: External) {
        let mut known = self.externals.iter();
        if !known.any(|known| known.name == external.name) {
            self.externals.push(external);
        }
    }

    pub fn into_externals(self) -> Vec<External> {
        self.externals
    }
}
