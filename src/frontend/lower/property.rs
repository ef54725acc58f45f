//! The property: which code is the error.

use super::Lowerer;
use crate::property::{Specification, VIOLATED};

impl Lowerer<'_> {
    /// Whether a call of the function at hand violates the property. What the library's models call among themselves is not
    /// the program's doing: its text has no such calls, and another library may do without them.
    pub(super) fn is_forbidden_call(&self, name: &str) -> bool {
        let is_own_text = self.origin.is_none();
        self.property.forbids_call(name) && (!is_own_text || name == VIOLATED)
    }

    /// Properties that name what does not occur hold; the user may have meant something else.
    pub(super) fn warn_about_property(&mut self) {
        let Specification::Unreachable { calls, .. } = self.property else {
            return;
        };
        for name in calls {
            if self.scopes.lookup(name).is_none() && !self.defined.contains_key(name.as_str()) {
                self.warn(format!(
                    "the property's function `{name}` does not occur in the program"
                ));
            }
        }
    }
}
