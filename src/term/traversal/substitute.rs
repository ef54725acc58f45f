//! Traversals of terms: substitution, instantiation, copies between pools, and occurrences of subterms.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Build, Op, Pool, Symbol, TermId, TermKind};

/// Substitutes terms by the map, outermost first; the replacements are not substituted again. The
pub fn substitute(
    pool: &(impl Pool + ?Sized),
    term: TermId,
    map: &FxHashMap<TermId, TermId>,
) -> TermId {
    Rebuild::new(pool, pool, |term| map.get(&term).copied()).rebuild(term)
}

/// Replaces each variable for which the function returns a term. It is called once for each variable.
pub fn instantiate(
    pool: &(impl Pool + ?Sized),
    term: TermId,
    mut replace: impl FnMut(Symbol, u32) -> Option<TermId>,
) -> TermId {
    let leaf = |term| match pool.as_variable(term) {
        Some((symbol, instance)) => replace(symbol, instance),
        _ => None,
    };
    Rebuild::new(pool, pool, leaf).rebuild(term)
}

/// Moves every variable of instance 0 to the given instance.
pub fn at_instance(pool: &(impl Pool + ?Sized), term: TermId, instance: u32) -> TermId {
    instantiate(pool, term, |symbol, current| {
        (current == 0).then(|| pool.variable_at(symbol, instance))
    })
}

/// Copies a term from one pool into another, for instance a query's result from its arena into the shared store.
pub fn transfer<F: Pool + ?Sized, T: Pool + ?Sized>(from: &F, to: &T, term: TermId) -> TermId {
    Rebuild::new(from, to, |_| None).rebuild(term)
}

/// The state of the visit of an application.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Visit {
    First,
    /// The condition of an [`Op::Ite`] is done.
    Second,
    /// The arguments of a conjunction or disjunction before this one are done.
    Argument(usize),
    Last,
}

/// The arguments to be rebuilt before an application, and the state of its next visit.
struct Needed<'t> {
    needed: &'t [TermId],
    then: Visit,
}

/// Rebuilds terms bottom-up, with a cache for several terms.
pub struct Rebuild<'r, F: ?Sized, T: ?Sized, R> {
    from: &'r F,
    to: &'r T,
    replace: R,
    done: FxHashMap<TermId, TermId>,
}

impl<'r, F: Pool + ?Sized, T: Pool + ?Sized, R: FnMut(TermId) -> Option<TermId>>
    Rebuild<'r, F, T, R>
{
    /// Reads terms of `from` and builds terms of `to`. `replace` is called once for each term, before its arguments, and returns
    /// the term of `to` that replaces it; with `None` the term is rebuilt from its rebuilt arguments.
    pub fn new(from: &'r F, to: &'r T, replace: R) -> Self {
        Self {
            from,
            to,
            replace,
            done: FxHashMap::default(),
        }
    }

    /// Like [`Self::new`], with the cache of an earlier rebuilder with the same `replace`.
    pub fn resumed(from: &'r F, to: &'r T, replace: R, done: FxHashMap<TermId, TermId>) -> Self {
        Self {
            from,
            to,
            replace,
            done,
        }
    }

    /// Returns the cache: the results of all terms rebuilt.
    pub(crate) fn into_done(self) -> FxHashMap<TermId, TermId> {
        self.done
    }

    /// Rebuilds the term. Conditions come first: a branch excluded by its condition, and conjuncts after one that becomes false,
    /// are not visited.
    pub fn rebuild(&mut self, term: TermId) -> TermId {
        let mut stack = vec![(term, Visit::First)];
        let mut changed: Vec<TermId> = Vec::new();
        while let Some((top, visit)) = stack.pop() {
            if visit == Visit::First {
                if self.done.contains_key(&top) {
                    continue;
                }
                if let Some(result) = (self.replace)(top) {
                    self.done.insert(top, result);
                    continue;
                }
            }
            match self.from.kind(top) {
                TermKind::Apply { op, arguments } => {
                    if let Some(next) = self.next_arguments(op, arguments, visit) {
                        stack.push((top, next.then));
                        stack.extend(next.needed.iter().rev().map(|&term| (term, Visit::First)));
                        continue;
                    }
                    let decided = self.decided(op, arguments);
                    let result = decided.unwrap_or_else(|| {
                        changed.clear();
                        changed.extend(arguments.iter().map(|argument| self.done[argument]));
                        if !self.copies(top) && changed == arguments {
                            top
                        } else {
                            self.to.apply(op, self.from.sort(top), &changed)
                        }
                    });
                    self.done.insert(top, result);
                }
                TermKind::Constant(constant) => {
                    let copy = if self.copies(top) {
                        self.to.intern_constant(&constant.to_value())
                    } else {
                        top
                    };
                    self.done.insert(top, copy);
                }
                TermKind::Variable { symbol, instance } => {
                    let copy = if self.copies(top) {
                        self.to.intern_variable(symbol, instance)
                    } else {
                        top
                    };
                    self.done.insert(top, copy);
                }
            }
        }
        self.done[&term]
    }

    /// Returns the arguments to be rebuilt before the next visit of the application; `None` if it can be rebuilt now.
    fn next_arguments<'t>(
        &self,
        op: Op,
        arguments: &'t [TermId],
        visit: Visit,
    ) -> Option<Needed<'t>> {
        let needed = |needed, then| Some(Needed { needed, then });
        match (op, visit) {
            (Op::Ite, Visit::First) => needed(&arguments[..1], Visit::Second),
            (Op::Ite, Visit::Second) => match self.done[&arguments[0]] {
                TermId::TRUE => needed(&arguments[1..2], Visit::Last),
                TermId::FALSE => needed(&arguments[2..], Visit::Last),
                _ => needed(&arguments[1..], Visit::Last),
            },
            (Op::And | Op::Or, Visit::First) => needed(&arguments[..1], Visit::Argument(1)),
            (Op::And | Op::Or, Visit::Argument(next)) => {
                let decisive = TermId::from_bool(op == Op::Or);
                if next == arguments.len() || self.done[&arguments[next - 1]] == decisive {
                    return None;
                }
                needed(&arguments[next..=next], Visit::Argument(next + 1))
            }
            (_, Visit::First) => needed(arguments, Visit::Last),
            _ => None,
        }
    }

    /// Returns the result of an application that is decided before all its arguments are rebuilt.
    fn decided(&self, op: Op, arguments: &[TermId]) -> Option<TermId> {
        match op {
            Op::Ite => match self.done[&arguments[0]] {
                TermId::TRUE => Some(self.done[&arguments[1]]),
                TermId::FALSE => Some(self.done[&arguments[2]]),
                _ => None,
            },
            Op::And | Op::Or => {
                let decisive = TermId::from_bool(op == Op::Or);
                let mut done = arguments
                    .iter()
                    .filter_map(|argument| self.done.get(argument));
                done.any(|&result| result == decisive).then_some(decisive)
            }
            _ => None,
        }
    }

    /// Checks whether a term must be copied even if nothing in it changes: it lives in another arena.
    fn copies(&self, term: TermId) -> bool {
        term.is_local() && !std::ptr::addr_eq(self.from, self.to)
    }
}

/// Calls the function once for each subterm of the given terms, arguments before the terms that contain them.
pub fn for_each_subterm(
    pool: &(impl Pool + ?Sized),
    terms: impl IntoIterator<Item = TermId>,
    mut visit: impl FnMut(TermId, TermKind<'_>),
) {
    let mut stack: Vec<_> = terms.into_iter().map(|term| (term, false)).collect();
    stack.reverse();
    let mut seen = FxHashSet::default();
    while let Some((top, ready)) = stack.pop() {
        if ready {
            visit(top, pool.kind(top));
        } else if seen.insert(top) {
            stack.push((top, true));
            if let Some((_, arguments)) = pool.as_application(top) {
                stack.extend(arguments.iter().rev().map(|argument| (*argument, false)));
            }
        }
    }
}

/// Calls `learn` for each subterm that `memory` does not know yet, arguments before the terms that contain them, and does not
/// descend into known terms; `learn` must make the term known.
pub fn for_each_unknown_subterm<M, E>(
    pool: &(impl Pool + ?Sized),
    root: TermId,
    memory: &mut M,
    knows: impl Fn(&M, TermId) -> bool,
    mut learn: impl FnMut(&mut M, TermId, TermKind<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut stack = vec![root];
    while let Some(&top) = stack.last() {
        if knows(memory, top) {
            stack.pop();
            continue;
        }
        let kind = pool.kind(top);
        let depth = stack.len();
        if let TermKind::Apply { arguments, .. } = kind {
            let unknown = |argument: &&TermId| !knows(memory, **argument);
            stack.extend(arguments.iter().filter(unknown));
        }
        if stack.len() == depth {
            learn(memory, top, kind)?;
            stack.pop();
        }
    }
    Ok(())
}

/// Checks whether the part occurs in one of the terms.
pub fn occurs(
    pool: &(impl Pool + ?Sized),
    part: TermId,
    terms: impl IntoIterator<Item = TermId>,
) -> bool {
    let mut occurs = false;
    for_each_subterm(pool, terms, |term, _| occurs |= term == part);
    occurs
}

/// Returns the variables in a term, each once, in the order of their first occurrence.
pub fn free_variables(pool: &(impl Pool + ?Sized), term: TermId) -> Vec<(Symbol, u32)> {
    let mut variables = Vec::new();
    for_each_subterm(pool, [term], |_, kind| {
        if let TermKind::Variable { symbol, instance } = kind {
            variables.push((symbol, instance));
        }
    });
    variables
}

/// The number of different terms in a term, itself included.
pub fn size(pool: &(impl Pool + ?Sized), term: TermId) -> usize {
    let mut count = 0;
    for_each_subterm(pool, [term], |_, _| count += 1);
    count
}
