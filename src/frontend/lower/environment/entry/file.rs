//! The text of an entry as a C file, to be edited.

use std::fmt::Write as _;

use super::text::Written;
use crate::lower::Lowerer;
use crate::lower::state::scope::Entity;
use crate::types::{ArrayLength, FunctionType, ParameterForm, Type, TypeKind};

impl Lowerer<'_> {
    /// The entry for a function as a C file. It includes the file that defines the function, so that it can call the function
    /// also if that is `static`.
    pub(super) fn entry_file(&self, file: &str, defines_main: bool, written: &Written) -> String {
        let mut text = format!(
            "/* An entry by Regatta {}, to be edited. It is verified together with the project's other files:\n \
             *\n *     regatta verify HARNESS.c OTHER.c\n *\n * {file}, which it includes, is not given again. */\n",
            env!("CARGO_PKG_VERSION")
        );
        if defines_main {
            text.push_str("#define main main_of_the_project\n");
        }
        let _ = writeln!(text, "#include \"{file}\"");
        if defines_main {
            text.push_str("#undef main\n");
        }
        text.push_str("#include <stdlib.h>\n\nextern void __VERIFIER_assume(int);\n");
        if written.body.contains("__VERIFIER_nondet_memory") {
            text.push_str("extern void __VERIFIER_nondet_memory(void *, size_t);\n");
        }
        for (end, ty) in super::text::INPUTS {
            if written.body.contains(&format!("__VERIFIER_nondet_{end}()")) {
                let _ = writeln!(text, "extern {ty} __VERIFIER_nondet_{end}(void);");
            }
        }
        for (number, ty) in written.types.iter().enumerate() {
            let _ = writeln!(
                text,
                "typedef {};",
                self.spell(*ty, &format!("__T{number}"))
            );
        }
        text.push_str("\nint main(void)\n{\n");
        let mut depth = 1;
        for line in written.body.lines() {
            depth -= usize::from(line.starts_with('}'));
            let _ = writeln!(text, "{}{line}", "  ".repeat(depth));
            depth += usize::from(line.ends_with('{'));
        }
        for assumption in &written.assumptions {
            let _ = writeln!(text, "  // {assumption}");
        }
        text.push_str("  return 0;\n}\n");
        text
    }

    /// The declaration of a name with a type.
    fn spell(&self, ty: Type, name: &str) -> String {
        if let Some(known) = self.typedef_of(ty) {
            return format!("{known} {name}");
        }
        let parenthesised = |target: Type| {
            let kind = self.types.kind(target);
            let binds = matches!(kind, TypeKind::Array { .. } | TypeKind::Function(_));
            match binds && self.typedef_of(target).is_none() {
                true => format!("(*{name})"),
                false => format!("*{name}"),
            }
        };
        match self.types.kind(ty) {
            TypeKind::Pointer(target) => self.spell(*target, &parenthesised(*target)),
            TypeKind::Array {
                element,
                length: ArrayLength::Constant(length),
            } => self.spell(*element, &format!("{name}[{length}]")),
            TypeKind::Array { element, .. } => self.spell(*element, &format!("{name}[]")),
            TypeKind::Function(function) => self.spell(
                function.result,
                &format!("{name}({})", self.spell_parameters(function)),
            ),
            _ => format!("{} {name}", self.types.describe(ty)),
        }
    }

    fn spell_parameters(&self, function: &FunctionType) -> String {
        let parameters = function.parameters.iter();
        let mut parameters: Vec<String> = parameters
            .map(|&parameter| self.spell(parameter, "").trim_end().to_owned())
            .collect();
        match function.form {
            ParameterForm::Variadic => parameters.push("...".to_owned()),
            ParameterForm::Fixed if parameters.is_empty() => parameters.push("void".to_owned()),
            ParameterForm::Fixed | ParameterForm::Unspecified => {}
        }
        parameters.join(", ")
    }

    /// The name that the program gives a struct, union or enumeration without a tag.
    fn typedef_of(&self, ty: Type) -> Option<String> {
        let has_tag = match self.types.kind(ty) {
            TypeKind::Record(id) => self.types.record(*id).tag.is_some(),
            TypeKind::Enumeration(id) => self.types.enumeration(*id).tag.is_some(),
            _ => true,
        };
        if has_tag {
            return None;
        }
        self.scopes.name_at_file_scope(|symbol| {
            matches!(symbol.entity, Entity::Typedef) && symbol.ty.id == ty.id
        })
    }
}
