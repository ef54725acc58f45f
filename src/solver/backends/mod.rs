//! The SMT solvers: libraries ([`z3`], Yices, Bitwuzla), and separate programs ([`external`]).

#[cfg(feature = "bitwuzla")]
pub mod bitwuzla;
pub mod external;
#[cfg(feature = "yices2")]
pub mod yices;
pub mod z3;
