//! Terms from terms: substitution, instances, copies between pools; and what occurs in a term.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Build, Op, Pool, Symbol, TermId, TermKind};

/// Replaces each term of the map by what it maps to, the largest first; what is replaced is not looked into again. The
/// rest is rebuilt by the simplifying constructors.
pub fn substitute(
    pool: &(impl Pool + ?Sized),
    term: TermId,
    map: &FxHashMap<TermId, TermId>,
) -> TermId {
    Rebuild::new(pool, pool, |term| map.get(&term).copied()).rebuild(term)
}

/// Replaces variables: each for which the function returns a term. It is asked once for each.
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

/// Copies a term from one pool into another, for instance what a query has found from its arena into the shared store.
pub fn transfer<F: Pool + ?Sized, T: Pool + ?Sized>(from: &F, to: &T, term: TermId) -> TermId {
    Rebuild::new(from, to, |_| None).rebuild(term)
}

/// How often an application has been looked at.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Visit {
    First,
    /// The condition of an [`Op::Ite`] is done.
    Second,
    /// The arguments of a conjunction or disjunction before this one are done.
    Argument(usize),
    Last,
}

/// What has to be done before an application, and how it is looked at then.
struct Needed<'t> {
    needed: &'t [TermId],
    then: Visit,
}

/// Rebuilds terms bottom-up, several of them with a common memory.
pub struct Rebuild<'r, F: ?Sized, T: ?Sized, R> {
    from: &'r F,
    to: &'r T,
    replace: R,
    done: FxHashMap<TermId, TermId>,
}

impl<'r, F: Pool + ?Sized, T: Pool + ?Sized, R: FnMut(TermId) -> Option<TermId>>
    Rebuild<'r, F, T, R>
{
    /// Reads terms of `from` and builds those of `to`. `replace` says, for each term once and before its arguments, what
    /// it becomes (a term of `to`); with `None` it is made again of what its arguments become.
    pub fn new(from: &'r F, to: &'r T, replace: R) -> Self {
        Self {
            from,
            to,
            replace,
            done: FxHashMap::default(),
        }
    }

    /// The same, with what other terms have become before by the same `replace`.
    pub fn resumed(from: &'r F, to: &'r T, replace: R, done: FxHashMap<TermId, TermId>) -> Self {
        Self {
            from,
            to,
            replace,
            done,
        }
    }

    /// What terms have become.
    pub fn into_done(self) -> FxHashMap<TermId, TermId> {
        self.done
    }

    /// What the term becomes. Conditions decide first: a branch that a condition excludes, or what comes after a conjunct
    /// that becomes false, is not looked at.
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

    /// The arguments to be done before the application is looked at again; `None` if it can be made now.
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

    /// What an application becomes of which not all arguments are done.
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

    /// Whether a term must be made anew even if nothing in it changes: it lives in an arena, and may do so elsewhere.
    fn copies(&self, term: TermId) -> bool {
        term.is_local() && !std::ptr::addr_eq(self.from, self.to)
    }
}

/// Calls the function once for each term that occurs in one of the given ones, arguments before what they are in.
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

/// Calls the function for each subterm that the memory does not know yet, arguments before what they are in, and not
/// below what it knows; the function makes it known.
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

/// Whether the part occurs in one of the terms.
pub fn occurs(
    pool: &(impl Pool + ?Sized),
    part: TermId,
    terms: impl IntoIterator<Item = TermId>,
) -> bool {
    let mut occurs = false;
    for_each_subterm(pool, terms, |term, _| occurs |= term == part);
    occurs
}

/// The variables in a term, each once, in the order of their first occurrence.
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
