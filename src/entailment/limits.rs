//! The limits of the decision of entailments.

// --- by_cases ---

/// Maximum number of conditions of a goal; all their truth assignments are tried.
pub(super) const MAXIMUM_CONDITIONS: usize = 5;

/// Maximum number of equations that are solved for a variable.
pub(super) const MAXIMUM_EQUATIONS: usize = 100;

/// Maximum number of literals among which a contradiction is searched.
pub(super) const MAXIMUM_CONTRADICTION_LITERALS: usize = 200;

// --- by_polynomials::cases ---

/// Maximum number of cases.
pub(super) const MAXIMUM_CASES: usize = 16;

/// Maximum number of nodes of the tree of case distinctions.
pub(super) const MAXIMUM_CASE_NODES: usize = 4 * MAXIMUM_CASES;

// --- by_polynomials ---

/// Maximum number of literals of the premises.
pub(super) const MAXIMUM_PREMISE_LITERALS: usize = 1_000;

/// Maximum number of disequalities that are tried.
pub(super) const MAXIMUM_DENIALS: usize = 3;

/// Maximum number of equations that are used for one goal.
pub(super) const MAXIMUM_FACTS: usize = 24;

/// Maximum number of variables whose pairwise equality is asked.
pub(super) const MAXIMUM_VARIABLES: usize = 7;

/// Maximum number of atoms by which equations are multiplied.
pub(super) const MAXIMUM_FACTORS: usize = 10;

// --- combination ---

/// Maximum number of vectors.
pub(super) const MAXIMUM_VECTORS: usize = 240;

/// Maximum number of different monomials, which is the length of a vector.
pub(super) const MAXIMUM_VECTOR_LENGTH: usize = 600;

// --- laws ---

/// Maximum number of quotients for which the law of division is instantiated.
pub(super) const MAXIMUM_QUOTIENTS: usize = 6;

/// Maximum number of powers of two that are compared with each other.
pub(super) const MAXIMUM_POWERS: usize = 8;

// --- polynomials ---

/// Maximum number of monomials of a polynomial.
pub(super) const MAXIMUM_POLYNOMIAL_MONOMIALS: usize = 80;

/// Maximum degree of a monomial.
pub(super) const MAXIMUM_DEGREE: usize = 6;

/// Maximum number of subterms that are visited to read a polynomial.
pub(super) const MAXIMUM_READ_SUBTERMS: u32 = 2_000;

// --- remainders ---

/// Maximum number of remainders by one divisor for which laws are instantiated.
pub(super) const MAXIMUM_REMAINDERS: usize = 6;

/// Maximum number of divisors for which laws are instantiated.
pub(super) const MAXIMUM_DIVISORS: usize = 3;

/// Maximum number of leaves of a divisor that is an `ite`.
pub(super) const MAXIMUM_DIVISOR_CASES: usize = 8;

// --- unknowns ---

/// Maximum number of sums and `ite` in products that are multiplied out by one abstraction.
pub(super) const MAXIMUM_EXPANSIONS: usize = 1_000;
