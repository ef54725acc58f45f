//! Candidates about lists of any length, under a check of memory.
//!
//! They do not say what is reachable, but what each object has to do with its neighbours, so that one variable for any object
//! is enough. For objects that exist: a link is null or leads to an object that exists; no other link of the same field leads
//! there, since the target's *holder*, where a pointer to it was written last ([`Role::History`]), is this one; no link leads to the
//! first object of a list. Hence no link leads to an object that a program takes out of a list and frees.
//!
//! That no object is lost follows from that for one that may be any, the *watched* one ([`InputKind::Watched`](regatta_program::InputKind::Watched)): it is behind a
//! pointer as long as it exists. For each link, the program records which objects are before it and which are behind it. An
//! object before it has a next one that is before it too, or is it; so has one that is not behind it, in a list that grows at
//! its end. Both orders are local: no formula speaks of numbers of objects or of what is reachable.

use super::{Field, Objects};
use regatta_program::Role;
use regatta_program::block::Blocks;
use regatta_term::{Build, Pool, Sort, TermId, store};

/// Maximum number of pointers of a location that may lead to lists.
const MAXIMUM_LISTS: usize = 6;

/// Arrays by the numbers of objects in which the program records something of its past.
#[derive(Default)]
pub(super) struct Histories {
    /// With the array of a link: by object, the index of the cell where a pointer to it was written last.
    holders: Vec<(TermId, TermId)>,
    /// With the array of a link: by object, whether it was before the watched one when that was written last.
    before: Vec<(TermId, TermId)>,
    /// With the array of a link: by object, whether it was behind the watched one.
    after: Vec<(TermId, TermId)>,
}

impl Histories {
    /// Returns those for objects whose numbers have the sort.
    pub(super) fn new(blocks: &Blocks, number: Sort) -> Self {
        let program = blocks.inlined().program();
        let mut histories = Self::default();
        for variable in &program.variables {
            let (Role::History(of), Sort::Array { index, .. }) = (variable.role, variable.sort)
            else {
                continue;
            };
            let term = store().variable(variable.symbol);
            let mut of = program.variable(of);
            let mut depth = 0;
            while let Role::History(earlier) = of.role {
                of = program.variable(earlier);
                depth += 1;
            }
            let known = match depth {
                0 => &mut histories.holders,
                1 => &mut histories.before,
                _ => &mut histories.after,
            };
            if Sort::from(index) == number && matches!(of.role, Role::Region(_)) {
                known.push((store().variable(of.symbol), term));
            }
        }
        histories
    }

    /// Checks whether the array is one of them.
    pub(super) fn contains(&self, array: TermId) -> bool {
        let mut all = [&self.holders, &self.before, &self.after]
            .into_iter()
            .flatten();
        all.any(|&(_, one)| one == array)
    }
}

impl Objects {
    /// Adds candidates about what the links of the objects that exist lead to.
    pub(super) fn lists(&self, pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        let pointers = self.heads(pointers, MAXIMUM_LISTS);
        all.extend(self.next_is_a_slot());
        for (sizes, constants) in &self.records {
            let size = t.select(*sizes, self.any);
            let ways = constants.iter().map(|&constant| t.eq(size, constant));
            let none = t.eq(size, self.number(0));
            all.push(t.or(ways.chain([none]).collect::<Vec<_>>()));
            all.push(t.implies(t.not(none), self.in_range(TermId::TRUE, self.next)));
            all.push(t.or2(none, self.is_made(self.any)));
        }
        for &pointer in &pointers {
            let is_null = self.is_null(pointer);
            for (sizes, _) in &self.records {
                let exists = self.exists_at(*sizes, pointer);
                all.extend([t.or2(is_null, exists), exists]);
            }
            for &other in &pointers {
                if other < pointer {
                    let differs = t.ne(other, pointer);
                    all.extend([differs, t.or2(is_null, differs)]);
                }
            }
        }
        self.about_links(TermId::FALSE, &pointers, all);
        self.neighbours(&pointers, all);
    }

    /// Adds candidates about all links but those of one object, which may lead to one that is gone, as in a circular list.
    pub(super) fn lists_with_exceptions(&self, pointers: &[TermId], all: &mut Vec<TermId>) {
        let pointers = self.heads(pointers, MAXIMUM_LISTS);
        for &exception in &pointers {
            self.about_links(store().eq(self.address, exception), &pointers, all);
        }
    }

    /// Adds candidates about the links of any object that exists, unless the condition holds of it.
    fn about_links(&self, exception: TermId, pointers: &[TermId], all: &mut Vec<TermId>) {
        for (sizes, _) in &self.records {
            let size = store().select(*sizes, self.any);
            let unless = store().or2(store().eq(size, self.number(0)), exception);
            for &link in &self.links {
                self.about_link(link, unless, pointers, all);
            }
        }
    }

    /// Adds candidates about a link of any object, unless the condition holds of it.
    fn about_link(&self, link: Field, unless: TermId, pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        let cell = self.cell(link);
        let is_null = self.is_null(cell);
        for (sizes, _) in &self.records {
            let exists = self.exists_at(*sizes, cell);
            // In a circular list, none is null.
            all.extend([t.or([unless, is_null, exists]), t.or2(unless, exists)]);
        }
        // Of objects that are put before others, each has a higher address than the next.
        all.push(t.or([unless, is_null, t.ult(cell, self.address)]));
        for &(array, holders) in &self.histories.holders {
            if array == link.array {
                let holder = t.select(holders, self.number_of(cell));
                let is_held = t.eq(holder, self.index(link));
                all.push(t.or([unless, is_null, is_held]));
            }
        }
        for &pointer in pointers {
            // So do those up to a pointer, while the links are turned behind it.
            let is_beyond = t.ult(pointer, self.address);
            all.push(t.or([unless, is_null, is_beyond, t.ult(cell, self.address)]));
            let differs = t.ne(cell, pointer);
            all.push(t.or([unless, self.is_null(pointer), differs]));
        }
    }

    /// Adds candidates about which pointer is behind which.
    fn neighbours(&self, pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        for &link in &self.links {
            for &before in pointers {
                let is_null = self.is_null(before);
                let Some(cell) = self.cell_at(link, before) else {
                    continue;
                };
                all.push(t.or2(is_null, self.is_null(cell)));
                for &after in pointers.iter().filter(|&&after| after != before) {
                    let follows = t.eq(cell, after);
                    all.push(t.or2(is_null, follows));
                    let heads = pointers
                        .iter()
                        .filter(|&&one| one != before && one != after);
                    all.extend(heads.map(|&head| t.ite(is_null, t.eq(head, after), follows)));
                }
            }
        }
    }

    /// Adds candidates that the watched object of a list exists only where one of the pointers leads to it or to an object before
    /// it, so that it does not exist where these are null.
    pub(super) fn watched(&self, pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        let pointers = self.heads(pointers, MAXIMUM_LISTS);
        for &(sizes, watched) in &self.watches {
            if t.sort(watched) != t.sort(self.any) {
                continue;
            }
            let is_gone = t.eq(t.select(sizes, watched), self.number(0));
            let none = t.eq(t.select(sizes, self.any), self.number(0));
            let is_watched = t.eq(self.any, watched);
            let unless = t.or([is_gone, none, is_watched]);
            let null = t.bv(self.arena.width - self.arena.bits, 0);
            let are_made = t.and2(self.is_made(self.any), self.is_made(watched));
            for &(array, before) in &self.histories.before {
                let is_before = |number| t.select(before, number);
                all.push(is_before(watched));
                // No object has the number of null, which may be the watched one all the same.
                let is_none = t.eq(watched, null);
                all.push(t.or2(is_none, t.not(is_before(null))));
                all.push(t.or([is_none, are_made, is_watched, t.not(is_before(self.any))]));
                for &link in self.links.iter().filter(|link| link.array == array) {
                    let next = self.number_of(self.cell(link));
                    let open = t.or2(unless, t.not(is_before(self.any)));
                    all.push(t.or2(open, is_before(next)));
                }
                let leads = |pointer| is_before(self.number_of(pointer));
                all.extend(at_one(is_gone, &pointers, &leads));
                let is_next = t.eq(self.number_of(self.next), watched);
                if self.conditions.contains(&is_next) {
                    let excluded = t.or([is_none, is_watched, t.not(is_before(self.any))]);
                    all.push(t.or2(excluded, self.is_made(self.any)));
                    let excluded = t.or2(excluded, self.is_made(watched));
                    all.push(t.or2(excluded, is_next));
                    self.walked(array, [none, excluded, is_next], &leads, &pointers, all);
                }
            }
        }
    }

    /// Adds candidates about walks over links of the array to where the watched object will be put: those on the way are
    /// recorded as being before it if it is the next one that is made. Given are that an object does not exist, that it is not
    /// recorded or the watched one is made, that this is the next one, and whether the object at a pointer is recorded.
    fn walked(
        &self,
        array: TermId,
        [none, excluded, is_next]: [TermId; 3],
        leads: &impl Fn(TermId) -> TermId,
        pointers: &[TermId],
        all: &mut Vec<TermId>,
    ) {
        let t = store();
        for &last in pointers {
            let is_last = t.eq(self.address, last);
            for &link in self.links.iter().filter(|link| link.array == array) {
                let goes_on = leads(self.cell(link));
                all.push(t.or([excluded, none, is_last, goes_on]));
            }
            let is_null = self.is_null(last);
            all.push(t.or2(excluded, t.not(is_null)));
            let first = pointers.iter();
            all.extend(first.map(|&first| t.or([t.not(is_next), is_null, leads(first)])));
        }
    }

    /// The same of a list that grows at its end: one of the pointers leads to an object that is not behind the watched one.
    pub(super) fn behind(&self, pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        let pointers = self.heads(pointers, MAXIMUM_LISTS);
        for &(sizes, watched) in &self.watches {
            if t.sort(watched) != t.sort(self.any) {
                continue;
            }
            let is_gone = t.eq(t.select(sizes, watched), self.number(0));
            let none = t.eq(t.select(sizes, self.any), self.number(0));
            let is_watched = t.eq(self.any, watched);
            let unless = t.or([is_gone, none, is_watched]);
            let null = t.bv(self.arena.width - self.arena.bits, 0);
            let are_made = t.and2(self.is_made(self.any), self.is_made(watched));
            for &(array, after) in &self.histories.after {
                let is_after = |number| t.select(after, number);
                let is_null = t.eq(self.any, null);
                all.push(t.or([are_made, is_null, t.not(is_after(self.any))]));
                all.push(t.or2(is_gone, t.not(is_after(watched))));
                for &link in self.links.iter().filter(|link| link.array == array) {
                    let cell = self.cell(link);
                    let next = self.number_of(cell);
                    let open = t.or2(unless, is_after(self.any));
                    all.push(t.or2(open, t.not(self.is_null(cell))));
                    all.push(t.or([open, self.is_null(cell), t.not(is_after(next))]));
                    // Before an object is put at the end of a list, all others have one behind them.
                    for &last in &pointers {
                        all.push(t.or2(t.not(self.is_null(last)), none));
                        let is_last = t.eq(self.address, last);
                        all.push(t.or([none, is_last, t.not(self.is_null(cell))]));
                    }
                }
                let leads = |pointer| {
                    let is_after = is_after(self.number_of(pointer));
                    t.not(t.or2(self.is_null(pointer), is_after))
                };
                all.extend(at_one(is_gone, &pointers, &leads));
            }
        }
    }

    /// Adds candidates that the watched object of a circular list exists only in front of a pointer up to where another one
    /// leads, or is there.
    pub(super) fn watched_in_circles(&self, pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        let pointers = self.heads(pointers, MAXIMUM_LISTS);
        for &(sizes, watched) in &self.watches {
            if t.sort(watched) != t.sort(self.any) {
                continue;
            }
            let is_gone = t.eq(t.select(sizes, watched), self.number(0));
            let none = t.eq(t.select(sizes, self.any), self.number(0));
            for &(array, before) in &self.histories.before {
                let is_before = |pointer| t.select(before, self.number_of(pointer));
                for &end in &pointers {
                    let is_at_end = t.eq(watched, self.number_of(end));
                    for &link in self.links.iter().filter(|link| link.array == array) {
                        let cell = self.cell(link);
                        let leads = t.ite(t.eq(cell, end), is_at_end, is_before(cell));
                        let unless = t.not(is_before(self.address));
                        let is_watched = t.eq(self.any, watched);
                        all.push(t.or([is_gone, none, is_watched, unless, leads]));
                    }
                    for &pointer in pointers.iter().filter(|&&pointer| pointer != end) {
                        let leads = t.and2(t.ne(pointer, end), is_before(pointer));
                        all.push(t.or([is_gone, is_at_end, leads]));
                    }
                }
            }
        }
    }

    /// The condition that an object with the number was made.
    fn is_made(&self, number: TermId) -> TermId {
        let t = store();
        let null = t.bv(self.arena.width - self.arena.bits, 0);
        let address = t.concat(number, t.bv(self.arena.bits, 0));
        t.and2(t.ne(number, null), t.ult(address, self.next))
    }

    /// Those of the pointers that may lead to lists.
    fn heads(&self, pointers: &[TermId], most: usize) -> Vec<TermId> {
        let others = pointers.iter().copied().filter(|&one| one != self.next);
        others.take(most).collect()
    }

    /// The number of the object at an address.
    fn number_of(&self, address: TermId) -> TermId {
        store().extract(address, self.arena.width - 1, self.arena.bits)
    }

    /// The condition that an object exists that begins at the address, by the array of sizes.
    fn exists_at(&self, sizes: TermId, address: TermId) -> TermId {
        let t = store();
        let size = t.select(sizes, self.number_of(address));
        t.and2(self.begins_slot(address), t.ne(size, self.number(0)))
    }
}

/// Returns that one of the pointers leads to the watched object, unless it is gone: any of them, or one of any two.
fn at_one(is_gone: TermId, pointers: &[TermId], leads: &impl Fn(TermId) -> TermId) -> Vec<TermId> {
    let t = store();
    let mut all = Vec::new();
    for (place, &first) in pointers.iter().enumerate() {
        let at_first = t.or2(is_gone, leads(first));
        all.push(at_first);
        let others = pointers[place + 1..].iter();
        all.extend(others.map(|&second| t.or2(at_first, leads(second))));
    }
    all
}
