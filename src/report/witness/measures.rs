//! Measures of loops as transition invariants: what decreases from any visit of a loop's controlling expression to any later
//! one.
//!
//! The numbers are written in a type that has room for all their values, so that they are those of the measure.

use super::correctness::{InvariantKind, MAXIMUM_EXPRESSION_LENGTH, SourceInvariant};
use super::expression;
use super::write::Place;
use regatta_program::termination::{LoopMeasure, ToldNumber, VariableSum};
use regatta_program::waypoint::Time;
use regatta_program::{CScalar, Names, Program, VariableId, WaypointKind};
use regatta_term::{Sort, Symbol, TermId, store, to_c};

/// Maximum magnitude of a number in `long long`, and in `__int128`.
const MAXIMUM_LONG: u128 = 1 << 62;
const MAXIMUM_WIDE: u128 = 1 << 126;

/// Returns the transition invariants of the loops whose head is where their controlling expression is evaluated.
pub(super) fn in_source(program: &Program, measures: &[LoopMeasure]) -> Vec<SourceInvariant> {
    let by_location = program.waypoints.by_location();
    let names = Names::new(&program.waypoints);
    let found = measures.iter().filter_map(|measure| {
        let here = by_location.get(&measure.head)?.iter();
        let mut loops = here.filter(|one| one.kind == WaypointKind::Loop && one.span.column > 0);
        let waypoint = loops.next()?;
        let scope = Scope {
            program,
            names: &names,
            at: waypoint.time,
        };
        let function = program.location(measure.head).function;
        let value = scope.invariant(measure)?;
        (value.len() <= MAXIMUM_EXPRESSION_LENGTH).then(|| SourceInvariant {
            kind: InvariantKind::LoopTransition,
            at: Place::of(program, waypoint.span, Some(function)),
            value,
        })
    });
    let mut found: Vec<SourceInvariant> = found.collect();
    found.sort_by(|a, b| (&a.at, &a.value).cmp(&(&b.at, &b.value)));
    found
}

/// When the value of a variable is meant.
#[derive(Copy, Clone)]
enum When {
    Earlier,
    Now,
}

/// The names at a place of the source.
struct Scope<'s> {
    program: &'s Program,
    names: &'s Names<'s>,
    at: Time,
}

impl Scope<'_> {
    /// Says that some list has decreased.
    fn invariant(&self, measure: &LoopMeasure) -> Option<String> {
        let mut disjuncts = Vec::new();
        for list in &measure.lists {
            for (number, decreasing) in list.iter().enumerate() {
                let mut parts = Vec::new();
                for before in &list[..number] {
                    parts.push(self.comparison(before, ">=")?);
                }
                parts.push(self.comparison(decreasing, ">")?);
                if measure.is_bounded {
                    let least = self.sum(decreasing, When::Earlier, true)?;
                    parts.push(format!("{least} >= 0"));
                }
                disjuncts.push(parts.join(" && "));
            }
        }
        Some(match &disjuncts[..] {
            // The loop's head is visited once.
            [] => "0".to_owned(),
            [only] => only.clone(),
            several => format!("({})", several.join(") || (")),
        })
    }

    /// Compares what the sum was with what it is.
    fn comparison(&self, sum: &VariableSum, operator: &str) -> Option<String> {
        let earlier = self.sum(sum, When::Earlier, false)?;
        let now = self.sum(sum, When::Now, false)?;
        Some(format!("{earlier} {operator} {now}"))
    }

    fn sum(&self, sum: &VariableSum, when: When, with_constant: bool) -> Option<String> {
        let most = self.magnitude(sum)?;
        if most > MAXIMUM_WIDE {
            return None;
        }
        let wide = match most > MAXIMUM_LONG {
            true => "__int128",
            false => "long long",
        };
        let mut text = String::new();
        for (factor, number) in &sum.parts {
            let value = match number {
                ToldNumber::Variable {
                    variable,
                    is_signed,
                } => self.value(*variable, *is_signed, wide, when)?,
                ToldNumber::Choice {
                    condition,
                    then,
                    otherwise,
                } => {
                    let condition = self.condition(*condition, when)?;
                    let then = self.sum(then, when, true)?;
                    let otherwise = self.sum(otherwise, when, true)?;
                    format!("({wide})(({condition}) ? {then} : {otherwise})")
                }
            };
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let factor = match factor.unsigned_abs() {
                1 => String::new(),
                factor => format!("{factor} * "),
            };
            text.push_str(&format!("{sign}{factor}{value}"));
        }
        match (with_constant, text.is_empty()) {
            (true, true) => return Some(sum.constant.to_string()),
            (true, false) if sum.constant != 0 => {
                let sign = if sum.constant < 0 { "-" } else { "+" };
                text.push_str(&format!(" {sign} {}", sum.constant.unsigned_abs()));
            }
            _ => {}
        }
        (!text.is_empty()).then_some(text)
    }

    /// The greatest magnitude of the sum and all its parts, in any order.
    fn magnitude(&self, sum: &VariableSum) -> Option<u128> {
        let mut most = sum.constant.unsigned_abs();
        for (factor, number) in &sum.parts {
            let of_number = match number {
                ToldNumber::Variable { variable, .. } => 1 << self.integer(*variable)?.0,
                ToldNumber::Choice {
                    then, otherwise, ..
                } => self.magnitude(then)?.max(self.magnitude(otherwise)?),
            };
            // Constants are written as `int` or `long`.
            let factor = factor.unsigned_abs();
            if factor > MAXIMUM_LONG || sum.constant.unsigned_abs() > MAXIMUM_LONG {
                return None;
            }
            most = most.saturating_add(factor.saturating_mul(of_number));
        }
        Some(most)
    }

    /// A condition over variables.
    fn condition(&self, condition: TermId, when: When) -> Option<String> {
        let by_symbol = self.program.variables_by_symbol();
        let declared = |symbol: Symbol, instance: u32| {
            let variable = *by_symbol.get(&symbol).filter(|_| instance == 0)?;
            self.integer(variable)?;
            let name = self.name(variable, when)?;
            expression::c_variable(self.program.variable(variable), &name)
        };
        to_c(store(), condition, &declared)
    }

    /// The width and the sign of a variable of an integer type.
    fn integer(&self, variable: VariableId) -> Option<(u8, bool)> {
        let variable = self.program.variable(variable);
        match variable.c_type? {
            CScalar::Integer { bits, signed }
                if variable.sort == Sort::BitVec(bits) && bits <= 64 =>
            {
                Some((bits, signed))
            }
            _ => None,
        }
    }

    fn value(
        &self,
        variable: VariableId,
        is_signed: bool,
        wide: &str,
        when: When,
    ) -> Option<String> {
        let (bits, is_declared_signed) = self.integer(variable)?;
        let name = self.name(variable, when)?;
        if is_signed == is_declared_signed {
            return Some(format!("({wide}){name}"));
        }
        let read = match (bits, is_signed) {
            (8, true) => "signed char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned int",
            (64, true) => "long long",
            (64, false) => "unsigned long long",
            _ => return None,
        };
        Some(format!("({wide})({read}){name}"))
    }

    /// The variable's name, with the label for its value of before.
    fn name(&self, variable: VariableId, when: When) -> Option<String> {
        let name = self.names.of(variable, self.at)?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.chars().all(is_word) {
            return None;
        }
        Some(match when {
            When::Earlier => format!("\\at({name}, AnyPrev)"),
            When::Now => name,
        })
    }
}
