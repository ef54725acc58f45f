//! What analyses believe in and do not prove themselves, until the prover has time for it.
//!
//! Who offers a formula does not wait. The prover takes what several have offered first, then what is cheap. What it
//! cannot prove stays for a while: together with what is offered later it may be inductive.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Candidate, Publisher};
use crate::certify::certificate::quantified;
use crate::term::{Op, Pool, TermId, TermKind, for_each_subterm, store};

/// So often a formula is tried.
const TRIES: u32 = 4;

/// More formulas than this are not kept; those that have been tried most often and are dearest go.
const MOST: usize = 2_000;

/// Formulas that cost more are not taken.
const MOST_PRICE: u32 = 4_000;

/// The formulas.
#[derive(Debug, Default)]
pub struct Offers {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: FxHashMap<Candidate, Offer>,
    /// Those that are settled: proved, refuted or given up.
    settled: FxHashSet<Candidate>,
    /// Whether something has come since the last round.
    is_fresh: bool,
}

#[derive(Debug)]
struct Offer {
    /// Who came first.
    publisher: Publisher,
    /// How often it was offered.
    times: u32,
    /// How often it was tried.
    tries: u32,
    price: u32,
}

impl Offers {
    /// Somebody believes in the formulas.
    pub fn add(&self, publisher: &Publisher, candidates: impl IntoIterator<Item = Candidate>) {
        let mut state = self.state.lock();
        for candidate in candidates {
            if matches!(candidate.formula, TermId::TRUE | TermId::FALSE)
                || state.settled.contains(&candidate)
            {
                continue;
            }
            if let Some(offer) = state.open.get_mut(&candidate) {
                offer.times += u32::from(offer.publisher != *publisher);
                continue;
            }
            let price = price(candidate.formula);
            if price > MOST_PRICE {
                continue;
            }
            state.is_fresh = true;
            state.open.insert(
                candidate,
                Offer {
                    publisher: Publisher::clone(publisher),
                    times: 1,
                    tries: 0,
                    price,
                },
            );
        }
        state.make_room();
        if state.is_fresh {
            self.arrived.notify_one();
        }
    }

    /// Waits for something new, so long at most; says if there is something.
    pub fn wait(&self, most: Duration) -> bool {
        let mut state = self.state.lock();
        if !state.is_fresh {
            self.arrived.wait_for(&mut state, most);
        }
        state.is_fresh
    }

    /// The formulas to be tried next, with those who offered them; each has one try less from here on.
    pub fn next(&self, most: usize) -> Vec<(Candidate, Publisher)> {
        let mut state = self.state.lock();
        state.is_fresh = false;
        let order = state.order();
        state.is_fresh = order.len() > most;
        let chosen = order.into_iter().take(most).filter_map(|candidate| {
            let offer = state.open.get_mut(&candidate)?;
            offer.tries += 1;
            Some((candidate, Publisher::clone(&offer.publisher)))
        });
        chosen.collect()
    }

    /// The formulas may be offered again.
    pub fn reopen(&self, candidates: &[Candidate]) {
        let mut state = self.state.lock();
        for candidate in candidates {
            state.settled.remove(candidate);
        }
    }

    /// Those of the formulas that need not be tried again.
    pub fn settle(&self, candidates: &[Candidate]) {
        let mut state = self.state.lock();
        for candidate in candidates {
            state.open.remove(candidate);
            state.settled.insert(*candidate);
        }
        let tired: Vec<Candidate> = state
            .open
            .iter()
            .filter(|(_, offer)| offer.tries >= TRIES)
            .map(|(&candidate, _)| candidate)
            .collect();
        for candidate in tired {
            state.open.remove(&candidate);
            state.settled.insert(candidate);
        }
    }
}

impl State {
    /// What is open, what is to be tried next first.
    fn order(&self) -> Vec<Candidate> {
        let mut order: Vec<_> = self
            .open
            .iter()
            .map(|(candidate, offer)| {
                let key = (offer.tries, std::cmp::Reverse(offer.times), offer.price);
                (key, candidate.at, candidate.formula)
            })
            .collect();
        order.sort_unstable();
        order
            .into_iter()
            .map(|(_, at, formula)| Candidate { at, formula })
            .collect()
    }

    fn make_room(&mut self) {
        if self.open.len() <= MOST {
            return;
        }
        for candidate in self.order().split_off(MOST) {
            self.open.remove(&candidate);
        }
    }
}

/// What it may cost to prove the formula: its size, and more for products, quotients and cells.
fn price(formula: TermId) -> u32 {
    let mut price = 0;
    for_each_subterm(store(), [formula], |_, kind| {
        price += match kind {
            TermKind::Apply { op, arguments } => match op {
                Op::BvMul | Op::IntMul if arguments.iter().all(|&one| !is_constant(one)) => 40,
                Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => 40,
                Op::Select | Op::Store => 10,
                Op::Or => 4,
                _ => 1,
            },
            _ => 1,
        };
    });
    price + 20 * u32::from(quantified(formula).is_some())
}

fn is_constant(term: TermId) -> bool {
    store().is_constant(term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{CallStringId, InlinedLocation, LocationId};
    use crate::term::{Build, Sort, Symbol};

    fn candidate(formula: TermId) -> Candidate {
        Candidate {
            at: InlinedLocation {
                location: LocationId(1),
                call_string: CallStringId(0),
            },
            formula,
        }
    }

    fn variable(name: &str) -> TermId {
        store().variable(Symbol::new(name, Sort::BitVec(32)))
    }

    fn order(offers: &Offers, most: usize) -> Vec<Candidate> {
        let next = offers.next(most).into_iter();
        next.map(|(candidate, _)| candidate).collect()
    }

    #[test]
    fn what_several_offer_comes_first_and_then_what_is_cheap() {
        let pool = store();
        let (x, y) = (variable("offers::x"), variable("offers::y"));
        let cheap = candidate(pool.ult(x, y));
        let dear = candidate(pool.ult(pool.mul(x, y), y));
        let wanted = candidate(pool.ult(pool.udiv(x, y), pool.mul(x, x)));
        let offers = Offers::default();
        let [one, other] = ["one", "other"].map(Publisher::from);
        assert!(!offers.wait(Duration::ZERO));
        offers.add(&one, [dear, wanted, cheap, candidate(TermId::TRUE)]);
        offers.add(&other, [wanted]);
        assert!(offers.wait(Duration::ZERO));
        assert_eq!(order(&offers, 9), [wanted, cheap, dear]);
        assert!(!offers.wait(Duration::ZERO));
        // The same again is nothing new.
        offers.add(&one, [cheap]);
        assert!(!offers.wait(Duration::ZERO));
        // What has been tried waits for what has not.
        let other_way = candidate(pool.ult(y, x));
        offers.add(&other, [other_way]);
        assert_eq!(order(&offers, 1), [other_way]);
        assert!(offers.wait(Duration::ZERO), "others are left");
    }

    #[test]
    fn what_is_settled_or_was_tried_too_often_is_not_tried_again() {
        let pool = store();
        let mut all: Vec<Candidate> = (0..3)
            .map(|number| candidate(pool.ult(variable("offers::z"), pool.bv(32, 10 + number))))
            .collect();
        all.sort_unstable_by_key(|one| one.formula);
        let offers = Offers::default();
        let one = Publisher::from("one");
        offers.add(&one, all.clone());
        assert_eq!(order(&offers, 9).len(), 3);
        offers.settle(&all[..1]);
        for _ in 1..TRIES {
            assert_eq!(order(&offers, 9), all[1..]);
            offers.settle(&[]);
        }
        assert_eq!(order(&offers, 9), []);
        offers.add(&one, all);
        assert_eq!(order(&offers, 9), []);
    }
}
