//! The limits of questions to solvers and of their records.

use std::time::Duration;

// --- alike ---

/// Maximum number of conjuncts of a condition whose variables are renamed.
pub(super) const MAXIMUM_RENAMED_CONJUNCTS: usize = 24;

/// Maximum size of such a condition (terms).
pub(super) const MAXIMUM_RENAMED_SIZE: usize = 600;

/// Minimum number of conditions of which those that are alike are sought.
pub(super) const MINIMUM_CONDITIONS_FOR_LIKENESS: usize = 48;

/// Minimum number of conditions that one has to stand for on average.
pub(super) const MINIMUM_LIKENESS: usize = 2;

// --- many ---

/// Number of conjuncts, those made last, whose intervals may exclude a condition, and of definitions for them.
pub(super) const CONJUNCTS_FOR_VALUES: usize = 16;

/// Maximum size of a question (terms) that is asked as a whole before its conditions by themselves, and the time for it. One in
/// tests, which cover these.
pub(super) const MAXIMUM_SIZE_BEFORE_NEWEST: usize = if cfg!(test) { 1 } else { 4000 };
pub(super) const TIME_BEFORE_PARTS: Duration = Duration::from_millis(500);

/// Numbers of conjuncts, those made last, by which conditions are excluded first.
pub(super) const NEWEST_CONJUNCTS: [usize; 3] = [1, 4, 16];

/// Maximum number of definitions for a condition's newest conjuncts, and maximum wall time of a question about them.
pub(super) const DEFINITIONS_PER_CONDITION: usize = 16;
pub(super) const NEWEST_TIME: Duration = Duration::from_millis(100);

/// Maximum wall time of consecutive such questions that exclude nothing; then more conjuncts are asked about.
pub(super) const MAXIMUM_TIME_IN_VAIN: Duration = Duration::from_secs(2);

/// Maximum number of independent parts of a condition that are asked about.
pub(super) const MAXIMUM_PARTS_PER_CONDITION: usize = 2;

/// Maximum wall time of a question about an independent part.
pub(super) const PART_TIME: Duration = Duration::from_millis(100);

/// Maximum number of consecutive conditions that are divided in vain; the others are not.
pub(super) const MAXIMUM_CONDITIONS_IN_VAIN: usize = 4;

// --- opinion ---

/// Maximum wall time of a question about an obligation to each solver.
pub(super) const OBLIGATION_TIME: Duration = Duration::from_secs(10);

/// Number of simplifications that are asked about together.
pub(super) const SIMPLIFICATIONS_PER_QUESTION: usize = 48;

/// Maximum wall time of a question about a single simplification to each solver.
pub(super) const SIMPLIFICATION_TIME: Duration = Duration::from_secs(1);

/// Maximum number of simplifications that are asked about.
pub(super) const MAXIMUM_SIMPLIFICATIONS: usize = 20_000;

// --- query ---

/// Maximum wall time of a question in the stage [`Stage::Unknowns`].
pub(super) const UNKNOWNS_STAGE_TIME: Duration = Duration::from_millis(500);

/// Maximum wall time of a question in the stage [`Stage::Power`].
pub(super) const POWER_STAGE_TIME: Duration = Duration::from_millis(200);

/// Maximum wall time of a question as a whole, if its parts can be asked in parallel. Zero in tests, which cover the parts.
pub(super) const WHOLE_QUESTION_TIME: Duration =
    Duration::from_millis(if cfg!(test) { 0 } else { 100 });

/// Maximum size of a question (terms) that is asked as a whole before its parts.
pub(super) const MAXIMUM_SIZE_AS_A_WHOLE: usize = 20_000;

/// Maximum wall time of a question whose terms with equal linear forms are merged, before its stages and parts.
pub(super) const TIME_OF_MERGED_QUESTION: Duration = Duration::from_millis(500);

/// Maximum size of a question with products (terms) that goes to the stages of the entailment at once.
pub(super) const MAXIMUM_SIZE_FOR_STAGES: usize = 2000;

/// Maximum wall time of a larger question before these stages.
pub(super) const TIME_BEFORE_STAGES: Duration = Duration::from_secs(5);

/// Wall time of a hard question before equal terms in it are merged.
pub(super) const FIRST_TIME_OF_HARD_QUESTION: Duration = Duration::from_millis(2500);

/// Maximum wall time of the comparison of two terms that may be equal.
pub(super) const MAXIMUM_MERGE_TIME: Duration = Duration::from_millis(1000);

/// Maximum wall time of all such comparisons for a question.
pub(super) const MAXIMUM_SWEEPING_TIME: Duration = Duration::from_secs(5);

/// Minimum number of targets of a program whose questions are divided if they are large or have as many conditions.
pub(super) const MINIMUM_TARGETS_FOR_PARTS: usize = 16;

/// Number of parts of a question for each thread.
pub(super) const PARTS_PER_THREAD: usize = 2;

/// Maximum number of conditions in a part if quantified formulas are instantiated: a single condition needs few of the
/// instances, all conditions together need all of them.
pub(super) const MAXIMUM_CONDITIONS_PER_INSTANTIATED_PART: usize = 1;

// --- record ---

/// Number of simplifications in a file.
pub(super) const SIMPLIFICATIONS_PER_FILE: usize = 48;

/// Maximum size of all files (bytes); beyond it recording fails.
pub(super) const MAXIMUM_RECORDED_BYTES: u64 = 2 << 30;

/// Maximum length of a formula in the index (bytes); the files have it whole.
pub(super) const MAXIMUM_INDEX_FORMULA_LENGTH: usize = 200;
