//! Elimination of variables: [`project`] solves equations ([`solve`]), else projects [`implicant`]s of models ([`model_based`]).

mod implicant;
mod model_based;
pub(super) mod project;
mod solve;
