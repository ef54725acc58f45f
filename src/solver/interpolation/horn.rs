//! Interpolants from Horn clauses: a solution of I(i-1) ∧ φi → Ii, with I0 = true and In = false, which Z3's SPACER finds
//! by model-based projection and interpolation of its own ([`Fixedpoints`]).

use rustc_hash::FxHashSet;

use super::super::z3::fixedpoint::Fixedpoints;
use super::super::{CheckLimit, Reason};
use super::core::{CoreSequence, variables};
use super::project::project;
use super::queries::Queries;
use regatta_term::{Build, Op, Pool, TermId, conjuncts};

/// A context keeps what it has translated; it is replaced after this number of sequences.
const SEQUENCES: u32 = 100;

#[derive(Default)]
pub struct HornSource {
    /// The context, and the number of sequences that it was asked about; made when it is needed.
    fixedpoints: Option<(Fixedpoints, u32)>,
}

impl HornSource {
    /// Candidates for I1 … I(n-1).
    ///
    /// # Errors
    /// When none were found, with the reason. A context in which something failed is not used again.
    pub fn interpolate(
        &mut self,
        queries: &mut Queries,
        core: &CoreSequence,
    ) -> Result<Vec<TermId>, Reason> {
        let (mut fixedpoints, asked) = match self.fixedpoints.take() {
            Some(known) => known,
            None => (Fixedpoints::new().map_err(Reason::Incomplete)?, 0),
        };
        let limit = CheckLimit {
            time: queries.time_left()?,
            resource: queries.resource(),
        };
        let arena = queries.arena();
        queries.handle().add(fixedpoints.interrupter());
        let answer = fixedpoints.solve(&arena, &core.formulas, &core.cuts(), limit);
        queries.handle().remove();
        match answer {
            Ok(definitions) => {
                if asked + 1 < SEQUENCES {
                    self.fixedpoints = Some((fixedpoints, asked + 1));
                }
                projected(queries, core, definitions)
            }
            Err(reason) => {
                queries.time_left()?;
                Err(Reason::Incomplete(reason))
            }
        }
    }
}

/// Interpolants from definitions of the states, in which other variables may be left.
///
/// # Errors
/// When these cannot be eliminated in time.
pub fn projected(
    queries: &mut Queries,
    core: &CoreSequence,
    definitions: Vec<TermId>,
) -> Result<Vec<TermId>, Reason> {
    let definitions = definitions.into_iter().zip(&core.live);
    definitions
        .map(|(definition, live)| without_quantifiers(queries, definition, live))
        .collect()
}

/// Eliminates the variables that are not of the state, for all values of which a conjunct is meant. What remains may say
/// more.
fn without_quantifiers(
    queries: &mut Queries,
    definition: TermId,
    live: &FxHashSet<TermId>,
) -> Result<TermId, Reason> {
    let arena = queries.arena();
    let mut result = Vec::new();
    for conjunct in conjuncts(&*arena, definition) {
        if variables(&arena, [conjunct]).is_subset(live) {
            result.push(conjunct);
            continue;
        }
        // Not everywhere true where the negation somewhere is.
        let opposite = match arena.as_application(conjunct) {
            Some((Op::Or, arguments)) => arguments
                .iter()
                .map(|&literal| arena.not(literal))
                .collect(),
            _ => vec![arena.not(conjunct)],
        };
        let somewhere = project(queries, opposite, live)?;
        result.push(arena.not(arena.and(somewhere)));
    }
    Ok(arena.and(result))
}
