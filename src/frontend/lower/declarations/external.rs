//! Records the symbols that the program's own text uses and does not define.

use crate::library::{self, Builtin};
use crate::lower::Lowerer;
use crate::types::Type;
use regatta_program::{External, ExternalKind};

impl Lowerer<'_> {
    /// Records a function that the program's text uses and does not define.
    pub(in crate::lower) fn note_external(&mut self, name: &str, kind: ExternalKind) {
        // The verifier's own text has no source positions.
        if self.cursor.span().line == 0 {
            return;
        }
        self.symbols.note_external(External {
            name: name.to_owned(),
            kind,
            span: self.cursor.span(),
        });
    }

    /// Records a function of which only the result type is known.
    pub(in crate::lower) fn note_external_function(&mut self, name: &str, result: Type) {
        if self.cursor.span().line != 0 {
            let returns = self.types.return_type(result);
            let is_library = library::lookup(name).is_some() && !name.starts_with("__VERIFIER_");
            let kind = ExternalKind::Function {
                returns,
                is_library,
            };
            self.note_external(name, kind);
        }
    }

    /// Records a built-in function of the verifier that a C library does not have.
    pub(in crate::lower) fn note_external_builtin(&mut self, name: &str, builtin: Builtin) {
        let is_verifiers = name.starts_with("__VERIFIER_");
        let violates = self.input.property().forbids_failing_assertions();
        let kind = match builtin {
            Builtin::AssertFail if violates => ExternalKind::Error,
            Builtin::VerifierError if violates => ExternalKind::Error,
            Builtin::VerifierError => ExternalKind::End,
            Builtin::VerifierAssert if violates => ExternalKind::Assert,
            Builtin::VerifierAssert => ExternalKind::Assume,
            Builtin::Assume if is_verifiers => ExternalKind::Assume,
            Builtin::NondetMemory => ExternalKind::FillsMemory,
            Builtin::Nothing if is_verifiers => ExternalKind::Nothing,
            _ => return,
        };
        self.note_external(name, kind);
    }
}
