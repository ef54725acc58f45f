//! `--dump FOLDER`: intermediate results of a run, for debugging and for tuning.
//!
//! | file | content |
//! |---|---|
//! | `typed.txt` | the typed representation |
//! | `lowered.dot`, `simplified.dot` | the program as lowered, which checks use, and as the engines analyse it |
//! | `invariants.txt` | the invariants proved, by location, with their analysis; rewritten every second |
//! | `proof-N-NAME.txt` | each certificate that was checked, and the result of the check |
//! | `query-NAME-N.smt2` | the solver queries that took longest |
//!
//! Each file is written under another name and then renamed, so that no file is incomplete however the run ends.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::file;
use regatta_certify::{Certificate, Check, InvariantLocation, ProofStep};
use regatta_program::{InlinedProgram, Program};
use regatta_sharing::Snapshot;
use regatta_solver::{Answer, CheckLimit, Interrupt, Solver, SolverConfig, SolverStatistics};
use regatta_term::{Arena, TermId, Value, smtlib_script, store, to_smtlib};

/// Maximum number of solver queries that are kept.
const MAXIMUM_QUERIES: usize = 20;

/// The folder for intermediate results.
#[derive(Debug)]
pub struct Dump {
    folder: PathBuf,
    /// The queries that are kept, each with the time it took.
    queries: Mutex<Vec<(Duration, PathBuf)>>,
    query_count: AtomicUsize,
    proofs: AtomicUsize,
    /// The first error in writing a file.
    failure: Mutex<Option<String>>,
}

impl Dump {
    /// Makes the folder if it does not exist.
    ///
    /// # Errors
    /// When it does not exist and cannot be made.
    pub fn new(folder: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            queries: Mutex::default(),
            query_count: AtomicUsize::new(0),
            proofs: AtomicUsize::new(0),
            failure: Mutex::default(),
        })
    }

    /// Takes the first error in writing a file, if there was one.
    pub fn take_failure(&self) -> Option<String> {
        self.failure.lock().take()
    }

    /// Returns the path of the file. The name may contain an analysis's name, which the user may have chosen.
    fn path(&self, name: &str) -> PathBuf {
        self.folder
            .join(name.replace(std::path::MAIN_SEPARATOR, "-"))
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        if let Err(error) = file::write(&self.path(name), text.as_bytes()) {
            let failure = format!("{}: {error}", self.path(name).display());
            self.failure.lock().get_or_insert(failure);
        }
    }

    /// Writes the invariants proved so far.
    pub fn invariants(&self, snapshot: &Snapshot, inlined: &InlinedProgram) {
        let mut lines: Vec<(InvariantLocation, String)> = Vec::new();
        for (_, batch) in snapshot.batches() {
            for (one, publisher) in batch.published() {
                let at = InvariantLocation::new(inlined, one.at);
                let k = batch.k();
                let text = to_smtlib(store(), one.formula);
                lines.push((at, format!("{publisher}, k = {k}: {text}")));
            }
        }
        lines.sort_by(|a, b| (a.0.location.0, &a.0.calls).cmp(&(b.0.location.0, &b.0.calls)));
        let mut text = String::new();
        let mut last = None;
        for (at, line) in lines {
            if last.as_ref() != Some(&at) {
                text.push_str(&format!("{}\n", describe(inlined.program(), &at)));
            }
            text.push_str(&format!("    {line}\n"));
            last = Some(at);
        }
        self.write("invariants.txt", &text);
    }

    /// Writes a certificate and the result of its check.
    pub fn proof(
        &self,
        analysis: &str,
        certificate: &Certificate,
        check: &Check,
        program: &Program,
    ) {
        let number = self.proofs.fetch_add(1, Ordering::Relaxed);
        let mut text = format!("{check:?}\n");
        for (index, step) in certificate.steps.iter().enumerate() {
            let (what, batch): (String, &[_]) = match step {
                ProofStep::Inductive {
                    batch,
                    k,
                    relies_on,
                } => (format!("{k}-inductive, relies on {relies_on:?}"), batch),
                ProofStep::Safety { k, relies_on } => (
                    format!("no error in {k} steps, relies on {relies_on:?}"),
                    &[],
                ),
                ProofStep::Unrolling { bound } => (format!("all paths end in {bound} steps"), &[]),
                ProofStep::Unwinding { rounds, .. } => {
                    let most = rounds.iter().map(|one| one.1).max().unwrap_or(0);
                    let text = format!("all paths end, with at most {most} open rounds of a loop");
                    (text, &[])
                }
                ProofStep::Summaries { batch } => ("a solution of the clauses".to_owned(), batch),
                ProofStep::Boxes { covering } => {
                    let boxes = covering.nodes.len().div_ceil(2);
                    (
                        format!("no run from {boxes} boxes of inputs reaches an error"),
                        &[],
                    )
                }
                ProofStep::Simplified => ("the simplifier left no target".to_owned(), &[]),
            };
            text.push_str(&format!("step {index}: {what}\n"));
            for (at, formula) in batch {
                let place = describe(program, at);
                let formula = to_smtlib(store(), *formula);
                text.push_str(&format!("    {place}: {formula}\n"));
            }
        }
        self.write(&format!("proof-{number}-{analysis}.txt"), &text);
    }

    /// Keeps an answered query if it is one of those that took longest.
    fn query(&self, analysis: &str, time: Duration, script: impl FnOnce() -> String) {
        let mut queries = self.queries.lock();
        let shortest = queries.iter().map(|query| query.0).min();
        if queries.len() == MAXIMUM_QUERIES && shortest.is_some_and(|shortest| time <= shortest) {
            return;
        }
        let number = self.query_count.fetch_add(1, Ordering::Relaxed);
        let name = format!("query-{analysis}-{number}.smt2");
        self.write(&name, &script());
        queries.push((time, self.path(&name)));
        queries.sort_by_key(|query| std::cmp::Reverse(query.0));
        if queries.len() > MAXIMUM_QUERIES
            && let Some((_, gone)) = queries.pop()
        {
            let _ = std::fs::remove_file(gone);
        }
    }
}

/// Describes a location with its calls, in words.
fn describe(program: &Program, at: &InvariantLocation) -> String {
    let place = |span| program.sources.describe(span);
    let calls = at.calls.iter().map(|&call| place(program.edge(call).span));
    let calls: Vec<String> = calls.collect();
    let here = place(program.location(at.location).span);
    match calls.is_empty() {
        true => format!("L{} ({here})", at.location.0),
        false => format!(
            "L{} ({here}, called from {})",
            at.location.0,
            calls.join(", ")
        ),
    }
}

/// A solver whose longest queries are dumped.
pub struct RecordedSolver {
    solver: Box<dyn Solver>,
    dump: Arc<Dump>,
    analysis: String,
    /// The asserted formulas, by scope.
    scopes: Vec<Vec<TermId>>,
}

impl RecordedSolver {
    /// Wraps the analysis's solver.
    pub fn new(solver: Box<dyn Solver>, dump: &Arc<Dump>, analysis: &str) -> Self {
        Self {
            solver,
            dump: Arc::clone(dump),
            analysis: analysis.to_owned(),
            scopes: vec![Vec::new()],
        }
    }
}

impl Solver for RecordedSolver {
    fn arena(&self) -> &Rc<Arena> {
        self.solver.arena()
    }

    fn push(&mut self) {
        self.scopes.push(Vec::new());
        self.solver.push();
    }

    fn pop(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
        self.solver.pop();
    }

    fn assert(&mut self, formula: TermId) {
        self.scopes.last_mut().expect("the outermost").push(formula);
        self.solver.assert(formula);
    }

    fn check(&mut self, assumptions: &[TermId]) -> Answer {
        let begin = Instant::now();
        let answer = self.solver.check(assumptions);
        let time = begin.elapsed();
        let (scopes, arena) = (&self.scopes, self.solver.arena());
        self.dump.query(&self.analysis, time, || {
            let all = scopes.iter().flatten().chain(assumptions);
            let script = smtlib_script(&**arena, &all.copied().collect::<Vec<_>>());
            format!("; {answer:?} after {time:?}\n{script}(check-sat)\n")
        });
        answer
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        self.solver.value(term)
    }

    fn values(&mut self, terms: &[TermId]) -> Vec<Option<Value>> {
        self.solver.values(terms)
    }

    fn unsat_core(&mut self) -> Vec<TermId> {
        self.solver.unsat_core()
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        self.solver.set_limit(limit);
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.solver.interrupter()
    }

    fn statistics(&self) -> SolverStatistics {
        self.solver.statistics()
    }

    fn for_another_thread(&self) -> SolverConfig {
        self.solver.for_another_thread()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_solver::{SolverConfig, new_solver};
    use regatta_term::{Build, Sort, Symbol};

    #[test]
    fn the_longest_queries_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let dump = Dump::new(&folder.path().join("deep/folder")).expect("a folder");
        for milliseconds in 1..=MAXIMUM_QUERIES as u64 + 5 {
            let time = Duration::from_millis(milliseconds);
            dump.query("a", time, || format!("{milliseconds}"));
        }
        let kept = std::fs::read_dir(folder.path().join("deep/folder")).expect("files");
        let texts = kept.map(|file| std::fs::read_to_string(file.expect("a file").path()));
        let mut kept: Vec<u64> = texts
            .map(|text| text.expect("text").parse().expect("a number"))
            .collect();
        kept.sort_unstable();
        let expected: Vec<u64> = (6..=MAXIMUM_QUERIES as u64 + 5).collect();
        assert_eq!(kept, expected);
        assert_eq!(dump.take_failure(), None);
    }

    #[test]
    fn a_query_has_the_assertions_of_open_scopes() {
        let folder = tempfile::tempdir().expect("a folder");
        let dump = Arc::new(Dump::new(folder.path()).expect("a folder"));
        let arena = Rc::new(Arena::new());
        let solver = new_solver(SolverConfig::default(), Rc::clone(&arena)).expect("a solver");
        let mut solver = RecordedSolver::new(solver, &dump, "analysis");
        let variable = |name| arena.variable(Symbol::new(name, Sort::Bool));
        let [p, q, r] = ["dump::p", "dump::q", "dump::r"].map(variable);
        solver.assert(p);
        solver.push();
        solver.assert(q);
        solver.pop();
        assert_eq!(solver.check(&[r]), Answer::Satisfiable);
        let text = std::fs::read_to_string(folder.path().join("query-analysis-0.smt2"));
        let text = text.expect("the question");
        assert!(text.starts_with("; Satisfiable after "), "{text}");
        let has = |name: &str| text.contains(name);
        assert!(
            has("dump::p") && has("dump::r") && !has("dump::q"),
            "{text}"
        );
    }
}
