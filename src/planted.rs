//! Faults that are planted on purpose, to see who catches them.
//!
//! With the cargo feature `planted-faults`, `planted!` chooses at run time between what is right and a fault, by the
//! names in `REGATTA_PLANTED_FAULT` (several are separated by commas). Without the feature, it is what is right. A name begins
//! with the part of the program that the fault is in, and goes on with what is believed where it is planted: in a rule of the
//! terms' constructors or of the simplifier, in a transfer function of the checker, or in its check of a kind of step.
//!
//! The list of all faults is `tests/faults/faults.tsv`; `scripts/planted-faults.py` plants them one at a time and tells who
//! caught what. A line of it has the faults, a program with its verdict and the command's options, and who catches them: the
//! checker, the replay of alarms, a second opinion, or nobody but the one who knows the verdict. Instead of a program, it may
//! name tests of the library, of which one fails; the verdict is `pass` then.
//!
//! A *lie* is a fault of an engine that hands in a certificate for nothing: the checker catches all of them, but for those
//! that a fault of its own lets through.

/// `planted!("name", right, wrong)`: what is right, or the fault where it is planted.
#[cfg(not(feature = "planted-faults"))]
macro_rules! planted {
    ($name:literal, $right:expr, $wrong:expr $(,)?) => {
        $right
    };
}

/// `planted!("name", right, wrong)`: what is right, or the fault where it is planted.
#[cfg(feature = "planted-faults")]
macro_rules! planted {
    ($name:literal, $right:expr, $wrong:expr $(,)?) => {
        if $crate::planted::is_planted($name) {
            $wrong
        } else {
            $right
        }
    };
}

/// The list of faults: a line for each program that shows one.
#[cfg(any(test, feature = "planted-faults"))]
pub const LIST: &str = include_str!("../tests/faults/faults.tsv");

/// Whether the fault of that name is planted in this process.
#[cfg(feature = "planted-faults")]
pub fn is_planted(name: &str) -> bool {
    use std::sync::OnceLock;
    static CHOSEN: OnceLock<Vec<String>> = OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| {
        let names = std::env::var("REGATTA_PLANTED_FAULT").unwrap_or_default();
        let names = names.split(',').filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    });
    !chosen.is_empty() && chosen.iter().any(|other| other == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    fn names_in_sources(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                names_in_sources(&path, names);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("src/planted.rs")
            {
                let text = std::fs::read_to_string(&path).expect("a source");
                let uses = text.split("planted!(").skip(1);
                let found = uses.filter_map(|rest| rest.trim_start().strip_prefix('"'));
                names.extend(found.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
            }
        }
    }

    #[test]
    fn every_fault_has_a_line_that_shows_it() {
        let mut planted = BTreeSet::new();
        names_in_sources(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut planted,
        );
        let mut listed = BTreeSet::new();
        for line in super::LIST.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [faults, program, verdict, options, who] = fields[..] else {
                panic!("not five fields: {line}");
            };
            listed.extend(faults.split(',').map(str::to_owned));
            assert!(!options.is_empty() && !who.is_empty(), "{line}");
            if verdict == "pass" {
                assert_eq!(program, "library", "{line}");
                assert_eq!(who, "test", "{line}");
                continue;
            }
            assert!(["true", "false", "unknown"].contains(&verdict), "{line}");
            let file = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests")
                .join(program);
            assert!(file.exists(), "{}", file.display());
        }
        assert_eq!(planted, listed);
    }
}
