//! The configurations of papers, by the name `papers/NAME`: each option has the paper's value. `tests/papers` has these values
//! with their places in the papers, and the book's page on the papers what is left to differ.

/// Gives a file of `portfolios/papers` its name.
macro_rules! papers {
    ($($name:literal,)+) => {
        &[$((
            concat!("papers/", $name),
            include_str!(concat!("../../../portfolios/papers/", $name, ".toml")),
        )),+]
    };
}

/// The portfolio files that are compiled in.
pub const SHIPPED: &[(&str, &str)] = papers![
    "bmc",
    "k-induction",
    "predicate-abstraction",
    "impact",
    "ufo",
    "ufo-cartesian",
    "ufo-none",
    "ufo-paths",
    "ki",
    "kipdr",
    "ki-df",
    "ki-boxes",
    "ki-boxes-eq",
    "ki-kipdr",
    "ki-df-kipdr",
    "path-invariants-df",
    "path-invariants-kipdr",
    "ic3-noopt",
    "ic3-c",
    "ic3-cg",
    "ic3-cr",
    "ic3-cgr",
    "ic3-crl",
    "ic3-cgrl",
    "ic3-preimages",
    "ic3-beautiful",
    "ctigar",
    "vvt",
    "seahorn",
    "gpdr",
    "spacer",
    "spacer-pba",
    "spacer-variables",
];
