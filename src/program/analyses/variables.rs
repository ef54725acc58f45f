//! The variables that terms and operations read and write.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::cfa::*;
use regatta_term::{Pool, Symbol, TermId, TermKind, store};

/// Finds the variables in terms of one program, and remembers them by term.
#[derive(Clone, Debug)]
pub struct VariableUse {
    by_symbol: FxHashMap<Symbol, VariableId>,
    /// The history variables of a variable: who reads the variable reads them, too, so that they are kept as long as they may
    /// matter.
    histories: FxHashMap<VariableId, SmallVec<[VariableId; 2]>>,
    /// The index in `lists` of a term's variables, by the term's number; zero if not computed yet. The terms of one
    /// program have numbers close to each other, so that few pages are needed, and a look-up is much faster than with
    /// hashing.
    pages: Vec<Option<Box<[u32; TERMS_PER_PAGE]>>>,
    /// For each term the number of its variables, followed by the variables.
    lists: Vec<VariableId>,
    stack: Vec<TermId>,
    seen: FxHashSet<TermId>,
}

/// Number of terms on a page.
const TERMS_PER_PAGE: usize = 1024;

/// Number of steps after which a search keeps a set of visited subterms; for small terms the set costs more than it saves.
const STEPS_WITHOUT_VISITED_SET: usize = 32;

impl VariableUse {
    /// Creates the index of the program's present variables.
    pub fn new(program: &Program) -> Self {
        let mut result = Self {
            by_symbol: FxHashMap::default(),
            histories: FxHashMap::default(),
            pages: Vec::new(),
            // Index zero means "not computed", so no list begins there.
            lists: vec![VariableId(0)],
            stack: Vec::new(),
            seen: FxHashSet::default(),
        };
        for (index, variable) in program.variables.iter().enumerate() {
            let id = VariableId(index as u32);
            result.add(variable.symbol, id);
            let mut role = variable.role;
            while let Role::History(of) = role {
                result.histories.entry(of).or_default().push(id);
                role = program.variable(of).role;
            }
        }
        result
    }

    /// Adds a variable that the program has received since.
    pub fn add(&mut self, symbol: Symbol, variable: VariableId) {
        self.by_symbol.insert(symbol, variable);
    }

    pub fn variable(&self, symbol: Symbol) -> Option<VariableId> {
        self.by_symbol.get(&symbol).copied()
    }

    /// The program's variables (instance 0) that occur in the term, and their history variables, each once.
    pub fn of(&mut self, term: TermId) -> &[VariableId] {
        let number = term.as_u32() as usize;
        let start = match self.pages.get(number / TERMS_PER_PAGE) {
            Some(Some(page)) => page[number % TERMS_PER_PAGE] as usize,
            _ => 0,
        };
        let start = if start > 0 { start } else { self.find(term) };
        let count = self.lists[start].index();
        &self.lists[start + 1..start + 1 + count]
    }

    fn find(&mut self, term: TermId) -> usize {
        let start = self.lists.len();
        self.lists.push(VariableId(0));
        self.stack.push(term);
        self.seen.clear();
        let mut steps = 0;
        while let Some(top) = self.stack.pop() {
            steps += 1;
            match store().kind(top) {
                TermKind::Constant(_) => {}
                TermKind::Variable {
                    symbol,
                    instance: 0,
                } => {
                    if let Some(variable) = self.variable(symbol)
                        && !self.lists[start + 1..].contains(&variable)
                    {
                        self.lists.push(variable);
                        for &history in self.histories.get(&variable).into_iter().flatten() {
                            if !self.lists[start + 1..].contains(&history) {
                                self.lists.push(history);
                            }
                        }
                    }
                }
                TermKind::Variable { .. } => {}
                TermKind::Apply { arguments, .. } => {
                    if steps < STEPS_WITHOUT_VISITED_SET || self.seen.insert(top) {
                        self.stack.extend_from_slice(arguments);
                    }
                }
            }
        }
        self.lists[start] = VariableId((self.lists.len() - start - 1) as u32);
        let number = term.as_u32() as usize;
        if self.pages.len() <= number / TERMS_PER_PAGE {
            self.pages.resize(number / TERMS_PER_PAGE + 1, None);
        }
        let page = self.pages[number / TERMS_PER_PAGE]
            .get_or_insert_with(|| Box::new([0; TERMS_PER_PAGE]));
        page[number % TERMS_PER_PAGE] = start as u32;
        start
    }
}

impl Operation {
    /// The terms that the operation evaluates.
    pub fn terms(&self) -> SmallVec<[TermId; 2]> {
        match self {
            Self::Assign { value, .. } => SmallVec::from_slice(&[*value]),
            Self::Assume(condition) => SmallVec::from_slice(&[*condition]),
            Self::Store { index, value, .. } => SmallVec::from_slice(&[*index, *value]),
            Self::Call { arguments, .. } => SmallVec::from_slice(arguments),
            Self::Allocate { address, size, .. } => SmallVec::from_slice(&[*address, *size]),
            Self::Free { address, .. } | Self::Claim(Claim::InvalidFree { address }) => {
                SmallVec::from_slice(&[*address])
            }
            Self::Claim(Claim::InvalidAccess { address, bytes }) => {
                SmallVec::from_slice(&[*address, *bytes])
            }
            Self::Havoc { .. }
            | Self::Claim(Claim::Lost | Claim::Allocated)
            | Self::Unsupported(_) => SmallVec::new(),
        }
    }

    /// Replaces each term that the operation evaluates.
    pub fn map_terms(&mut self, mut replace: impl FnMut(TermId) -> TermId) {
        match self {
            Self::Assign { value, .. } => *value = replace(*value),
            Self::Assume(condition) => *condition = replace(*condition),
            Self::Store { index, value, .. } => {
                *index = replace(*index);
                *value = replace(*value);
            }
            Self::Call { arguments, .. } => arguments
                .iter_mut()
                .for_each(|argument| *argument = replace(*argument)),
            Self::Allocate { address, size, .. } => {
                *address = replace(*address);
                *size = replace(*size);
            }
            Self::Free { address, .. } | Self::Claim(Claim::InvalidFree { address }) => {
                *address = replace(*address);
            }
            Self::Claim(Claim::InvalidAccess { address, bytes }) => {
                *address = replace(*address);
                *bytes = replace(*bytes);
            }
            Self::Havoc { .. }
            | Self::Claim(Claim::Lost | Claim::Allocated)
            | Self::Unsupported(_) => {}
        }
    }

    /// Replaces each variable that the operation writes; a region's stays, since accesses name the region.
    pub fn map_targets(&mut self, replace: impl Fn(VariableId) -> VariableId) {
        match self {
            Self::Assign { target, .. } | Self::Havoc { target, .. } => *target = replace(*target),
            Self::Call { results, .. } => results
                .iter_mut()
                .for_each(|result| *result = replace(*result)),
            Self::Assume(_)
            | Self::Store { .. }
            | Self::Allocate { .. }
            | Self::Free { .. }
            | Self::Claim(_)
            | Self::Unsupported(_) => {}
        }
    }

    /// The variables that the operation itself writes, wholly or (a region's, by [`Operation::Store`]) in part; for a
    /// call the results only, not the callee's effects.
    pub fn written<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = VariableId> + 'a {
        let (one, many): (Option<VariableId>, &[VariableId]) = match self {
            Self::Assign { target, .. } | Self::Havoc { target, .. } => (Some(*target), &[]),
            Self::Store { region, .. } => (Some(program.region(*region).variable), &[]),
            Self::Call { results, .. } => (None, results),
            Self::Assume(_)
            | Self::Allocate { .. }
            | Self::Free { .. }
            | Self::Claim(_)
            | Self::Unsupported(_) => (None, &[]),
        };
        one.into_iter().chain(many.iter().copied())
    }
}
