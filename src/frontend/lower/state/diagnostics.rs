//! What the user is told of a program that can be lowered.

use rustc_hash::FxHashSet;

use regatta_base::diagnostic::Warning;

/// The warnings, and what is reported once.
#[derive(Default)]
pub(in crate::lower) struct Diagnostics<'a> {
    warnings: Vec<Warning>,
    /// The unknown attributes of the current declaration.
    ignored: Vec<&'a Warning>,
    /// Constructs that are not modelled and have been reported.
    refused: FxHashSet<String>,
}

impl<'a> Diagnostics<'a> {
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }

    /// Sets the unknown attributes of the current declaration.
    pub fn set_ignored(&mut self, ignored: Vec<&'a Warning>) {
        self.ignored = ignored;
    }

    pub fn has_ignored(&self) -> bool {
        !self.ignored.is_empty()
    }

    /// The unknown attributes of the current declaration that have not been taken yet.
    pub fn take_ignored(&mut self) -> Vec<&'a Warning> {
        std::mem::take(&mut self.ignored)
    }

    /// Checks whether the construct is reported for the first time.
    pub fn refuse(&mut self, what: &str) -> bool {
        self.refused.insert(what.to_owned())
    }
}
