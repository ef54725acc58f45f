//! Lowering of the property: which calls are errors.

use crate::lower::Lowerer;
use crate::property::{Forbidden, VIOLATED};

impl Lowerer<'_> {
    /// Checks whether a call of the function violates the property at this place. Calls within the library's models do
    /// not count: the program's text does not contain them, and another library may do without them.
    pub(in crate::lower) fn is_forbidden_call(&self, name: &str) -> bool {
        let is_own_text = self.cursor.origin().is_none();
        self.input.property().forbids_call(name) && (!is_own_text || name == VIOLATED)
    }

    /// A property whose functions do not occur holds; the warning covers a mistake of the user.
    pub(in crate::lower) fn warn_about_property(&mut self) {
        let Forbidden::Listed { calls, .. } = &self.input.property().forbidden else {
            return;
        };
        for name in calls {
            let is_declared = self.scopes.lookup(name).is_some()
                || self.scopes.linked.contains_key(name.as_str());
            if !is_declared && !self.functions.has(name.as_str()) {
                self.warn(format!(
                    "the property's function `{name}` does not occur in the program"
                ));
            }
        }
    }
}
