//! Formulas over a program's variables and memory as C expressions over what has a name at a place of the source.
//!
//! A cell of a memory region becomes the element of an array, or the member of an object, that it is. Where the index is a
//! constant, that is one place (`a[3]`, `s.f`). Where it is computed (`a[i]`), the formula is said of indices within the
//! array's bounds only: it is weakened to `!(i < 10U) || …`, so that the expression is defined in every state.
//!
//! Of pointers it is said which are equal, which are null, and which point to a certain place of an object with a name.

use rustc_hash::FxHashMap;

use super::expression;
use regatta_certify::certificate::quantified;
use regatta_program::c_value::c_type;
use regatta_program::waypoint::Time;
use regatta_program::{CScalar, Cells, Names, Program, RegionId, Role, VariableId};
use regatta_term::{
    Build, CType, CVariable, Op, Pool as _, Sort, Symbol, TermId, TermKind, Value,
    for_each_subterm, store, substitute, to_c,
};

/// What has a name in a program.
pub(super) struct Scopes<'p> {
    program: &'p Program,
    names: Names<'p>,
    variables: FxHashMap<Symbol, VariableId>,
}

impl<'p> Scopes<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self {
            program,
            names: Names::new(&program.waypoints),
            variables: program.variables_by_symbol(),
        }
    }

    /// The formula as C says it at the time; `None` if it cannot be said.
    pub fn expression(&self, formula: TermId, at: Time) -> Option<String> {
        if quantified(formula).is_some() {
            return None;
        }
        let mut places = Places {
            scopes: self,
            at,
            declared: FxHashMap::default(),
            guards: Vec::new(),
        };
        let formula = places.in_source(formula)?;
        let text = places.text(formula)?;
        let mut guards = Vec::new();
        for &guard in &places.guards {
            let guard = places.text(guard)?;
            if !guards.contains(&guard) {
                guards.push(guard);
            }
        }
        Some(match &guards[..] {
            [] => text,
            guards => format!("!({}) || ({text})", conjunction(guards)),
        })
    }

    /// The region whose contents the variable is.
    fn region(&self, symbol: Symbol) -> Option<RegionId> {
        let variable = *self.variables.get(&symbol)?;
        match self.program.variable(variable).role {
            Role::Region(region) => Some(region),
            _ => None,
        }
    }
}

/// The texts, which may be of any operator, joined by `&&`.
pub(super) fn conjunction(parts: &[String]) -> String {
    if let [only] = parts {
        return only.clone();
    }
    let operands = parts.iter().map(|part| match is_operand(part) {
        true => part.clone(),
        false => format!("({part})"),
    });
    operands.collect::<Vec<_>>().join(" && ")
}

/// Whether the text is a single operand of `&&`, as it stands.
fn is_operand(text: &str) -> bool {
    // A text with one of these outside of parentheses binds less tightly than `&&`.
    let mut depth = 0_u32;
    let mut last = ' ';
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '?' if depth == 0 => return false,
            '|' if depth == 0 && last == '|' => return false,
            _ => {}
        }
        last = character;
    }
    true
}

/// A formula on its way into the source: over variables that stand for places there.
struct Places<'s, 'p> {
    scopes: &'s Scopes<'p>,
    at: Time,
    /// What stands for what.
    declared: FxHashMap<Symbol, CVariable>,
    /// What has to hold where the formula is looked at, in the order in which it has to be found out.
    guards: Vec<TermId>,
}

impl Places<'_, '_> {
    /// The formula with reads of memory and addresses replaced; `None` if one of them has no name.
    fn in_source(&mut self, formula: TermId) -> Option<TermId> {
        let mut reads = Vec::new();
        let mut comparisons = Vec::new();
        for_each_subterm(store(), [formula], |term, kind| match kind {
            TermKind::Apply {
                op: Op::Select,
                arguments: &[array, index],
            } => reads.push((term, array, index)),
            TermKind::Apply {
                op: Op::Eq,
                arguments: &[left, right],
            } => comparisons.push((term, left, right)),
            _ => {}
        });
        let mut replaced: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (read, array, index) in reads {
            let index = substitute(store(), index, &replaced);
            let place = self.read(array, index)?;
            replaced.insert(read, place);
        }
        for (comparison, left, right) in comparisons {
            let (left, right) = (
                substitute(store(), left, &replaced),
                substitute(store(), right, &replaced),
            );
            if let Some(place) = self.pointed_to(left, right) {
                replaced.insert(comparison, store().eq(left, place));
            } else if let Some(place) = self.pointed_to(right, left) {
                replaced.insert(comparison, store().eq(right, place));
            }
        }
        Some(substitute(store(), formula, &replaced))
    }

    /// The place that is read, as a variable or a cell of one.
    fn read(&mut self, array: TermId, index: TermId) -> Option<TermId> {
        let (symbol, 0) = store().as_variable(array)? else {
            return None;
        };
        let region = self.scopes.region(symbol)?;
        let Sort::Array { element, .. } = symbol.sort() else {
            return None;
        };
        let element = Sort::from(element);
        let mut rows = self.scopes.names.in_region(region, self.at);
        if let Some(index) = number(index) {
            let (name, number, scalar) =
                rows.find_map(|(name, cells, scalar)| Some((name, cells.number(index)?, scalar)))?;
            let name = name.replacen("[]", &format!("[{number}]"), 1);
            return self.stand_in(name, element, c_type(Some(scalar), element)?);
        }
        // Of several rows in the region the index's constant part tells the likeliest; the guard does the rest.
        let origin = constant_part(index);
        let mut rows: Vec<_> = rows.filter(|row| row.1.count > 1).collect();
        rows.sort_by_key(|(_, cells, _)| {
            let end = cells.first + cells.stride * cells.count;
            !(cells.first..end).contains(&origin)
        });
        let (name, cells, scalar) = rows.into_iter().next()?;
        let number = self.number_in(cells, index)?;
        let c_type = c_type(Some(scalar), element)?;
        let row = self.stand_in(name, symbol.sort(), c_type)?;
        Some(store().select(row, number))
    }

    /// Which cell of the row has the index, a term; the guards see to it that it is one.
    fn number_in(&mut self, cells: Cells, index: TermId) -> Option<TermId> {
        let pool = store();
        match pool.sort(index) {
            Sort::BitVec(width) => {
                let constant = |value: u64| pool.bv(width, value.into());
                let most = 1_u128 << (width - 1);
                if u128::from(cells.count) > most || u128::from(cells.stride) >= most {
                    return None;
                }
                let distance = pool.sub(index, constant(cells.first));
                let number = match (cells.stride, factor(distance, cells.stride)) {
                    (1, _) => distance,
                    // In bounds the product does not wrap around.
                    (_, Some(number)) => number,
                    (stride, None) => {
                        let rest = pool.urem(distance, constant(stride));
                        self.guards.push(pool.eq(rest, constant(0)));
                        pool.udiv(distance, constant(stride))
                    }
                };
                self.guards.push(pool.ult(number, constant(cells.count)));
                Some(number)
            }
            Sort::Int => {
                let constant = |value: u64| pool.value(&Value::int(value));
                let distance = pool.int_sub(index, constant(cells.first));
                let number = match cells.stride {
                    1 => distance,
                    stride => factor(distance, stride)?,
                };
                self.guards.push(pool.int_le(pool.int(0), number));
                self.guards.push(pool.int_lt(number, constant(cells.count)));
                Some(number)
            }
            _ => None,
        }
    }

    /// The place that a pointer is compared with, if it is the constant address of one.
    fn pointed_to(&mut self, pointer: TermId, address: TermId) -> Option<TermId> {
        let sort = store().sort(pointer);
        let bytes = number(address).filter(|&bytes| bytes != 0)?;
        if !self.is_pointer(pointer) {
            return None;
        }
        let object = self.scopes.program.objects.iter().find(|object| {
            let start = number(object.address);
            start.is_some_and(|start| bytes >= start && bytes - start < object.size.max(1))
        })?;
        let offset = bytes - number(object.address)?;
        let name = self.scopes.names.at_address(object.address, self.at)?;
        let text = match offset {
            0 => format!("&{name}"),
            _ => format!("((char *)&{name} + {offset})"),
        };
        self.stand_in(text, sort, CType::Pointer)
    }

    /// Whether the term is a pointer of the program.
    fn is_pointer(&self, term: TermId) -> bool {
        let term = match store().arguments(Op::Select, term) {
            Some(arguments) => arguments[0],
            None => term,
        };
        let Some((symbol, 0)) = store().as_variable(term) else {
            return false;
        };
        match self.declared.get(&symbol) {
            Some(declared) => declared.c_type == CType::Pointer,
            None => self.scopes.variables.get(&symbol).is_some_and(|variable| {
                let variable = self.scopes.program.variable(*variable);
                variable.c_type == Some(CScalar::Pointer)
            }),
        }
    }

    /// A variable of the sort that stands for the C expression.
    fn stand_in(&mut self, name: String, sort: Sort, c_type: CType) -> Option<TermId> {
        let symbol = Symbol::new(&format!("in the source: {name}"), sort);
        let declared = CVariable { name, c_type };
        let known = self.declared.entry(symbol).or_insert(declared.clone());
        // One text has one type.
        (*known == declared).then(|| store().variable(symbol))
    }

    /// The term as C.
    fn text(&self, term: TermId) -> Option<String> {
        let declared = |symbol: Symbol, instance: u32| {
            if let Some(declared) = self.declared.get(&symbol) {
                return Some(declared.clone());
            }
            let variable = *self
                .scopes
                .variables
                .get(&symbol)
                .filter(|_| instance == 0)?;
            let name = match self.scopes.names.of(variable, self.at) {
                Some(name) => name,
                None => {
                    let address = store().variable(symbol);
                    let name = self.scopes.names.at_address(address, self.at)?;
                    format!("&{name}")
                }
            };
            expression::c_variable(self.scopes.program.variable(variable), &name)
        };
        to_c(store(), term, &declared)
    }
}

/// The number that the term is, if it is one.
fn number(term: TermId) -> Option<u64> {
    match store().bit_vec_constant(term) {
        Some(bits) => u64::try_from(bits.bits()).ok(),
        None => u64::try_from(store().int_constant(term)?).ok(),
    }
}

/// What the term is so many times of, if it is a product by that number.
fn factor(term: TermId, by: u64) -> Option<TermId> {
    let product = store()
        .arguments(Op::BvMul, term)
        .or_else(|| store().arguments(Op::IntMul, term));
    match *product? {
        [one, other] if number(other) == Some(by) => Some(one),
        [other, one] if number(other) == Some(by) => Some(one),
        _ => None,
    }
}

/// What is added to the rest of the term; zero if nothing is.
fn constant_part(term: TermId) -> u64 {
    let sum = store()
        .arguments(Op::BvAdd, term)
        .or_else(|| store().arguments(Op::IntAdd, term));
    let parts = sum.into_iter().flatten();
    parts.filter_map(|&part| number(part)).next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_binds_loosely_gets_parentheses() {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(conjunction(&texts(&["a || b"])), "a || b");
        assert_eq!(
            conjunction(&texts(&["a || b", "(c || d)", "e ? f : g"])),
            "(a || b) && (c || d) && (e ? f : g)"
        );
    }
}
