use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::*;
use regatta_term::{Evaluator, Symbol, Value, occurs};

const WIDTH: u8 = 4;

/// Terms over two variables of four bits, built by operators that have linear forms and by some that have none.
struct Terms<'t> {
    arena: &'t Arena,
    random: Xoshiro256PlusPlus,
    all: Vec<TermId>,
}

impl Terms<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.next_u64() % limit
    }

    fn any(&mut self) -> TermId {
        // The last ones more often than the first.
        let count = self.all.len() as u64;
        let back = self.below(count).min(self.below(count));
        self.all[(count - 1 - back) as usize]
    }

    /// A term of the width.
    fn of_width(&mut self, width: u8) -> TermId {
        let term = self.any();
        let own = self.arena.width(term);
        match own.cmp(&width) {
            std::cmp::Ordering::Less if self.below(2) == 0 => self.arena.sign_extend(term, width),
            std::cmp::Ordering::Less => self.arena.zero_extend(term, width),
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => {
                let low = self.below(u64::from(own - width) + 1) as u8;
                self.arena.extract(term, low + width - 1, low)
            }
        }
    }

    fn constant(&mut self, width: u8) -> TermId {
        let number = self.random.next_u64();
        self.arena.bv(width, number.into())
    }

    fn condition(&mut self) -> TermId {
        let bit = self.of_width(1);
        match self.below(4) {
            0 => {
                let (a, b) = (self.of_width(WIDTH), self.of_width(WIDTH));
                self.arena.eq(a, b)
            }
            1 => {
                let a = self.of_width(WIDTH);
                self.arena.slt(a, self.arena.bv(WIDTH, 0))
            }
            _ => self.arena.eq(bit, self.arena.bv(1, 1)),
        }
    }

    fn add(&mut self) {
        let width = [1, 3, WIDTH, 7, 9][self.below(5) as usize];
        let (a, b) = (self.of_width(width), self.of_width(width));
        let constant = self.constant(width);
        let t = self.arena;
        let term = match self.below(14) {
            0 => t.bvxor(a, b),
            1 => t.bvxor(a, constant),
            2 => t.bvand(a, constant),
            3 => t.bvand(a, b),
            4 => t.bvor(a, b),
            5 => t.bvnot(a),
            6 => t.neg(a),
            7 | 8 => t.add(a, b),
            9 => t.mul(a, constant),
            10 => t.concat(a, b),
            11 => t.ite(self.condition(), a, b),
            12 => {
                let changed = t.bvxor(a, constant);
                t.ite(self.condition(), changed, a)
            }
            _ => {
                let increased = t.add(a, constant);
                t.ite(self.condition(), increased, a)
            }
        };
        if t.width(term) <= 24 {
            self.all.push(term);
        }
    }
}

/// What replaces a term has its value under all assignments.
#[test]
fn replacements_are_equal() {
    let symbol = Symbol::new("linear bits x", Sort::BitVec(WIDTH));
    let mut replaced = 0;
    for seed in 0..100 {
        let arena = Arena::new();
        let variables = [1, 2].map(|number| arena.variable_at(symbol, number));
        let mut terms = Terms {
            arena: &arena,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            all: variables.to_vec(),
        };
        for _ in 0..60 {
            terms.add();
        }
        let mut all = terms.all;
        // The denied equation of a single bit is an equation, and would be a definition.
        all.retain(|&term| arena.width(term) > 1);
        let targets = |term| arena.variable(Symbol::new("linear bits y", arena.sort(term)));
        let conditions: Vec<TermId> = all
            .iter()
            .map(|&term| arena.not(arena.eq(targets(term), term)))
            .collect();
        let Some(merged) = merged(&arena, &conditions) else {
            continue;
        };
        let changed = conditions.iter().zip(&merged);
        let changed: Vec<(TermId, TermId)> = changed
            .map(|(&before, &after)| (before, after))
            .filter(|(before, after)| before != after)
            .collect();
        replaced += changed.len();
        for number in (0..256).step_by(5) {
            let assignment = |of: Symbol, instance| {
                let bits = match instance {
                    1 => number & 15,
                    2 => number >> 4,
                    _ => number * 37,
                };
                Some(Value::of_integer(bits, of.sort()))
            };
            let mut evaluator = Evaluator::new(&arena, &assignment);
            for &(before, after) in &changed {
                let [before, after] = [before, after].map(|term| evaluator.evaluate(term));
                assert_eq!(before, after, "seed {seed}, assignment {number}");
            }
        }
    }
    assert!(replaced > 50, "{replaced}");
}

fn variable(arena: &Arena, width: u8) -> TermId {
    arena.variable_at(Symbol::new("linear bits word", Sort::BitVec(width)), 1)
}

#[test]
fn a_checksum_by_bits_is_one_by_a_table() {
    let t = &Arena::new();
    let x = variable(t, 16);
    let step = |c| {
        let shifted = t.lshr(c, t.bv(16, 1));
        let is_odd = t.eq(t.extract(c, 0, 0), t.bv(1, 1));
        t.ite(is_odd, t.bvxor(shifted, t.bv(16, 0xa001)), shifted)
    };
    let by_bits = (0..8).fold(x, |c, _| step(c));
    let table: Vec<u16> = (0..256_u16)
        .map(|index| (0..8).fold(index, |c, _| c >> 1 ^ if c & 1 == 1 { 0xa001 } else { 0 }))
        .collect();
    fn tree(t: &Arena, index: TermId, table: &[u16]) -> TermId {
        if let &[element] = table {
            return t.bv(16, element.into());
        }
        let (without, with) = table.split_at(table.len() / 2);
        let bit = with.len().trailing_zeros() as u8;
        let is_set = t.eq(t.extract(index, bit, bit), t.bv(1, 1));
        t.ite(is_set, tree(t, index, with), tree(t, index, without))
    }
    let by_table = t.bvxor(tree(t, x, &table), t.lshr(x, t.bv(16, 8)));
    let differ = t.ne(by_bits, by_table);
    assert_ne!(differ, TermId::FALSE);
    assert_eq!(merged(t, &[differ]), Some(vec![TermId::FALSE]));
    let wrong = t.ne(by_bits, t.bvxor(by_table, t.bv(16, 2)));
    assert_eq!(merged(t, &[wrong]), Some(vec![TermId::TRUE]));
}

#[test]
fn numbers_of_ones_by_masks_are_sums_of_bits() {
    let t = &Arena::new();
    let x = variable(t, 32);
    let word = |number| t.bv(32, number);
    let masked = |x, shift, mask| t.bvand(t.lshr(x, word(shift)), word(mask));
    let bits = (0..32).map(|place| t.zero_extend(t.extract(x, place, place), 32));
    let by_bits = bits.reduce(|sum, bit| t.add(sum, bit)).unwrap();
    let pairs = t.sub(x, masked(x, 1, 0x5555_5555));
    let fours = t.add(masked(pairs, 0, 0x3333_3333), masked(pairs, 2, 0x3333_3333));
    let bytes = masked(t.add(fours, t.lshr(fours, word(4))), 0, 0x0f0f_0f0f);
    let by_masks = t.lshr(t.mul(bytes, word(0x0101_0101)), word(24));
    let differ = t.ne(by_bits, by_masks);
    assert_ne!(differ, TermId::FALSE);
    assert_eq!(merged(t, &[differ]), Some(vec![TermId::FALSE]));
}

/// The equations that define variables are kept, and tell the forms of the variables.
#[test]
fn definitions_are_looked_through() {
    let t = &Arena::new();
    let x = variable(t, 8);
    let name = |number| t.variable_at(Symbol::new("linear bits name", Sort::BitVec(8)), number);
    let masked = |x, shift, mask| t.bvand(t.lshr(x, t.bv(8, shift)), t.bv(8, mask));
    let bits = (0..8).map(|place| t.zero_extend(t.extract(x, place, place), 8));
    let by_bits = bits.reduce(|sum, bit| t.add(sum, bit)).unwrap();
    let pairs = t.eq(name(1), t.sub(x, masked(x, 1, 0x55)));
    let fours = t.add(masked(name(1), 0, 0x33), masked(name(1), 2, 0x33));
    let fours = t.eq(name(2), fours);
    let by_masks = masked(t.add(name(2), masked(name(2), 4, 15)), 0, 15);
    let differ = t.ne(by_bits, by_masks);
    let results = merged(t, &[pairs, fours, differ]).expect("equal terms");
    assert_eq!((results[0], results[2]), (pairs, TermId::FALSE));
    assert!(occurs(t, name(2), [results[1]]) && !occurs(t, name(1), [results[1]]));
    // Two variables that define each other.
    let [a, b] = [3, 4].map(name);
    let cycle = [t.eq(a, t.bvor(b, x)), t.eq(b, t.bvor(a, x)), differ];
    assert_eq!(merged(t, &cycle), None);
}
