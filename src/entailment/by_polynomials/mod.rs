//! Stage 6: polynomial equations that follow from other equations, some of which hold only under conditions.
//!
//! Example: an array cell is the square of its index for indices in a range, and the index in question is in the range; that
//! gives an equation. If another index is equal to this one, both are identified. Whether conditions hold and variables are
//! equal is asked of the solver with products abstracted to unknowns, which it is good at; the rest is multiplying out
//! ([`super::polynomials`]), which it is not good at.
//!
//! Where the two sides depend on conditions, each case is decided separately ([`cases`]).

mod cases;

use rustc_hash::{FxHashMap, FxHashSet};

use self::cases::Case;
use super::by_cases::{Literal, literals};
use super::combination::combination;
use super::laws::{powers, quotients};
use super::polynomials::Polynomial;
use super::unknowns::is_hard;
use super::{Core, Oracle, Premises, Stage};
use crate::limits::{
    MAXIMUM_DENIALS, MAXIMUM_FACTORS, MAXIMUM_FACTS, MAXIMUM_PREMISE_LITERALS, MAXIMUM_VARIABLES,
};
use regatta_term::{
    Arena, Build, Op, Pool, Rebuild, Sort, TermId, TermKind, disjuncts, for_each_subterm, solved,
};

impl Premises<'_> {
    /// Returns premises that imply the goal, if stage 6 finds any.
    ///
    /// # Errors
    /// When the oracle stops.
    pub fn by_polynomials<O: Oracle>(
        &self,
        goal: TermId,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        let arena = &**self.arena;
        let mut all = self.formulas.to_vec();
        all.push(arena.not(goal));
        let Some(mut literals) = literals(arena, &all, MAXIMUM_PREMISE_LITERALS) else {
            return Ok(None);
        };
        let mut denied: Vec<([TermId; 2], Vec<usize>)> = literals
            .iter()
            .filter_map(|literal| {
                let both = sides(arena, arena.denied(literal.formula)?)?;
                Some((both, literal.places.clone()))
            })
            .collect();
        if denied.is_empty() {
            return Ok(None);
        }
        // Prefer those that solvers are not good at.
        let is_easy = |(both, _): &([TermId; 2], _)| !is_hard(self.arena, both);
        denied.sort_by_cached_key(is_easy);
        // Give the solver the definitions of named conditions.
        let named = all.iter().enumerate().filter(|&(_, &formula)| {
            let sides = arena.arguments(Op::Eq, formula);
            sides.is_some_and(|sides| arena.sort(sides[0]) == Sort::Bool)
        });
        literals.extend(named.map(|(place, &formula)| Literal {
            formula,
            places: vec![place],
        }));
        for (denial, places) in denied.into_iter().take(MAXIMUM_DENIALS) {
            let mut search = Search {
                premises: self,
                assertions: &all,
                literals: &literals,
                oracle,
                used: places.into_iter().collect(),
                asked: FxHashMap::default(),
                pending: Vec::new(),
            };
            if search.excludes(denial)? {
                let mut core: Core = search.used.into_iter().collect();
                core.retain(|&place| place < self.formulas.len());
                core.sort_unstable();
                return Ok(Some(core));
            }
        }
        Ok(None)
    }
}

/// Returns the two sides of an equation of bit vectors of at most 64 bits.
fn sides(arena: &Arena, formula: TermId) -> Option<[TermId; 2]> {
    let &[a, b] = arena.arguments(Op::Eq, formula)? else {
        return None;
    };
    matches!(arena.sort(a), Sort::BitVec(1..=64)).then_some([a, b])
}

/// The search for a proof that two terms are equal.
struct Search<'s, 'p, O> {
    premises: &'s Premises<'p>,
    /// The premises and the negated goal.
    assertions: &'s [TermId],
    /// The literals of the assertions.
    literals: &'s [Literal],
    oracle: &'s mut O,
    /// Indices of the assertions that the proof uses.
    used: FxHashSet<usize>,
    /// The oracle's answers: whether a case and a condition are unsatisfiable together.
    asked: FxHashMap<(Vec<TermId>, TermId), bool>,
    /// Conditions about which the oracle may be asked later.
    pending: Vec<TermId>,
}

/// A variable that is defined by an equation.
struct Definition {
    name: TermId,
    value: TermId,
    /// The indices of the assertions that imply it.
    places: Vec<usize>,
}

/// An equation that holds unless one of the conditions in `unless` does.
#[derive(Clone)]
pub(super) struct Fact {
    pub(super) equation: [TermId; 2],
    pub(super) unless: Vec<TermId>,
    /// The indices of the premises that imply it; none for a law.
    pub(super) places: Vec<usize>,
}

impl<'s, O: Oracle> Search<'s, '_, O> {
    fn arena(&self) -> &'s Arena {
        self.premises.arena
    }

    /// Checks whether the two terms, with definitions expanded, are equal in all cases of their conditions.
    fn excludes(&mut self, denial: [TermId; 2]) -> Result<bool, O::Stop> {
        let definitions = self.definitions();
        let mut places = Vec::new();
        let denial = denial.map(|side| self.defined(side, &definitions, &mut places));
        self.used.extend(places);
        let arena = self.arena();
        let denial = denial.map(|side| with_choices(arena, side));
        if arena.eq(denial[0], denial[1]) == TermId::TRUE {
            return Ok(true);
        }
        let Some(cases) = self.cases(denial) else {
            return Ok(false);
        };
        for case in cases {
            if !self.excludes_case(case)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the definitions among the literals; no definition contains a variable that an earlier one defines.
    fn definitions(&self) -> Vec<Definition> {
        let arena = self.arena();
        let mut known: Vec<Definition> = Vec::new();
        for literal in self.literals {
            let Some(&[a, b]) = arena.arguments(Op::Eq, literal.formula) else {
                continue;
            };
            let both = [a, b];
            if arena.sort(a) == Sort::Bool {
                continue;
            }
            let mut places = literal.places.clone();
            let [a, b] = both.map(|side| self.defined(side, &known, &mut places));
            if let Some((name, value)) = solved(arena, a, b) {
                known.push(Definition {
                    name,
                    value,
                    places,
                });
            }
        }
        known
    }

    /// Expands definitions in the term, and adds the assertions that they come from to `places`.
    fn defined(&self, term: TermId, definitions: &[Definition], places: &mut Vec<usize>) -> TermId {
        definitions.iter().fold(term, |term, one| {
            let replaced = self.replaced(term, &[(one.name, one.value)]);
            if replaced != term {
                places.extend_from_slice(&one.places);
            }
            replaced
        })
    }

    /// Applies the substitutions to the term, one after the other.
    fn replaced(&self, term: TermId, by: &[(TermId, TermId)]) -> TermId {
        let arena = self.arena();
        by.iter().fold(term, |term, &(old, new)| {
            let replace = |part| (part == old).then_some(new);
            Rebuild::new(arena, arena, replace).rebuild(term)
        })
    }

    /// Checks whether the two sides are equal in the case.
    fn excludes_case(&mut self, case: Case) -> Result<bool, O::Stop> {
        let arena = self.arena();
        let denial = case.denial;
        self.used.extend(&case.places);
        let target = self.difference(denial);
        if target.as_ref().is_some_and(Polynomial::is_zero) {
            return Ok(true);
        }
        if self.is_excluded(&case.holds, TermId::TRUE)? {
            return Ok(true);
        }
        let Some(target) = target else {
            return Ok(false);
        };
        let mut facts = self.facts(&case);
        let case = case.holds;
        let terms: Vec<TermId> = facts.iter().flat_map(|fact| fact.equation).collect();
        let terms = [&denial[..], &terms[..]].concat();
        facts.extend(quotients(arena, &terms));
        facts.extend(powers(arena, &terms));
        let mut pairs = self.extensions(&target, &facts);
        pairs.extend(self.pairs(&self.variables(&target, &facts)));
        let conditions = facts.iter().filter(|fact| !fact.unless.is_empty());
        let conditions = conditions.map(|fact| arena.or(fact.unless.clone()));
        let differences = pairs.iter().map(|&(one, other)| arena.ne(one, other));
        self.pending = conditions.chain(differences).collect();
        self.learn(&case);
        if self.follows(target, facts.clone(), &case)? {
            return Ok(true);
        }
        let equal = self.equal_pairs(pairs, &case)?;
        if equal.is_empty() {
            return Ok(false);
        }
        let Some(target) = self.difference(denial.map(|side| self.replaced(side, &equal))) else {
            return Ok(false);
        };
        let facts = facts.into_iter().map(|fact| Fact {
            equation: fact.equation.map(|side| self.replaced(side, &equal)),
            ..fact
        });
        let facts = facts.collect();
        self.follows(target, facts, &case)
    }

    fn difference(&self, [a, b]: [TermId; 2]) -> Option<Polynomial> {
        let arena = self.arena();
        Polynomial::of(arena, a)?.minus(&Polynomial::of(arena, b)?)
    }

    /// Checks whether the product-free assertions, the case and the condition are unsatisfiable together.
    fn is_excluded(&mut self, case: &[TermId], condition: TermId) -> Result<bool, O::Stop> {
        let question = (case.to_vec(), condition);
        if let Some(&known) = self.asked.get(&question) {
            return Ok(known);
        }
        let answer = self.asks(case, condition)?;
        self.asked.insert(question, answer);
        if !answer {
            self.learn(case);
        }
        Ok(answer)
    }

    /// Notes which pending conditions hold in the oracle's model of the case, if it has one: the case does not exclude these.
    fn learn(&mut self, case: &[TermId]) {
        let pending = std::mem::take(&mut self.pending);
        if !O::ANSWERS {
            return;
        }
        let product_free = pending.iter().map(|&one| self.premises.product_free(one));
        let product_free: Vec<TermId> = product_free.collect();
        for (condition, is_shown) in pending
            .into_iter()
            .zip(self.oracle.hold_in_model(&product_free))
        {
            match is_shown {
                true => {
                    self.asked.insert((case.to_vec(), condition), false);
                }
                false => self.pending.push(condition),
            }
        }
    }

    fn asks(&mut self, case: &[TermId], condition: TermId) -> Result<bool, O::Stop> {
        if !O::ANSWERS {
            return Ok(false);
        }
        let literals = self.literals.iter();
        let mut assertions: Vec<TermId> = literals
            .map(|literal| self.premises.product_free(literal.formula))
            .collect();
        let more = case.iter().chain([&condition]);
        assertions.extend(more.map(|&one| self.premises.product_free(one)));
        let Some(core) = self
            .oracle
            .unsatisfiable_core(&assertions, Stage::Unknowns)?
        else {
            return Ok(false);
        };
        let places = core.into_iter().filter_map(|one| self.literals.get(one));
        self.used.extend(places.flat_map(|literal| &literal.places));
        Ok(true)
    }

    /// Returns the equations of the case, with and without conditions.
    fn facts(&self, case: &Case) -> Vec<Fact> {
        let arena = self.arena();
        let mut facts = Vec::new();
        let mut rebuild = case.rebuild(arena);
        for literal in &case.literals {
            let parts = disjuncts(arena, literal.formula);
            for (number, &part) in parts.iter().enumerate() {
                let Some(equation) = sides(arena, part) else {
                    continue;
                };
                let others = parts.iter().enumerate();
                let others = others.filter(|&(other, _)| other != number);
                facts.push(Fact {
                    equation: equation.map(|side| rebuild.rebuild(side)),
                    unless: others.map(|(_, &part)| part).collect(),
                    places: literal.places.clone(),
                });
            }
        }
        facts
    }

    /// Returns the variables in the target's atoms and in facts about the same arrays.
    fn variables(&self, target: &Polynomial, facts: &[Fact]) -> Vec<TermId> {
        let arena = self.arena();
        let mut all: Vec<TermId> = Vec::new();
        let mut collect = |terms: Vec<TermId>| {
            for_each_subterm(arena, terms, |term, kind| {
                let is_number = matches!(arena.sort(term), Sort::BitVec(2..));
                if is_number && matches!(kind, TermKind::Variable { .. }) && !all.contains(&term) {
                    all.push(term);
                }
            });
        };
        collect(target.atoms());
        for fact in self.related(target, facts) {
            collect(fact.equation.to_vec());
        }
        all.truncate(MAXIMUM_VARIABLES);
        all
    }

    /// Returns the facts about cells of the arrays that the target reads.
    fn related<'f>(
        &self,
        target: &Polynomial,
        facts: &'f [Fact],
    ) -> impl Iterator<Item = &'f Fact> + use<'f, 's, O> {
        let arena = self.arena();
        let known = reads(arena, target.atoms());
        facts.iter().filter(move |fact| {
            let mut of_fact = reads(arena, fact.equation).into_iter();
            of_fact.any(|read| array_is_among(arena, read, &known))
        })
    }

    /// Returns the candidate equalities of the variables: with zero, with one, and with each other.
    fn pairs(&self, variables: &[TermId]) -> Vec<(TermId, TermId)> {
        let arena = self.arena();
        let mut pairs = Vec::new();
        for (number, &one) in variables.iter().enumerate() {
            let Sort::BitVec(width) = arena.sort(one) else {
                continue;
            };
            pairs.extend([0, 1].map(|value| (one, arena.bv(width, value))));
            let others = variables[number + 1..].iter().copied();
            let others = others.filter(|&other| arena.sort(other) == arena.sort(one));
            pairs.extend(others.map(|other| (one, other)));
        }
        pairs
    }

    /// Returns the pairs that are equal in the case, at most one for each left side.
    fn equal_pairs(
        &mut self,
        pairs: Vec<(TermId, TermId)>,
        case: &[TermId],
    ) -> Result<Vec<(TermId, TermId)>, O::Stop> {
        let mut equal: Vec<(TermId, TermId)> = Vec::new();
        for (one, other) in pairs {
            if equal.last().is_some_and(|&(known, _)| known == one) {
                continue;
            }
            let differ = self.arena().ne(one, other);
            if self.is_excluded(case, differ)? {
                equal.push((one, other));
            }
        }
        Ok(equal)
    }

    /// Returns pairs of a zero- or sign-extended sum of low bits and the untruncated sum: indices of cells often have this form.
    fn extensions(&self, target: &Polynomial, facts: &[Fact]) -> Vec<(TermId, TermId)> {
        let arena = self.arena();
        let mut terms = target.atoms();
        terms.extend(self.related(target, facts).flat_map(|fact| fact.equation));
        let mut extensions = Vec::new();
        for_each_subterm(arena, terms, |term, _| {
            extensions.extend(whole(arena, term).map(|whole| (term, whole)));
        });
        extensions.truncate(MAXIMUM_VARIABLES);
        extensions
    }

    /// Checks whether the target polynomial is zero by the facts whose conditions hold.
    fn follows(
        &mut self,
        target: Polynomial,
        facts: Vec<Fact>,
        case: &[TermId],
    ) -> Result<bool, O::Stop> {
        let mut target = target;
        // The facts of the target's width, each with the polynomial that is zero by it.
        let width = target.width();
        let facts = facts.into_iter().filter_map(|fact| {
            let difference = self.difference(fact.equation)?;
            (difference.width() == width).then_some((difference, fact))
        });
        let mut facts: Vec<(Polynomial, Fact)> = facts.collect();
        let mut solved: Vec<(TermId, Polynomial)> = Vec::new();
        let mut relevant: FxHashSet<TermId> = target.atoms().into_iter().collect();
        let mut tried = 0;
        // Facts that cannot be solved for an atom.
        let mut others: Vec<(Polynomial, Fact)> = Vec::new();
        while !target.is_zero() {
            // Prefer a fact about a cell of the target to one that shares another relevant atom.
            let wanted: FxHashSet<TermId> = target.atoms().into_iter().collect();
            let is_wanted = |atom: &TermId| self.is_cell(*atom) && wanted.contains(atom);
            let is_relevant = |atom: &TermId| relevant.contains(atom);
            let next = facts
                .iter()
                .position(|(difference, _)| difference.atoms().iter().any(is_wanted))
                .or_else(|| {
                    let mut facts = facts.iter();
                    facts.position(|(difference, _)| difference.atoms().iter().any(is_relevant))
                });
            let Some(next) = next else {
                return self.combines(&target, others, &solved, case);
            };
            let (mut difference, fact) = facts.swap_remove(next);
            for (atom, value) in &solved {
                let Some(with) = difference.with(*atom, value) else {
                    return Ok(false);
                };
                difference = with;
            }
            if difference.is_zero() {
                continue;
            }
            tried += 1;
            if tried > MAXIMUM_FACTS {
                return Ok(false);
            }
            let Some((atom, value)) = self.pivot(&difference, &wanted) else {
                relevant.extend(difference.atoms());
                others.push((difference, fact));
                continue;
            };
            let holds = fact.unless.is_empty() || {
                let unless = self.arena().or(fact.unless);
                self.is_excluded(case, unless)?
            };
            if !holds {
                continue;
            }
            self.used.extend(fact.places);
            relevant.extend(difference.atoms());
            let Some(with) = target.with(atom, &value) else {
                return Ok(false);
            };
            target = with;
            solved.push((atom, value));
        }
        Ok(true)
    }

    /// Checks whether the target is a linear combination of the facts' polynomials, solved atoms substituted, such that the
    /// conditions of the facts used hold.
    fn combines(
        &mut self,
        target: &Polynomial,
        facts: Vec<(Polynomial, Fact)>,
        solved: &[(TermId, Polynomial)],
        case: &[TermId],
    ) -> Result<bool, O::Stop> {
        let mut open = Vec::new();
        for (polynomial, fact) in facts {
            let mut solved = solved.iter();
            let polynomial =
                solved.try_fold(polynomial, |known, (atom, value)| known.with(*atom, value));
            open.extend(polynomial.map(|polynomial| (polynomial, fact)));
        }
        let mut atoms = target.atoms();
        atoms.truncate(MAXIMUM_FACTORS);
        let few = Polynomial::factors(target.width(), &[]);
        let many = Polynomial::factors(target.width(), &atoms);
        loop {
            let polynomials: Vec<Polynomial> = open.iter().map(|(one, _)| one.clone()).collect();
            let found = combination(target, &polynomials, &few)
                .or_else(|| combination(target, &polynomials, &many));
            let Some(places) = found else {
                return Ok(false);
            };
            let mut fails = None;
            for &place in &places {
                let unless = &open[place].1.unless;
                if !unless.is_empty() && !self.is_excluded(case, self.arena().or(unless.clone()))? {
                    fails = Some(place);
                    break;
                }
            }
            match fails {
                // Try again without this fact.
                Some(place) => {
                    open.remove(place);
                }
                None => {
                    let used = places
                        .into_iter()
                        .flat_map(|place| open[place].1.places.clone());
                    self.used.extend(used);
                    return Ok(true);
                }
            }
        }
    }

    /// Solves the polynomial for an atom, and returns the atom and its value; prefers cells to variables, then wanted atoms.
    fn pivot(
        &self,
        polynomial: &Polynomial,
        wanted: &FxHashSet<TermId>,
    ) -> Option<(TermId, Polynomial)> {
        let mut atoms = polynomial.atoms();
        atoms.sort_by_key(|atom| (!self.is_cell(*atom), !wanted.contains(atom)));
        let mut solutions = atoms
            .into_iter()
            .filter_map(|atom| Some((atom, polynomial.solved_for(atom)?)));
        solutions.next()
    }

    fn is_cell(&self, atom: TermId) -> bool {
        self.arena().arguments(Op::Select, atom).is_some()
    }
}

/// Replaces each `select` of a `store` by an `ite` of the stored value and the previous one.
fn with_choices(arena: &Arena, term: TermId) -> TermId {
    let replace = |part| {
        let &[array, index] = arena.arguments(Op::Select, part)? else {
            return None;
        };
        let &[before, written, value] = arena.arguments(Op::Store, array)? else {
            return None;
        };
        let is_met = arena.eq(written, index);
        let [met, missed] =
            [value, arena.select(before, index)].map(|one| with_choices(arena, one));
        Some(arena.ite(is_met, met, missed))
    };
    Rebuild::new(arena, arena, replace).rebuild(term)
}

/// Returns the untruncated sum of which the extension has the low bits.
fn whole(arena: &Arena, extension: TermId) -> Option<TermId> {
    let (Op::ZeroExtend(width) | Op::SignExtend(width), &[sum]) =
        arena.as_application(extension)?
    else {
        return None;
    };
    let whole = |addend: TermId| match arena.as_application(addend) {
        None => {
            let value = arena.bit_vec_constant(addend)?;
            Some(arena.bv(width, value.signed() as u128))
        }
        Some((Op::Extract { low: 0, .. }, &[number])) => {
            (arena.sort(number) == Sort::BitVec(width)).then_some(number)
        }
        Some(_) => None,
    };
    let addends = arena.arguments(Op::BvAdd, sum)?;
    let mut addends = addends.iter().map(|&addend| whole(addend));
    let first = addends.next()??;
    addends.try_fold(first, |sum, addend| Some(arena.add(sum, addend?)))
}

/// Returns the `select` subterms of the terms.
fn reads(arena: &Arena, terms: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
    let mut reads = Vec::new();
    for_each_subterm(arena, terms, |term, kind| {
        if let TermKind::Apply { op: Op::Select, .. } = kind {
            reads.push(term);
        }
    });
    reads
}

/// Checks whether one of the reads is of the same array as `read`.
fn array_is_among(arena: &Arena, read: TermId, reads: &[TermId]) -> bool {
    let array = |read| arena.arguments(Op::Select, read).map(|parts| parts[0]);
    reads.iter().any(|&other| array(other) == array(read))
}
