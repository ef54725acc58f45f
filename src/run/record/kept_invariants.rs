//! The file of the invariants that are kept for the next run.
//!
//! An invariant is named by what most edits of the source leave as it is: the function, the number of the loop in it, and the
//! names of variables. The next run of the program, which may have changed, has them as candidates: what was proved is
//! proved again before anything rests on it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file;
use regatta_base::digest::sha256;
use regatta_term::{Arena, Exporter, PortableTerms, TermId, store, transfer};

/// Maximum number of invariants in a file; the first ones are kept.
const MAXIMUM_KEPT: usize = 400;

/// A loop as the source has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct KeptPlace {
    /// The function that has the loop.
    pub function: String,
    /// The number of the loop among those of the function, from zero, in the order of the text.
    pub number: u32,
    /// The functions that are being called, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// An invariant of a loop that an earlier run has proved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptInvariant {
    pub place: KeptPlace,
    /// The formula for people to read.
    pub text: String,
    /// The number of runs since then that have not proved it.
    #[serde(default)]
    pub misses: u32,
    /// The formula, which is the last of the terms.
    terms: PortableTerms,
}

impl KeptInvariant {
    /// Makes an invariant that has just been proved.
    pub fn new(place: KeptPlace, text: String, formula: TermId) -> Self {
        let mut exporter = Exporter::default();
        exporter.add(store(), formula);
        Self {
            place,
            text,
            misses: 0,
            terms: exporter.take(),
        }
    }

    /// The formula in the shared store, in the store's normal form.
    pub fn formula(&self) -> Option<TermId> {
        let arena = Arena::new();
        let formula = self.terms.import(&arena)?.pop()?;
        Some(transfer(&arena, store(), formula))
    }
}

/// The contents of a file.
#[derive(Serialize, Deserialize)]
struct Contents<I> {
    /// The version of the verifier.
    version: String,
    /// The digest of the version and the invariants. Another program that has changed the file may have written what is no
    /// term.
    digest: String,
    invariants: I,
}

/// Reads the invariants of an earlier run; a file that is not there has none.
///
/// # Errors
/// Why the file is of no use.
pub(crate) fn read(file: &Path) -> Result<Vec<KeptInvariant>, String> {
    let text = match std::fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    let contents: Contents<Vec<KeptInvariant>> =
        serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    if contents.version != env!("CARGO_PKG_VERSION") {
        return Err("another version of the verifier has written it".to_owned());
    }
    match digest(&contents.invariants) {
        Some(digest) if digest == contents.digest => Ok(contents.invariants),
        _ => Err("its digest is wrong".to_owned()),
    }
}

/// Writes the invariants for the next run.
///
/// # Errors
/// When the system refuses.
pub(crate) fn write(file: &Path, invariants: &[KeptInvariant]) -> std::io::Result<()> {
    let invariants = &invariants[..invariants.len().min(MAXIMUM_KEPT)];
    let contents = Contents {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        digest: digest(invariants).unwrap_or_default(),
        invariants,
    };
    file::write(file, &serde_json::to_vec(&contents)?)
}

fn digest(invariants: &[KeptInvariant]) -> Option<String> {
    let mut text = serde_json::to_vec(invariants).ok()?;
    text.extend_from_slice(env!("CARGO_PKG_VERSION").as_bytes());
    Some(sha256(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Build, Sort, Symbol};

    #[test]
    fn invariants_are_read_as_written_or_not_at_all() {
        let pool = store();
        let wide = pool.variable(Symbol::new("kept wide", Sort::BitVec(128)));
        let formula = pool.ult(wide, pool.bv(128, u128::MAX - 5));
        let place = KeptPlace {
            function: "f".to_owned(),
            number: 2,
            calls: vec!["main".to_owned()],
        };
        let kept = vec![KeptInvariant::new(place, "a text".to_owned(), formula)];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("kept.json");
        assert_eq!(read(&file), Ok(Vec::new()));
        write(&file, &kept).expect("written");
        let again = read(&file).expect("invariants");
        assert_eq!(again, kept);
        assert_eq!(again[0].formula(), Some(formula));
        let text = std::fs::read_to_string(&file).expect("text");
        for (from, to) in [
            ("\"number\":2", "\"number\":3"),
            ("BitVec", "Int"),
            ("}", ""),
        ] {
            std::fs::write(&file, text.replacen(from, to, 1)).expect("written");
            assert!(read(&file).is_err(), "{from}");
        }
    }
}
