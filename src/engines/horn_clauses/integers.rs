//! Translation of clauses over bit vectors to clauses over integers, and of their solutions back.
//!
//! SPACER generalises by linear arithmetic, which bit vectors do not have. The clauses over integers
//! ([`regatta_solver::integer_encoding`]) over-approximate the clauses over bit vectors, so that a solution of theirs,
//! translated to bit vectors, solves the latter as well. The translation back is exact, because a sum becomes a sum of bit
//! vectors that are wide enough not to wrap.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use super::encode::Encoding;
use super::ranges::Ranges;
use regatta_solver::horn::{Application, HornClause, HornSystem, Predicate};
use regatta_solver::integer_encoding::{Reading, Translator};
use regatta_term::{
    Arena, BitVecValue, Build, Op, Pool, Rebuild, Sort, TermId, TermKind, Value, for_each_subterm,
    store, transfer,
};

/// A system of clauses over integers.
pub struct Integers {
    /// The clauses.
    pub system: HornSystem,
    /// For each parameter that stands for a bit vector, the bit vector.
    variables: FxHashMap<TermId, (TermId, Reading)>,
}

/// Translates the clauses; returns `None` if they have no bit vectors, or arrays.
pub fn to_integers(encoding: &Encoding) -> Option<Integers> {
    let arena = &*encoding.arena;
    let sorts = encoding.system.sorts(arena);
    let is_bits = |sort: &Sort| matches!(sort, Sort::BitVec(_));
    if sorts.iter().any(|sort| sort.is_array()) || !sorts.iter().any(is_bits) {
        return None;
    }
    let mut fresh = encoding.fresh;
    let mut translator = Translator::new();
    let clauses = encoding.system.clauses.iter();
    let clauses: Vec<HornClause> = clauses
        .map(|clause| with_variables(encoding, clause, &mut fresh))
        .collect();
    for clause in &clauses {
        translator.vote(arena, clause.constraint);
    }
    let mut variables = FxHashMap::default();
    let mut predicates = Vec::new();
    for predicate in &encoding.system.predicates {
        let mut parameters = Vec::new();
        for &parameter in &predicate.parameters {
            let integer = transfer(arena, store(), translator.translate(arena, parameter));
            if let TermKind::Variable { symbol, .. } = arena.kind(parameter)
                && let Some(reading) = translator.reading(symbol)
            {
                variables.insert(integer, (parameter, reading));
            }
            parameters.push(integer);
        }
        predicates.push(Predicate {
            name: predicate.name.clone(),
            parameters,
        });
    }
    let clauses = clauses
        .iter()
        .map(|clause| translated(arena, &mut translator, clause))
        .collect();
    Some(Integers {
        system: HornSystem {
            predicates,
            clauses,
        },
        variables,
    })
}

/// Replaces each argument by a variable with the parameter's symbol, so that both have the same signedness.
fn with_variables(encoding: &Encoding, clause: &HornClause, fresh: &mut u32) -> HornClause {
    let arena = &*encoding.arena;
    let mut conditions = vec![clause.constraint];
    let mut application = |one: &Application| {
        let parameters = &encoding.system.predicates[one.predicate.index()].parameters;
        let arguments = one.arguments.iter().zip(parameters);
        let arguments = arguments.map(|(&argument, &parameter)| {
            let (TermKind::Variable { symbol, .. }, kind) =
                (arena.kind(parameter), arena.kind(argument))
            else {
                return argument;
            };
            if matches!(kind, TermKind::Variable { symbol: own, .. } if own == symbol) {
                return argument;
            }
            *fresh += 1;
            let variable = arena.variable_at(symbol, *fresh);
            conditions.push(arena.eq(variable, argument));
            variable
        });
        Application {
            predicate: one.predicate,
            arguments: arguments.collect(),
        }
    };
    let body = clause.body.iter().map(&mut application).collect();
    let head = clause.head.as_ref().map(&mut application);
    HornClause {
        constraint: arena.and(conditions),
        body,
        head,
        error: clause.error,
    }
}

fn translated(arena: &Arena, translator: &mut Translator, clause: &HornClause) -> HornClause {
    let mut conditions = vec![translator.translate(arena, clause.constraint)];
    let mut occurring = vec![clause.constraint];
    let mut application = |one: &Application| Application {
        predicate: one.predicate,
        arguments: one
            .arguments
            .iter()
            .map(|&argument| {
                occurring.push(argument);
                translator.translate(arena, argument)
            })
            .collect(),
    };
    let body = clause.body.iter().map(&mut application).collect();
    let head = clause.head.as_ref().map(&mut application);
    let mut variables = Vec::new();
    for_each_subterm(arena, occurring, |term, kind| match kind {
        TermKind::Variable { .. } if arena.sort(term).width().is_some() => variables.push(term),
        _ => conditions.extend_from_slice(translator.sides(term)),
    });
    let ranges = Ranges::new(arena, conditions.iter().copied());
    for variable in variables {
        let integer = translator.translate(arena, variable);
        if ranges.matters(arena, integer, arena.width(variable)) {
            conditions.extend_from_slice(translator.sides(variable));
        }
    }
    HornClause {
        constraint: arena.and(conditions),
        body,
        head,
        error: clause.error,
    }
}

impl Integers {
    /// Translates a formula of a solution to bit vectors; `None` if it has an operation without counterpart, or numbers that
    /// are too wide.
    pub fn to_bit_vectors(&self, formula: TermId) -> Option<TermId> {
        let mut complete = true;
        let mut wide = Wide {
            variables: &self.variables,
            known: FxHashMap::default(),
        };
        let replace = |term| {
            let TermKind::Apply { op, arguments } = store().kind(term) else {
                return None;
            };
            let of_integers = |&argument: &TermId| store().sort(argument) == Sort::Int;
            let is_atom =
                matches!(op, Op::Eq | Op::IntLe | Op::IntLt) && of_integers(&arguments[0]);
            if !is_atom {
                return None;
            }
            let atom = wide.atom(op, arguments[0], arguments[1]);
            complete &= atom.is_some();
            Some(atom.unwrap_or(TermId::FALSE))
        };
        let result = Rebuild::new(store(), store(), replace).rebuild(formula);
        complete.then_some(result)
    }
}

/// Translation of integer terms to bit vectors that are wide enough.
struct Wide<'i> {
    variables: &'i FxHashMap<TermId, (TermId, Reading)>,
    known: FxHashMap<TermId, Option<Bits>>,
}

/// A signed bit vector with bounds on its value.
#[derive(Clone)]
struct Bits {
    term: TermId,
    low: BigInt,
    high: BigInt,
}

/// Returns the width of a signed bit vector that represents both bounds; `None` above 128 bits.
fn width(low: &BigInt, high: &BigInt) -> Option<u8> {
    let bits = |number: &BigInt| {
        let magnitude = if number.is_negative() {
            -number - 1
        } else {
            number.clone()
        };
        magnitude.bits() + 1
    };
    u8::try_from(bits(low).max(bits(high)))
        .ok()
        .filter(|&width| width <= 128)
}

impl Bits {
    fn constant(value: &BigInt) -> Option<Self> {
        let bits = BitVecValue::from_int(width(value, value)?, value);
        Some(Self {
            term: store().value(&Value::BitVec(bits)),
            low: value.clone(),
            high: value.clone(),
        })
    }

    fn at(&self, width: u8) -> TermId {
        store().sign_resize(self.term, width)
    }

    /// Applies the operation to vectors that are wide enough for the operands and for the result's bounds.
    fn apply(
        parts: &[&Self],
        (low, high): (BigInt, BigInt),
        build: impl Fn(&[TermId]) -> TermId,
    ) -> Option<Self> {
        let bounds = parts.iter().flat_map(|part| [&part.low, &part.high]);
        let least = bounds.clone().chain([&low]).min()?;
        let most = bounds.chain([&high]).max()?;
        let width = width(least, most)?;
        let terms: Vec<TermId> = parts.iter().map(|part| part.at(width)).collect();
        Some(Self {
            term: build(&terms),
            low,
            high,
        })
    }
}

impl Wide<'_> {
    fn atom(&mut self, op: Op, one: TermId, other: TermId) -> Option<TermId> {
        let (one, other) = (self.bits(one)?, self.bits(other)?);
        let bounds = (one.low.clone(), one.high.clone());
        let atom = Bits::apply(&[&one, &other], bounds, |terms| match op {
            Op::Eq => store().eq(terms[0], terms[1]),
            Op::IntLe => store().sle(terms[0], terms[1]),
            _ => store().slt(terms[0], terms[1]),
        });
        atom.map(|atom| atom.term)
    }

    fn bits(&mut self, term: TermId) -> Option<Bits> {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let result = self.made(term);
        self.known.insert(term, result.clone());
        result
    }

    fn made(&mut self, term: TermId) -> Option<Bits> {
        if let Some(value) = store().int_constant(term) {
            return Bits::constant(value);
        }
        if let Some(&(variable, reading)) = self.variables.get(&term) {
            return Some(Self::variable(variable, reading));
        }
        let TermKind::Apply { op, arguments } = store().kind(term) else {
            return None;
        };
        if op == Op::Ite {
            let condition = Integers::condition_to_bit_vectors(self, arguments[0])?;
            let (one, other) = (self.bits(arguments[1])?, self.bits(arguments[2])?);
            let bounds = (
                one.low.clone().min(other.low.clone()),
                one.high.clone().max(other.high.clone()),
            );
            return Bits::apply(&[&one, &other], bounds, |terms| {
                store().ite(condition, terms[0], terms[1])
            });
        }
        let operands: Option<Vec<Bits>> = arguments
            .iter()
            .map(|&argument| self.bits(argument))
            .collect();
        let operands = operands?;
        let [one, rest @ ..] = &operands[..] else {
            return None;
        };
        match (op, rest) {
            (Op::IntNeg, []) => {
                let bounds = (-&one.high, -&one.low);
                Bits::apply(&[one], bounds, |terms| store().neg(terms[0]))
            }
            (Op::IntAdd, [other]) => {
                let bounds = (&one.low + &other.low, &one.high + &other.high);
                Bits::apply(&[one, other], bounds, |terms| {
                    store().add(terms[0], terms[1])
                })
            }
            (Op::IntMul, [other]) => {
                let corners = [
                    &one.low * &other.low,
                    &one.low * &other.high,
                    &one.high * &other.low,
                    &one.high * &other.high,
                ];
                let bounds = (corners.iter().min()?.clone(), corners.iter().max()?.clone());
                Bits::apply(&[one, other], bounds, |terms| {
                    store().mul(terms[0], terms[1])
                })
            }
            (Op::IntDiv | Op::IntMod, [divisor]) => divided(op, one, divisor),
            _ => None,
        }
    }

    fn variable(variable: TermId, reading: Reading) -> Bits {
        let own = store().width(variable);
        match reading {
            Reading::Signed => {
                let half = BigInt::one() << (own - 1);
                Bits {
                    term: variable,
                    low: -half.clone(),
                    high: half - 1,
                }
            }
            Reading::Unsigned => Bits {
                term: store().zero_extend(variable, own.saturating_add(1).min(128)),
                low: BigInt::zero(),
                high: (BigInt::one() << own) - 1,
            },
        }
    }
}

/// Returns the quotient or remainder by a positive constant; the remainder is never negative.
fn divided(op: Op, one: &Bits, divisor: &Bits) -> Option<Bits> {
    if divisor.low != divisor.high || !divisor.low.is_positive() {
        return None;
    }
    let exponent = divisor.low.bits() - 1;
    if divisor.low == BigInt::one() << exponent {
        let bounds = match op {
            Op::IntMod => (BigInt::zero(), &divisor.high - 1),
            _ => (&one.low >> exponent, &one.high >> exponent),
        };
        // An arithmetic shift rounds down.
        return Bits::apply(&[one, divisor], bounds, |terms| {
            let s = store();
            let width = s.width(terms[0]);
            match op {
                Op::IntMod => s.bvand(terms[0], s.sub(terms[1], s.bv(width, 1))),
                _ => s.ashr(terms[0], s.bv(width, u128::from(exponent))),
            }
        });
    }
    // The width must suffice for the sum of remainder and divisor.
    let magnitude = one.low.abs().max(one.high.abs()).max(divisor.high.clone()) + &divisor.high;
    let bounds = match op {
        Op::IntMod => (BigInt::zero(), &divisor.high - 1),
        _ => (-&magnitude, magnitude.clone()),
    };
    let room = Bits {
        low: -&magnitude,
        high: magnitude,
        ..divisor.clone()
    };
    let mut result = Bits::apply(&[one, &room], bounds, |terms| {
        let (number, divisor) = (terms[0], terms[1]);
        let s = store();
        let remainder = s.srem(number, divisor);
        let is_negative = s.slt(remainder, s.bv(s.width(number), 0));
        let positive = s.ite(is_negative, s.add(remainder, divisor), remainder);
        match op {
            Op::IntMod => positive,
            _ => s.sdiv(s.sub(number, positive), divisor),
        }
    })?;
    if op == Op::IntDiv {
        result.low = one.low.clone().min(BigInt::zero()) - 1;
        result.high = one.high.clone().max(BigInt::zero());
    }
    Some(result)
}

impl Integers {
    /// Translates a condition within a term.
    fn condition_to_bit_vectors(wide: &mut Wide<'_>, formula: TermId) -> Option<TermId> {
        let whole = Self {
            system: HornSystem::default(),
            variables: wide.variables.clone(),
        };
        whole.to_bit_vectors(formula)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use regatta_term::{Symbol, evaluate};

    /// Two variables of eight bits: x is signed, y unsigned.
    fn integers() -> (Integers, [TermId; 2]) {
        let s = store();
        let names = [("x", Reading::Signed), ("y", Reading::Unsigned)];
        let pairs = names.map(|(name, reading)| {
            let bits = s.variable(Symbol::new(name, Sort::BitVec(8)));
            let integer = s.variable(Symbol::new(&format!("{name} as a number"), Sort::Int));
            (integer, (bits, reading))
        });
        let integers = Integers {
            system: HornSystem::default(),
            variables: pairs.into_iter().collect(),
        };
        (integers, pairs.map(|pair| pair.0))
    }

    proptest! {
        #[test]
        fn a_formula_means_the_same_over_bit_vectors(
            factors in prop::array::uniform2(-300i64..300),
            constant in -40_000i64..40_000,
            divisor in 1i64..40,
            x in any::<i8>(),
            y in any::<u8>(),
        ) {
            let s = store();
            let (integers, [a, b]) = integers();
            let sum = s.int_add(s.int_mul(s.int(factors[0]), a), s.int_mul(s.int(factors[1]), b));
            let divisor = s.int(divisor);
            let choice = s.ite(s.int_lt(a, b), s.int_div(sum, divisor), s.int_mod(a, divisor));
            let formulas = [
                s.int_le(sum, s.int(constant)),
                s.int_lt(s.int_div(sum, divisor), b),
                s.int_le(s.int_mod(sum, divisor), a),
                s.int_lt(s.int_neg(choice), s.int(constant / 100)),
            ];
            for formula in formulas {
                let translated = integers.to_bit_vectors(formula).expect("short numbers");
                let value = |symbol: Symbol, _| {
                    let number = if symbol.name().starts_with('x') { BigInt::from(x) } else { BigInt::from(y) };
                    Some(match symbol.sort() {
                        Sort::Int => Value::Int(number),
                        _ => Value::BitVec(BitVecValue::from_int(8, &number)),
                    })
                };
                prop_assert_eq!(evaluate(s, formula, &value), evaluate(s, translated, &value));
            }
        }
    }

    #[test]
    fn numbers_that_are_too_long_are_refused() {
        let s = store();
        let (integers, [a, _]) = integers();
        let large = s.int_big(BigInt::one() << 130);
        assert_eq!(integers.to_bit_vectors(s.int_le(a, large)), None);
    }
}
