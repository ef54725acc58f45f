//! Translates formulas over a program's variables and memory to C expressions in the scope of a place of the source.
//!
//! A cell of a memory region becomes an element of an array or a member of an object. If the index is a
//! constant, that is one lvalue (`a[3]`, `s.f`). If it is computed (`a[i]`), the formula is restricted to indices within the
//! array's bounds: it is weakened to `!(i < 10U) || …`, so that the expression is defined in every state.
//!
//! About pointers, C can express equality, nullness, and the address of a given offset in a named object.

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

/// The names in a program's source.
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

    /// Returns the formula as a C expression in the scope at the time; `None` if C cannot express it.
    pub fn expression(&self, formula: TermId, at: Time) -> Option<String> {
        if quantified(formula).is_some() {
            return None;
        }
        let mut places = SourceTerms {
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

    /// Returns the memory region that the variable stands for, if it does.
    fn region(&self, symbol: Symbol) -> Option<RegionId> {
        let variable = *self.variables.get(&symbol)?;
        match self.program.variable(variable).role {
            Role::Region(region) => Some(region),
            _ => None,
        }
    }
}

/// Joins expressions by `&&`, with parentheses where their operators bind less tightly.
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

/// Checks whether the expression needs no parentheses as an operand of `&&`.
fn is_operand(text: &str) -> bool {
    // An operator `?` or `||` outside of parentheses binds less tightly than `&&`.
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

/// The translation of a formula: memory accesses are replaced by variables that stand for C expressions.
struct SourceTerms<'s, 'p> {
    scopes: &'s Scopes<'p>,
    at: Time,
    /// The C expressions of the introduced variables.
    declared: FxHashMap<Symbol, CVariable>,
    /// The bounds of indices under which the expression is defined, in the order of evaluation.
    guards: Vec<TermId>,
}

impl SourceTerms<'_, '_> {
    /// Replaces reads of memory and addresses in the formula; `None` if one of them has no name.
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

    /// Returns the term for a read of memory: a variable, or a cell of one.
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
        // Of several arrays in the region, the one is chosen that contains the index's constant part; the guard makes any
        // choice sound.
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

    /// Returns the number of the array's cell at the index as a term, and adds the guards that it is within bounds.
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
                    // Within the bounds the product does not wrap around.
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

    /// Returns the variable for the address that a pointer is compared with, if it is the constant address of a named object.
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

    /// Checks whether the term is a pointer of the program.
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

    /// Returns a variable of the sort that stands for the C expression.
    fn stand_in(&mut self, name: String, sort: Sort, c_type: CType) -> Option<TermId> {
        let symbol = Symbol::new(&format!("in the source: {name}"), sort);
        let declared = CVariable { name, c_type };
        let known = self.declared.entry(symbol).or_insert(declared.clone());
        // An expression must not be used with two types.
        (*known == declared).then(|| store().variable(symbol))
    }

    /// Prints the term as C.
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

/// Returns the value of the term, if it is a constant.
fn number(term: TermId) -> Option<u64> {
    match store().bit_vec_constant(term) {
        Some(bits) => u64::try_from(bits.bits()).ok(),
        None => u64::try_from(store().int_constant(term)?).ok(),
    }
}

/// Returns the other factor, if the term is a product by the given number.
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

/// Returns the constant summand of the term; zero if it has none.
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
    fn loosely_binding_operands_get_parentheses() {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(conjunction(&texts(&["a || b"])), "a || b");
        assert_eq!(
            conjunction(&texts(&["a || b", "(c || d)", "e ? f : g"])),
            "(a || b) && (c || d) && (e ? f : g)"
        );
    }
}
