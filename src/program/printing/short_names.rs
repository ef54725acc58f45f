//! Names of variables for messages: as in the source where that is unambiguous, else with their function.

use rustc_hash::FxHashMap;

use crate::cfa::{FunctionId, Program, Role, Scope, VariableId};

/// The names of a program's variables.
pub struct ShortNames<'p> {
    program: &'p Program,
    /// The variables by the last part of their names.
    same: FxHashMap<&'p str, Vec<VariableId>>,
}

impl<'p> ShortNames<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut same: FxHashMap<&str, Vec<VariableId>> = FxHashMap::default();
        for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
            if variable.role == Role::Source {
                same.entry(last_part(&variable.name)).or_default().push(id);
            }
        }
        Self { program, same }
    }

    /// Returns the variable's name within the function: `x`, if no other variable of that name exists or is visible there;
    /// else `f::x`.
    pub fn of(&self, variable: VariableId, function: FunctionId) -> &'p str {
        let described = self.program.variable(variable);
        let short = last_part(&described.name);
        let is_seen = |id: &VariableId| match self.program.variable(*id).scope {
            Scope::Global => true,
            Scope::Local(of) => of == function,
        };
        let same = self.same.get(short).map_or(&[][..], Vec::as_slice);
        let is_clear = match same {
            [only] => *only == variable,
            _ => is_seen(&variable) && same.iter().filter(|one| is_seen(one)).count() == 1,
        };
        match is_clear && same.contains(&variable) {
            true => short,
            false => &described.name,
        }
    }
}

/// Returns a variable's name without its function: `x` for `main::1::x`.
pub fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
