//! The property: which code is the error, and what a failing assertion means.

use super::Lowerer;

/// What must not happen.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Property {
    /// Without a property file: failing `assert` and `__VERIFIER_assert`, calls of `reach_error` and
    /// `__VERIFIER_error`.
    #[default]
    Default,
    /// `G ! call(f())`: no call of the function; a failing `assert` only ends the program.
    Call(String),
    /// `G ! label(l)`: no statement with that label is reached.
    Label(String),
}

impl Lowerer<'_> {
    /// Whether a call of the function violates the property.
    pub(super) fn is_error_function(&self, name: &str) -> bool {
        match self.property {
            Property::Default => matches!(name, "reach_error" | "__VERIFIER_error"),
            Property::Call(function) => function == name,
            Property::Label(_) => false,
        }
    }

    /// Whether reaching the label violates the property.
    pub(super) fn is_error_label(&self, label: &str) -> bool {
        matches!(self.property, Property::Label(error) if error == label)
    }

    /// Whether a failing assertion violates the property; else it ends the program.
    pub(super) fn assertions_count(&self) -> bool {
        *self.property == Property::Default
    }

    /// A property function that does not occur makes the property hold; the user may have meant another.
    pub(super) fn warn_about_property(&mut self) {
        if let Property::Call(name) = self.property
            && self.scopes.lookup(name).is_none()
            && !self.defined.contains_key(name.as_str())
        {
            self.warn(format!(
                "the property's function `{name}` does not occur in the program"
            ));
        }
    }
}
