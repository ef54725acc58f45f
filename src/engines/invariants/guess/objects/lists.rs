//! Candidates about lists of any length, under a check of memory.
//!
//! They do not say what is reachable, but what each object has to do with its neighbours, so that one variable for any object
//! is enough. For objects that exist: a link is null or leads to an object that exists; no other link of the same field leads
//! there, since the target's *holder*, where a pointer to it was written last ([`Role::History`]), is this one; no link leads to the
//! first object of a list. Hence no link leads to an object that a program takes out of a list and frees. Of lengths, each
//! object has one more than the object after it, and the objects that exist are as many as the lengths of all lists together.

use super::{Field, MAXIMUM_VARIABLES, Objects};
use regatta_program::Role;
use regatta_program::block::Blocks;
use regatta_term::{Build, Sort, TermId, store};

/// Maximum number of pointers of a location that may lead to lists.
const MAXIMUM_LISTS: usize = 6;

/// Arrays by the numbers of objects in which the program records something of its past.
#[derive(Default)]
pub(super) struct Histories {
    /// With the array of a link: by object, the index of the cell where a pointer to it was written last.
    holders: Vec<(TermId, TermId)>,
    /// By object, how many follow it in its list.
    lengths: Vec<TermId>,
    /// By object, how many precede it.
    positions: Vec<TermId>,
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
            let of = program.variable(of);
            match (Sort::from(index) == number, of.role) {
                (true, Role::Region(_)) => {
                    histories.holders.push((store().variable(of.symbol), term));
                }
                (true, Role::History(_)) => histories.positions.push(term),
                (true, _) => histories.lengths.push(term),
                (false, _) => {}
            }
        }
        histories
    }

    /// Checks whether the array is one of them.
    pub(super) fn contains(&self, array: TermId) -> bool {
        let holders = self.holders.iter().map(|&(_, holders)| holders);
        let others = self.lengths.iter().chain(&self.positions).copied();
        holders.chain(others).any(|one| one == array)
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
            all.push(t.or([unless, is_null, exists]));
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

    /// Adds candidates about lengths of lists whose links were written from the last object to the first, and that they add up
    /// to the number of objects.
    pub(super) fn lengths(&self, counts: &[TermId], pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        let pointers = self.heads(pointers, MAXIMUM_VARIABLES);
        let (zero, one) = (self.number(0), self.number(1));
        for &lengths in &self.histories.lengths {
            all.extend(self.about_neighbours(|own, cell| {
                let next = t.add(self.of(lengths, cell), one);
                t.eq(t.select(lengths, own), t.ite(self.is_null(cell), one, next))
            }));
            let length = |pointer| t.ite(self.is_null(pointer), zero, self.of(lengths, pointer));
            for &count in counts {
                for (place, &first) in pointers.iter().enumerate() {
                    let of_first = length(first);
                    all.push(t.eq(count, of_first));
                    for &second in &pointers[place + 1..] {
                        all.push(t.eq(count, t.add(of_first, length(second))));
                    }
                }
            }
        }
        self.emptiness(counts, &pointers, all);
    }

    /// Adds candidates about positions in lists whose links were written from the first object to the last, and that those of
    /// the first and the last one tell the number of objects.
    pub(super) fn positions(&self, counts: &[TermId], pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        let pointers = self.heads(pointers, MAXIMUM_VARIABLES);
        let one = self.number(1);
        for &positions in &self.histories.positions {
            let position = |object| t.add(t.select(positions, object), one);
            all.extend(self.about_neighbours(|own, cell| {
                t.or2(
                    self.is_null(cell),
                    t.eq(self.of(positions, cell), position(own)),
                )
            }));
            for &head in &pointers {
                let (is_empty, first) = (self.is_null(head), self.of(positions, head));
                for &count in counts {
                    all.extend(self.about_neighbours(|own, cell| {
                        let counted = t.eq(t.add(count, first), position(own));
                        t.or([is_empty, t.not(self.is_null(cell)), counted])
                    }));
                }
                all.extend(self.about_neighbours(|_, cell| {
                    t.or2(t.not(self.is_null(cell)), t.eq(self.address, head))
                }));
            }
        }
        self.emptiness(counts, &pointers, all);
    }

    /// Returns that each object that exists, by its number and the pointer in its link, satisfies the claim.
    fn about_neighbours<'o>(
        &'o self,
        claim: impl Fn(TermId, TermId) -> TermId + 'o,
    ) -> impl Iterator<Item = TermId> + 'o {
        let cells = self.links.iter().map(|&link| self.cell(link));
        cells.flat_map(move |cell| {
            let claimed = claim(self.any, cell);
            let sizes = self.records.iter().map(|&(sizes, _)| sizes);
            sizes.map(move |sizes| {
                let size = store().select(sizes, self.any);
                store().or2(store().eq(size, self.number(0)), claimed)
            })
        })
    }

    /// Adds candidates that no object exists where a list is empty, and only there.
    fn emptiness(&self, counts: &[TermId], pointers: &[TermId], all: &mut Vec<TermId>) {
        let t = store();
        for &pointer in pointers {
            let is_null = self.is_null(pointer);
            for &count in counts {
                let none = t.eq(count, self.number(0));
                all.extend([t.or2(is_null, t.not(none)), t.or2(t.not(is_null), none)]);
            }
            for (sizes, _) in &self.records {
                let size = t.select(*sizes, self.any);
                all.push(t.or2(t.not(is_null), t.eq(size, self.number(0))));
            }
        }
    }

    /// Returns the element of an array by numbers of objects for the object at an address.
    fn of(&self, array: TermId, address: TermId) -> TermId {
        store().select(array, self.number_of(address))
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
