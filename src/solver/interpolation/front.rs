//! The interpolator that asks the sources one after the other or in parallel.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use num_bigint::BigInt;
use rustc_hash::FxHashSet;

use super::super::{CheckLimit, Interrupt, Reason, Solver, SolverError, new_solver};
use super::core::{CoreSequence, core};
use super::definition::{check, weaken};
use super::limits::DEFAULT_SEARCH_DELAY;
use super::quality::{Quality, known_constants};
use super::queries::Queries;
use super::sources::beside::Search;
use super::sources::conditions;
use super::sources::horn::{HornSource, projected};
use super::{
    Choice, Interpolation, InterpolationConfig, InterpolationStatistics, Interpolator, Sequence,
    SourceName, SourceStatistics,
};
use regatta_base::workers::Workers;
use regatta_term::{Arena, TermId, Value};

/// An interpolator that asks its sources in the order of its configuration and checks their answers.
pub struct Interpolators {
    config: InterpolationConfig,
    queries: Queries,
    horn: HornSource,
    limit: CheckLimit,
    statistics: InterpolationStatistics,
    workers: Workers,
    /// Delay before the second source begins in parallel.
    pub(super) delay: Duration,
}

/// Makes an interpolator over the arena.
///
/// # Errors
/// When the solver is not available.
pub fn new_interpolator(
    config: InterpolationConfig,
    arena: Rc<Arena>,
) -> Result<Box<dyn Interpolator>, SolverError> {
    let solver = new_solver(config.solver, arena)?;
    Ok(Box::new(Interpolators::new(config, solver)))
}

/// A sequence with its core and its known constants.
struct Question<'s> {
    sequence: Sequence<'s>,
    core: CoreSequence,
    known: FxHashSet<BigInt>,
}

/// SPACER's definitions for the states of a sequence, or its failure.
type Definitions = Result<Vec<TermId>, String>;

/// An answer that has passed the check.
struct Found {
    interpolants: Vec<TermId>,
    quality: Quality,
    source: SourceName,
}

impl Interpolators {
    /// Wraps a solver without assertions. An over-approximating solver is sound, since its answer `Unsatisfiable` is exact.
    pub fn new(config: InterpolationConfig, solver: Box<dyn Solver>) -> Self {
        Self {
            config,
            queries: Queries::new(solver),
            horn: HornSource::default(),
            limit: CheckLimit::default(),
            statistics: InterpolationStatistics::default(),
            workers: Workers::none(),
            delay: DEFAULT_SEARCH_DELAY,
        }
    }

    /// The same with workers, so that the sources may run in parallel.
    pub fn with_workers(self, workers: &Workers) -> Self {
        Self {
            workers: workers.clone(),
            ..self
        }
    }

    fn answer(&mut self, sequence: Sequence<'_>) -> Result<Option<Vec<TermId>>, Reason> {
        let begin = Instant::now();
        let core = core(&mut self.queries, sequence);
        self.statistics.core_time += begin.elapsed();
        let Some(core) = core? else {
            return Ok(None);
        };
        let question = Question {
            sequence,
            core,
            known: known_constants(&self.queries.arena(), sequence),
        };
        use SourceName::{Conditions, Horn};
        let order: &[SourceName] = match self.config.choice {
            Choice::Conditions => &[Conditions],
            Choice::Horn => &[Horn],
            Choice::ConditionsFirst | Choice::Best => &[Conditions, Horn],
            Choice::HornFirst => &[Horn, Conditions],
        };
        let mut best: Option<Found> = None;
        let mut failure = Reason::Incomplete("no source of interpolants".into());
        let mut definitions = None;
        for &source in order {
            let answer = match (order, source) {
                ([Conditions, Horn], Conditions) => {
                    let (answer, found) = self.ask_beside(&question);
                    definitions = found;
                    answer
                }
                _ => self.ask(source, &question, definitions.take()),
            };
            match answer {
                Ok(found) => {
                    let is_good = self.is_good(&found);
                    if best
                        .as_ref()
                        .is_none_or(|best| found.quality < best.quality)
                    {
                        best = Some(found);
                    }
                    if is_good {
                        break;
                    }
                }
                Err(Reason::Interrupted) => return Err(Reason::Interrupted),
                Err(reason) => failure = reason,
            }
        }
        let best = best.ok_or(failure)?;
        self.source(best.source).won += 1;
        Ok(Some(best.interpolants))
    }

    /// Checks whether no other source needs to be asked.
    fn is_good(&self, found: &Found) -> bool {
        self.config.choice != Choice::Best || found.quality.path_constants == 0
    }

    /// Asks [`SourceName::Conditions`]; if a worker is idle, SPACER runs in parallel. If that is not given up, its definitions
    /// of the states are returned as well.
    fn ask_beside(
        &mut self,
        question: &Question<'_>,
    ) -> (Result<Found, Reason>, Option<Definitions>) {
        let source = SourceName::Conditions;
        let time_left = match self.queries.time_left() {
            Ok(left) if self.workers.maximum_threads() > 1 => left,
            _ => return (self.ask(source, question, None), None),
        };
        let arena = self.queries.arena();
        let limit = CheckLimit {
            time: time_left.into_iter().chain([self.config.horn_time]).min(),
            resource: self.queries.resource(),
        };
        let search = Arc::new(Search::after(self.delay));
        self.queries
            .handle()
            .add(Arc::clone(&search) as Arc<dyn Interrupt>);
        let workers = self.workers.clone();
        let answer = workers.scope(|scope| {
            if scope.hire(|_, _| search.run()) {
                search.pose(&arena, &question.core, limit);
            }
            let answer = self.ask(source, question, None);
            if let Ok(found) = &answer
                && self.is_good(found)
            {
                search.interrupt();
            }
            search.wait();
            answer
        });
        self.queries.handle().remove();
        let found = search.found(&arena);
        (answer, found)
    }

    fn source(&mut self, source: SourceName) -> &mut SourceStatistics {
        match source {
            SourceName::Conditions => &mut self.statistics.conditions,
            SourceName::Horn => &mut self.statistics.horn,
        }
    }

    /// Asks the source; `definitions` are those of SPACER, if it has run already.
    fn ask(
        &mut self,
        source: SourceName,
        question: &Question<'_>,
        definitions: Option<Definitions>,
    ) -> Result<Found, Reason> {
        let Question {
            sequence,
            core,
            known,
        } = question;
        self.source(source).asked += 1;
        let begin = Instant::now();
        let (config, horn) = (self.config, &mut self.horn);
        let answer = match source {
            SourceName::Conditions => self.queries.within(config.conditions_time, |queries| {
                conditions::interpolate(queries, core, known)
            }),
            SourceName::Horn => {
                self.queries
                    .within(config.horn_time, |queries| match definitions {
                        Some(definitions) => {
                            let definitions = definitions.map_err(Reason::Incomplete)?;
                            projected(queries, core, definitions)
                        }
                        None => horn.interpolate(queries, core),
                    })
            }
        };
        self.source(source).time += begin.elapsed();
        let mut interpolants = answer?;
        let begin = Instant::now();
        let checked = self.checked(source, *sequence, core, &mut interpolants);
        self.statistics.check_time += begin.elapsed();
        if !checked? {
            self.source(source).refused += 1;
            let reason = format!("{source} gave what are no interpolants");
            return Err(Reason::Incomplete(reason));
        }
        self.source(source).answered += 1;
        let arena = self.queries.arena();
        let quality = Quality::of_all(&arena, interpolants.iter().copied(), known);
        Ok(Found {
            interpolants,
            quality,
            source,
        })
    }

    fn checked(
        &mut self,
        source: SourceName,
        sequence: Sequence<'_>,
        core: &CoreSequence,
        interpolants: &mut [TermId],
    ) -> Result<bool, Reason> {
        // The conditions are weakened already.
        if source == SourceName::Horn && weaken(&mut self.queries, core, interpolants)?.is_none() {
            return Ok(false);
        }
        check(&mut self.queries, sequence, core, interpolants)
    }
}

impl Interpolator for Interpolators {
    fn arena(&self) -> &Rc<Arena> {
        self.queries.arena_ref()
    }

    fn interpolate(&mut self, sequence: Sequence<'_>) -> Interpolation {
        assert_eq!(
            sequence.formulas.len(),
            sequence.cuts.len() + 1,
            "a cut lies between two formulas"
        );
        let begin = Instant::now();
        self.queries.begin(self.limit);
        self.statistics.sequences += 1;
        let answer = match self.answer(sequence) {
            Ok(Some(interpolants)) => Interpolation::Interpolants(interpolants),
            Ok(None) => {
                self.statistics.satisfiable += 1;
                Interpolation::Satisfiable
            }
            Err(reason) => {
                self.statistics.unknown += 1;
                Interpolation::Unknown(reason)
            }
        };
        self.statistics.time += begin.elapsed();
        answer
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        self.queries.value(term)
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        self.limit = limit;
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        Arc::clone(self.queries.handle()) as Arc<dyn Interrupt>
    }

    fn statistics(&self) -> InterpolationStatistics {
        self.statistics
    }
}
