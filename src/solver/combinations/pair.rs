//! Two solvers as one: each gets half of the time, and the second is asked if the first does not decide.
//!
//! Solvers differ most on questions that are hard for one of them: of 25 programs with arrays of any length, two are solved
//! with Yices but not with Bitwuzla; on squared cells, Bitwuzla needs a tenth of a second where Yices fails in four tenths.
//! A solver that decides what the other left open is asked first from then on.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::{
    Answer, CheckLimit, Interrupt, Reason, Solver, SolverConfig, SolverError, SolverStatistics,
    new_solver,
};
use regatta_term::{Arena, TermId, Value};

/// One of the two solvers. Assertions reach it only when it is asked.
struct LazySolver {
    solver: Box<dyn Solver>,
    /// For each scope of the solver, the number of formulas that were asserted in it.
    asserted: Vec<usize>,
}

impl LazySolver {
    fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver,
            asserted: vec![0],
        }
    }

    /// Asserts the formulas of the scopes that the solver does not have yet.
    fn synchronize(&mut self, scopes: &[Vec<TermId>]) {
        let first = self.asserted.len() - 1;
        for (scope, formulas) in scopes.iter().enumerate().skip(first) {
            if scope == self.asserted.len() {
                self.solver.push();
                self.asserted.push(0);
            }
            for &formula in &formulas[self.asserted[scope]..] {
                self.solver.assert(formula);
            }
            self.asserted[scope] = formulas.len();
        }
    }

    /// Closes the newest of the given number of scopes, if the solver has it.
    fn pop(&mut self, scopes: usize) {
        if self.asserted.len() == scopes {
            self.solver.pop();
            self.asserted.pop();
        }
    }
}

/// A pair of solvers that take turns (see the module's comment). The second solver is made when it is first asked.
pub struct SolverPair {
    first: LazySolver,
    second: Option<LazySolver>,
    /// The configuration of the second solver.
    second_config: SolverConfig,
    /// Whether the second one is asked first.
    second_leads: bool,
    /// Whether the last answer is the second one's.
    second_answered: bool,
    scopes: Vec<Vec<TermId>>,
    limit: CheckLimit,
    interrupter: Arc<PairInterrupter>,
}

/// Interrupts the solver that is being asked.
#[derive(Default)]
struct PairInterrupter {
    both: parking_lot::Mutex<Vec<Arc<dyn Interrupt>>>,
    /// Number of interruptions so far.
    interrupts: AtomicU64,
}

impl Interrupt for PairInterrupter {
    fn interrupt(&self) {
        self.interrupts.fetch_add(1, Ordering::SeqCst);
        for one in self.both.lock().iter() {
            one.interrupt();
        }
    }
}

impl SolverPair {
    /// Pairs the solver with one of the given configuration over the same arena.
    pub fn new(first: Box<dyn Solver>, second: SolverConfig) -> Self {
        let interrupter = Arc::new(PairInterrupter::default());
        interrupter.both.lock().push(first.interrupter());
        Self {
            first: LazySolver::new(first),
            second: None,
            second_config: second,
            second_leads: false,
            second_answered: false,
            scopes: vec![Vec::new()],
            limit: CheckLimit::default(),
            interrupter,
        }
    }

    fn second(&mut self) -> Result<&mut LazySolver, SolverError> {
        let second = match self.second.take() {
            Some(second) => second,
            None => {
                let arena = Rc::clone(self.first.solver.arena());
                let solver = new_solver(self.second_config, arena)?;
                self.interrupter.both.lock().push(solver.interrupter());
                LazySolver::new(solver)
            }
        };
        Ok(self.second.insert(second))
    }

    /// Asks one of the two.
    fn ask(&mut self, second: bool, assumptions: &[TermId], time: Option<Duration>) -> Answer {
        let scopes = std::mem::take(&mut self.scopes);
        let limit = CheckLimit { time, ..self.limit };
        let asked = match second {
            true => self.second(),
            false => Ok(&mut self.first),
        };
        let answer = match asked {
            Ok(asked) => {
                asked.synchronize(&scopes);
                asked.solver.set_limit(limit);
                asked.solver.check(assumptions)
            }
            Err(error) => Answer::Unknown(Reason::Incomplete(error.to_string())),
        };
        self.scopes = scopes;
        self.second_answered = second && self.second.is_some();
        answer
    }

    /// The solver that gave the last answer.
    fn answered(&mut self) -> &mut dyn Solver {
        match &mut self.second {
            Some(second) if self.second_answered => &mut *second.solver,
            _ => &mut *self.first.solver,
        }
    }

    fn both(&mut self) -> impl Iterator<Item = &mut LazySolver> {
        std::iter::once(&mut self.first).chain(&mut self.second)
    }
}

impl Solver for SolverPair {
    fn arena(&self) -> &Rc<Arena> {
        self.first.solver.arena()
    }

    fn push(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn pop(&mut self) {
        let scopes = self.scopes.len();
        if scopes > 1 {
            self.both().for_each(|one| one.pop(scopes));
            self.scopes.pop();
        }
    }

    fn assert(&mut self, formula: TermId) {
        let newest = self.scopes.last_mut().expect("the outermost scope stays");
        newest.push(formula);
    }

    fn check(&mut self, assumptions: &[TermId]) -> Answer {
        let leader = self.second_leads;
        let interrupts = self.interrupter.interrupts.load(Ordering::SeqCst);
        let time = self.limit.time.map(|time| time / 2);
        let answer = self.ask(leader, assumptions, time);
        let interrupted = self.interrupter.interrupts.load(Ordering::SeqCst) != interrupts;
        match answer {
            Answer::Unknown(Reason::Limit | Reason::Incomplete(_)) if !interrupted => {}
            answer => return answer,
        }
        match self.ask(!leader, assumptions, time) {
            unknown @ Answer::Unknown(_) => unknown,
            answer => {
                self.second_leads = !leader;
                answer
            }
        }
    }

    fn forget_questions(&mut self) {
        self.both().for_each(|one| one.solver.forget_questions());
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        self.answered().value(term)
    }

    fn values(&mut self, terms: &[TermId]) -> Vec<Option<Value>> {
        self.answered().values(terms)
    }

    fn holding(&mut self, formulas: &[TermId]) -> Vec<bool> {
        self.answered().holding(formulas)
    }

    fn unsat_core(&mut self) -> Vec<TermId> {
        self.answered().unsat_core()
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        self.limit = limit;
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        let interrupter: Arc<PairInterrupter> = Arc::clone(&self.interrupter);
        interrupter
    }

    fn statistics(&self) -> SolverStatistics {
        let first = self.first.solver.statistics();
        let second = self.second.as_ref();
        let second = second.map(|second| second.solver.statistics());
        let second = second.unwrap_or_default();
        SolverStatistics {
            checks: first.checks + second.checks,
            check_time: first.check_time + second.check_time,
            translated: first.translated + second.translated,
        }
    }

    fn for_another_thread(&self) -> SolverConfig {
        self.first.solver.for_another_thread()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use crate::unit_tests::contract;
    use regatta_term::{Build, Sort, Symbol};

    /// A solver that decides nothing and counts its checks.
    struct Silent {
        arena: Rc<Arena>,
        checks: u64,
    }

    struct NoInterrupt;

    impl Interrupt for NoInterrupt {
        fn interrupt(&self) {}
    }

    impl Solver for Silent {
        fn arena(&self) -> &Rc<Arena> {
            &self.arena
        }

        fn push(&mut self) {}

        fn pop(&mut self) {}

        fn assert(&mut self, _: TermId) {}

        fn check(&mut self, _: &[TermId]) -> Answer {
            self.checks += 1;
            Answer::Unknown(Reason::Limit)
        }

        fn value(&mut self, _: TermId) -> Option<Value> {
            None
        }

        fn unsat_core(&mut self) -> Vec<TermId> {
            Vec::new()
        }

        fn set_limit(&mut self, _: CheckLimit) {}

        fn interrupter(&self) -> Arc<dyn Interrupt> {
            Arc::new(NoInterrupt)
        }

        fn statistics(&self) -> SolverStatistics {
            SolverStatistics {
                checks: self.checks,
                ..SolverStatistics::default()
            }
        }

        fn for_another_thread(&self) -> SolverConfig {
            SolverConfig::default()
        }
    }

    fn z3() -> SolverConfig {
        SolverConfig {
            backend: Backend::Z3,
            ..SolverConfig::default()
        }
    }

    fn pair_with_silent() -> SolverPair {
        let arena = Rc::new(Arena::new());
        SolverPair::new(Box::new(Silent { arena, checks: 0 }), z3())
    }

    #[test]
    fn a_pair_is_a_solver() {
        let first = new_solver(z3(), Rc::new(Arena::new())).expect("Z3");
        contract::models_cores_and_scopes(&mut SolverPair::new(first, z3()));
    }

    #[test]
    fn one_solver_decides_what_the_other_leaves_open() {
        contract::models_cores_and_scopes(&mut pair_with_silent());
    }

    #[test]
    fn the_solver_that_decides_is_asked_first() {
        let mut pair = pair_with_silent();
        let t = Rc::clone(pair.arena());
        let x = t.variable(Symbol::new("pair::x", Sort::BitVec(8)));
        pair.push();
        pair.assert(t.eq(x, t.bv(8, 3)));
        for _ in 0..3 {
            assert_eq!(pair.check(&[t.ult(x, t.bv(8, 3))]), Answer::Unsatisfiable);
        }
        assert_eq!(pair.statistics().checks, 4, "the silent one is asked once");
        pair.pop();
        assert_eq!(pair.check(&[t.ult(x, t.bv(8, 3))]), Answer::Satisfiable);
        assert_eq!(
            pair.value(t.ult(x, t.bv(8, 3))),
            Some(Value::Bool(true)),
            "of the one that answered"
        );
    }

    /// A solver that is first asked late gets all assertions, in the scopes that are still open.
    #[test]
    fn scopes_reach_the_second_solver_late() {
        let mut pair = pair_with_silent();
        let t = Rc::clone(pair.arena());
        let x = t.variable(Symbol::new("pair::late", Sort::BitVec(8)));
        let below = |bound| t.ult(x, t.bv(8, bound));
        pair.assert(below(100));
        pair.push();
        pair.assert(t.eq(x, t.bv(8, 200)));
        pair.pop();
        pair.push();
        pair.assert(below(50));
        pair.push();
        pair.assert(t.not(below(20)));
        assert_eq!(pair.check(&[below(20)]), Answer::Unsatisfiable);
        assert_eq!(pair.check(&[below(21)]), Answer::Satisfiable);
        pair.assert(t.not(below(30)));
        assert_eq!(pair.check(&[below(30)]), Answer::Unsatisfiable);
        pair.pop();
        assert_eq!(pair.check(&[below(20)]), Answer::Satisfiable);
        pair.pop();
        assert_eq!(pair.check(&[t.not(below(50))]), Answer::Satisfiable);
        assert_eq!(pair.check(&[t.not(below(100))]), Answer::Unsatisfiable);
    }

    #[test]
    fn limits_and_interrupts_end_a_check() {
        let first = new_solver(z3(), Rc::new(Arena::new())).expect("Z3");
        let product = 0xb7e1_5162_8aed_2a6b * 0x9e37_79b9_7f4a_7c15;
        contract::limits_and_interrupts_end_a_check(&mut SolverPair::new(first, z3()), product);
    }
}
