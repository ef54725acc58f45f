//! Names of variables, interned for the whole process.

use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use crate::Sort;
use crate::storage::append_only::AppendOnly;

/// A variable's name and sort, interned: two symbols are equal if both are. They live as long as the process.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

struct Symbols {
    by_name: RwLock<FxHashMap<(&'static str, Sort), Symbol>>,
    all: AppendOnly<(&'static str, Sort)>,
}

static SYMBOLS: LazyLock<Symbols> = LazyLock::new(|| Symbols {
    by_name: RwLock::default(),
    all: AppendOnly::new(),
});

impl Symbol {
    /// The symbol of the name and the sort.
    pub fn new(name: &str, sort: Sort) -> Self {
        if let Some(&symbol) = SYMBOLS.by_name.read().get(&(name, sort)) {
            return symbol;
        }
        SYMBOLS.insert(name, sort).0
    }

    /// A symbol that did not exist before; its name is the prefix, `!`, and a number.
    pub fn fresh(prefix: &str, sort: Sort) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = format!("{prefix}!{}", NEXT.fetch_add(1, Ordering::Relaxed));
            if let (symbol, true) = SYMBOLS.insert(&name, sort) {
                return symbol;
            }
        }
    }

    pub fn name(self) -> &'static str {
        self.get().0
    }

    /// The sort of the variable's values.
    pub fn sort(self) -> Sort {
        self.get().1
    }

    /// A small number that no other symbol has.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn get(self) -> &'static (&'static str, Sort) {
        // SAFETY: a symbol is made only of an index that `push` has returned.
        unsafe { SYMBOLS.all.get_unchecked(self.0) }
    }
}

impl Symbols {
    /// The symbol, and whether it is new.
    fn insert(&self, name: &str, sort: Sort) -> (Symbol, bool) {
        let mut by_name = self.by_name.write();
        if let Some(&symbol) = by_name.get(&(name, sort)) {
            return (symbol, false);
        }
        let name: &'static str = Box::leak(name.into());
        // SAFETY: under the lock.
        let symbol = Symbol(unsafe { self.all.push((name, sort)) });
        by_name.insert((name, sort), symbol);
        (symbol, true)
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.sort())
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_name_and_sort() {
        let x = Symbol::new("symbol test x", Sort::Int);
        assert_eq!(x, Symbol::new("symbol test x", Sort::Int));
        assert_ne!(x, Symbol::new("symbol test x", Sort::Bool));
        assert_eq!((x.name(), x.sort()), ("symbol test x", Sort::Int));
        assert_ne!(Symbol::fresh("f", Sort::Int), Symbol::fresh("f", Sort::Int));
    }
}
