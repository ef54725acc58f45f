//! Interpolants from Horn clauses: a solution of I(i-1) ∧ φi → Ii, with I0 = true and In = false, which Z3's SPACER finds
//! by its own model-based projection and interpolation ([`Fixedpoints`]).

use rustc_hash::FxHashSet;

use crate::interpolation::core::{CoreSequence, variables};
use crate::interpolation::limits::MAXIMUM_SEQUENCES_PER_CONTEXT;
use crate::interpolation::projection::project::project;
use crate::interpolation::queries::Queries;
use crate::z3::fixedpoint::Fixedpoints;
use crate::{CheckLimit, Reason};
use regatta_term::{Build, Op, Pool, TermId, conjuncts};

/// The source [`SourceName::Horn`](crate::interpolation::SourceName::Horn).
#[derive(Default)]
pub struct HornSource {
    /// The context with the number of its sequences; made on demand.
    fixedpoints: Option<(Fixedpoints, u32)>,
}

impl HornSource {
    /// Computes candidates for I1 … I(n-1).
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
                if asked + 1 < MAXIMUM_SEQUENCES_PER_CONTEXT {
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

/// Makes interpolants from definitions of the states by eliminating other variables.
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

/// Eliminates the variables outside the state, over which a conjunct is universally quantified. The result may be stronger.
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
        // ∀x. φ is ¬∃x. ¬φ.
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
