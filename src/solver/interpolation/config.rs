//! The choice of an interpolator's sources.

use std::fmt;
use std::time::Duration;

use super::super::SolverConfig;
use regatta_base::choice;

/// A source of interpolants.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SourceName {
    /// Strongest postconditions and weakest preconditions: [`super::sources::conditions`].
    Conditions,
    /// Horn clauses, given to Z3's SPACER: [`super::sources::horn`].
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

/// The sources to ask, and their order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Choice {
    /// [`SourceName::Conditions`] alone.
    Conditions,
    /// [`SourceName::Horn`] alone.
    Horn,
    /// [`SourceName::Conditions`], then [`SourceName::Horn`] if that fails.
    #[default]
    ConditionsFirst,
    /// [`SourceName::Horn`], then [`SourceName::Conditions`] if that fails.
    HornFirst,
    /// [`SourceName::Conditions`], then [`SourceName::Horn`] if that fails or has constants of a single path; the better
    /// interpolants are taken.
    Best,
}
choice!(
    Choice: "conditions" = Self::Conditions, "horn" = Self::Horn, "conditions-first" = Self::ConditionsFirst,
    "horn-first" = Self::HornFirst, "best" = Self::Best,
);

/// The choice of an interpolator.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct InterpolationConfig {
    /// The solver for the core and for the checks.
    pub solver: SolverConfig,
    pub choice: Choice,
    /// Maximum wall time of [`SourceName::Conditions`] for a sequence.
    pub conditions_time: Duration,
    /// Maximum wall time of [`SourceName::Horn`] for a sequence.
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
