//! Faults that are planted on purpose, to see who catches them: a part of the copy that `scripts/planted-faults.py` makes.

/// `planted!("name", right, wrong)`: what is right, or the fault where it is planted.
macro_rules! planted {
    ($name:literal, $right:expr, $wrong:expr $(,)?) => {
        if $crate::planted::is_planted($name) {
            $wrong
        } else {
            $right
        }
    };
}

/// Whether the fault of that name is planted in this process, by `REGATTA_PLANTED_FAULT`: names with commas between them.
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
