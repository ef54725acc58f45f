//! The choice of an engine's solver.

use std::fmt;
use std::rc::Rc;

use super::Solver;
use super::integer_encoding::IntegerEncoding;
use super::z3::{Core, Z3Solver};
use regatta_term::Arena;

/// A solver program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Backend {
    /// Z3: every sort.
    #[default]
    Z3,
    /// Yices 2: Booleans, bit vectors and arrays; for one thread of the process at a time.
    Yices2,
    /// Bitwuzla: Booleans, bit vectors, arrays and floats.
    Bitwuzla,
}

/// The encoding of terms for the solver.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// Terms as they are.
    #[default]
    BitVector,
    /// Bit vectors as integers: see [`super::integer_encoding`]. Models need replay. With Z3 only.
    Integer,
}

regatta_base::choice!(Backend: "z3" = Self::Z3, "yices2" = Self::Yices2, "bitwuzla" = Self::Bitwuzla);
regatta_base::choice!(Encoding: "bitvector" = Self::BitVector, "integer" = Self::Integer);

/// The choice of a solver.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct SolverConfig {
    pub backend: Backend,
    pub encoding: Encoding,
}

/// Why a solver cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// Regatta was built without the solver.
    #[error("regatta was built without {0} (a cargo feature)")]
    NotCompiledIn(Backend),
    /// Another thread has the solver, of which a process can have only one.
    #[error("{0} is in use by another thread; one analysis of a portfolio can have it")]
    InUse(Backend),
    /// The solver does not support the encoding.
    #[error("{0} has no {1} encoding")]
    NoSuchEncoding(Backend, Encoding),
    /// The solver's own failure.
    #[error("{0} does not start: {1}")]
    Failed(Backend, String),
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Z3 => "z3",
            Self::Yices2 => "yices2",
            Self::Bitwuzla => "bitwuzla",
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BitVector => "bitvector",
            Self::Integer => "integer",
        })
    }
}

/// Makes a solver without assertions over the arena.
///
/// # Errors
/// When the solver is not available.
pub fn new_solver(config: SolverConfig, arena: Rc<Arena>) -> Result<Box<dyn Solver>, SolverError> {
    let SolverConfig { backend, encoding } = config;
    match (backend, encoding) {
        (Backend::Z3, _) => {
            let solver = Z3Solver::new(arena, Core::Smt)
                .map_err(|reason| SolverError::Failed(backend, reason))?;
            Ok(match encoding {
                Encoding::BitVector => Box::new(solver),
                Encoding::Integer => Box::new(IntegerEncoding::new(solver)),
            })
        }
        (Backend::Yices2, Encoding::BitVector) => new_yices(arena),
        (Backend::Bitwuzla, Encoding::BitVector) => new_bitwuzla(arena),
        (Backend::Yices2 | Backend::Bitwuzla, Encoding::Integer) => {
            Err(SolverError::NoSuchEncoding(backend, encoding))
        }
    }
}

#[cfg(feature = "yices2")]
fn new_yices(arena: Rc<Arena>) -> Result<Box<dyn Solver>, SolverError> {
    use super::yices::{YicesSolver, YicesToken};
    let token = YicesToken::take().ok_or(SolverError::InUse(Backend::Yices2))?;
    let solver = YicesSolver::new(arena, token);
    Ok(Box::new(solver.map_err(|reason| {
        SolverError::Failed(Backend::Yices2, reason)
    })?))
}

#[cfg(not(feature = "yices2"))]
fn new_yices(_: Rc<Arena>) -> Result<Box<dyn Solver>, SolverError> {
    Err(SolverError::NotCompiledIn(Backend::Yices2))
}

#[cfg(feature = "bitwuzla")]
fn new_bitwuzla(arena: Rc<Arena>) -> Result<Box<dyn Solver>, SolverError> {
    Ok(Box::new(super::bitwuzla::BitwuzlaSolver::new(arena)))
}

#[cfg(not(feature = "bitwuzla"))]
fn new_bitwuzla(_: Rc<Arena>) -> Result<Box<dyn Solver>, SolverError> {
    Err(SolverError::NotCompiledIn(Backend::Bitwuzla))
}
