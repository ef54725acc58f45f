//! Candidates that engines offer to the prover instead of proving them themselves.
//!
//! Offering does not block, and wakes the prover, as new invariants do. The prover tries candidates that several engines have
//! offered first, then cheap ones. A candidate that is not proved stays for a while, since it may be inductive together with later
//! ones.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Candidate, Publisher};
use regatta_certify::certificate::quantified;
use regatta_solver::Interrupt;
use regatta_term::{Op, Pool, TermId, TermKind, for_each_subterm, store};

/// Maximum number of times that a candidate is tried.
const MAXIMUM_TRIES: u32 = 4;

/// Maximum number of candidates that are kept; beyond it, those with most tries and highest cost are dropped.
const MAXIMUM_CANDIDATES: usize = 2_000;

/// Maximum cost of a candidate; others are not taken.
const MAXIMUM_COST: u32 = 4_000;

/// The candidates on offer.
#[derive(Debug, Default)]
pub struct Offers {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: FxHashMap<Candidate, Offer>,
    /// Candidates that are settled: proved, refuted or given up.
    settled: FxHashSet<Candidate>,
    /// Whether there are new candidates since the last round.
    is_fresh: bool,
    /// Whether the proved invariants have changed since the prover waited last.
    has_changed: bool,
    /// Whether no engine is left that may offer more.
    is_closed: bool,
    /// Whether the prover is to stop.
    is_stopped: bool,
}

#[derive(Debug)]
struct Offer {
    /// The first engine to offer it.
    publisher: Publisher,
    /// The number of times that it was offered.
    times: u32,
    /// The number of times that it was tried.
    tries: u32,
    cost: u32,
}

impl Offers {
    /// Adds candidates of an engine.
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
            let cost = cost(candidate.formula);
            if cost > MAXIMUM_COST {
                continue;
            }
            state.is_fresh = true;
            state.open.insert(
                candidate,
                Offer {
                    publisher: Publisher::clone(publisher),
                    times: 1,
                    tries: 0,
                    cost,
                },
            );
        }
        state.make_room();
        if state.is_fresh {
            self.arrived.notify_one();
        }
    }

    /// Tells the prover that no engine is left that may offer more.
    pub fn close(&self) {
        self.state.lock().is_closed = true;
        self.arrived.notify_one();
    }

    /// Whether no engine is left that may offer more.
    pub fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    /// Tells the prover that the proved invariants have changed.
    pub fn tell_change(&self) {
        self.state.lock().has_changed = true;
        self.arrived.notify_one();
    }

    /// Waits for new candidates, or until the proved invariants have changed since the last call, up to the time, unless none may
    /// come or the prover is to stop; returns whether there are new candidates.
    pub fn wait(&self, most: Duration) -> bool {
        let mut state = self.state.lock();
        if !(state.is_fresh || state.has_changed || state.is_closed || state.is_stopped) {
            self.arrived.wait_for(&mut state, most);
        }
        state.has_changed = false;
        state.is_fresh
    }

    /// Returns the candidates to be tried next, with the engines that offered them, and counts one try of each.
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

    /// Lets settled candidates be offered again.
    pub fn reopen(&self, candidates: &[Candidate]) {
        let mut state = self.state.lock();
        for candidate in candidates {
            state.settled.remove(candidate);
        }
    }

    /// Settles the candidates, and those that have been tried often enough.
    pub fn settle(&self, candidates: &[Candidate]) {
        let mut state = self.state.lock();
        for candidate in candidates {
            state.open.remove(candidate);
            state.settled.insert(*candidate);
        }
        let exhausted: Vec<Candidate> = state
            .open
            .iter()
            .filter(|(_, offer)| offer.tries >= MAXIMUM_TRIES)
            .map(|(&candidate, _)| candidate)
            .collect();
        for candidate in exhausted {
            state.open.remove(&candidate);
            state.settled.insert(candidate);
        }
    }
}

/// The prover does not wait any more.
impl Interrupt for Offers {
    fn interrupt(&self) {
        self.state.lock().is_stopped = true;
        self.arrived.notify_one();
    }
}

impl State {
    /// Returns the open candidates in the order in which they are to be tried.
    fn order(&self) -> Vec<Candidate> {
        let mut order: Vec<_> = self
            .open
            .iter()
            .map(|(candidate, offer)| {
                let key = (offer.tries, std::cmp::Reverse(offer.times), offer.cost);
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
        if self.open.len() <= MAXIMUM_CANDIDATES {
            return;
        }
        for candidate in self.order().split_off(MAXIMUM_CANDIDATES) {
            self.open.remove(&candidate);
        }
    }
}

/// Estimates the cost of proving a formula: its size, and more for products, quotients and cells.
fn cost(formula: TermId) -> u32 {
    let mut cost = 0;
    for_each_subterm(store(), [formula], |_, kind| {
        cost += match kind {
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
    cost + 20 * u32::from(quantified(formula).is_some())
}

fn is_constant(term: TermId) -> bool {
    store().is_constant(term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_program::{CallStringId, InlinedLocation, LocationId};
    use regatta_term::{Build, Sort, Symbol};

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
    fn candidates_of_several_engines_come_first_and_then_cheap_ones() {
        let pool = store();
        let (x, y) = (variable("offers::x"), variable("offers::y"));
        let cheap = candidate(pool.ult(x, y));
        let costly = candidate(pool.ult(pool.mul(x, y), y));
        let wanted = candidate(pool.ult(pool.udiv(x, y), pool.mul(x, x)));
        let offers = Offers::default();
        let [one, other] = ["one", "other"].map(Publisher::from);
        assert!(!offers.wait(Duration::ZERO));
        offers.add(&one, [costly, wanted, cheap, candidate(TermId::TRUE)]);
        offers.add(&other, [wanted]);
        assert!(offers.wait(Duration::ZERO));
        assert_eq!(order(&offers, 9), [wanted, cheap, costly]);
        assert!(!offers.wait(Duration::ZERO));
        // A known candidate is nothing new.
        offers.add(&one, [cheap]);
        assert!(!offers.wait(Duration::ZERO));
        // Tried candidates come after untried ones.
        let other_way = candidate(pool.ult(y, x));
        offers.add(&other, [other_way]);
        assert_eq!(order(&offers, 1), [other_way]);
        assert!(offers.wait(Duration::ZERO), "others are left");
    }

    #[test]
    fn nobody_waits_for_offers_when_no_engine_is_left() {
        let offers = Offers::default();
        assert!(!offers.is_closed());
        offers.close();
        let begin = std::time::Instant::now();
        assert!(!offers.wait(Duration::from_secs(60)));
        assert!(offers.is_closed() && begin.elapsed() < Duration::from_secs(60));
        // What was offered before is still tried.
        let formula = store().ult(variable("offers::w"), store().bv(32, 9));
        offers.add(&Publisher::from("one"), [candidate(formula)]);
        assert!(offers.wait(Duration::ZERO));
    }

    #[test]
    fn a_change_of_the_invariants_and_a_stop_wake_who_waits() {
        let offers = Offers::default();
        for wake in [Offers::tell_change, Offers::interrupt] {
            std::thread::scope(|threads| {
                let begin = std::time::Instant::now();
                let waiting = threads.spawn(|| offers.wait(Duration::from_secs(60)));
                wake(&offers);
                assert!(!waiting.join().unwrap(), "there is no candidate");
                assert!(begin.elapsed() < Duration::from_secs(60));
            });
        }
    }

    #[test]
    fn settled_and_exhausted_candidates_are_not_tried_again() {
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
        for _ in 1..MAXIMUM_TRIES {
            assert_eq!(order(&offers, 9), all[1..]);
            offers.settle(&[]);
        }
        assert_eq!(order(&offers, 9), []);
        offers.add(&one, all);
        assert_eq!(order(&offers, 9), []);
    }
}
