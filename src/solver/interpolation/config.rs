//! Which sources an engine's interpolator asks.

use std::fmt;
use std::time::Duration;

use super::super::SolverConfig;

/// A source of interpolants.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SourceName {
    /// Strongest postconditions and weakest preconditions: [`super::conditions`].
    Conditions,
    /// Horn clauses, given to Z3's SPACER: [`super::horn`].
    Horn,
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Conditions => "sp-wp",
            Self::Horn => "spacer",
        })
    }
}

/// Who is asked, in which order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Choice {
    /// [`SourceName::Conditions`] alone.
    Conditions,
    /// [`SourceName::Horn`] alone.
    Horn,
    /// The conditions; the clauses if these fail.
    #[default]
    ConditionsFirst,
    /// The clauses; the conditions if these fail.
    HornFirst,
    /// The conditions; the clauses if these fail or say something of a single path. Then the better of both.
    Best,
}

/// The choice of an interpolator.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct InterpolationConfig {
    /// The solver for the core and for the checks.
    pub solver: SolverConfig,
    pub choice: Choice,
    /// Wall time that the conditions have for a sequence.
    pub conditions_time: Duration,
    /// Wall time that the clauses have for a sequence.
    pub horn_time: Duration,
}

impl Default for InterpolationConfig {
    fn default() -> Self {
        Self {
            solver: SolverConfig::default(),
            choice: Choice::default(),
            conditions_time: Duration::from_secs(2),
            horn_time: Duration::from_secs(1),
        }
    }
}
