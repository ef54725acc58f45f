//! The property: which code is the error.

use super::Lowerer;
use crate::frontend::property::Specification;

impl Lowerer<'_> {
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
