//! The checks that `--only` names.

use regatta_program::TargetSet;
use regatta_report::place::Place;
use regatta_run::check::CheckRow;

/// Returns the checks that are named: by their numbers, or by their places FILE:LINE or FILE:LINE:COLUMN. The file may be named
/// without its folders. Returns `None` if nothing is named.
///
/// # Errors
/// A message for the user, if a name is that of no check.
pub fn select(names: &[String], checks: &[CheckRow]) -> Result<Option<TargetSet>, String> {
    let mut selected = Vec::new();
    for name in names {
        let named = checks.iter().filter(|row| is_named(row, name.trim()));
        let named: Vec<_> = named.map(CheckRow::target).collect();
        if named.is_empty() {
            return Err(format!(
                "error: no such check: `{name}`; --show-checks lists the checks of the program, {} in all",
                checks.len()
            ));
        }
        selected.extend(named);
    }
    Ok((!names.is_empty()).then(|| selected.into_iter().collect()))
}

fn is_named(row: &CheckRow, name: &str) -> bool {
    if let Ok(number) = name.parse::<u32>() {
        return row.number == number;
    }
    let Some(place) = Place::parse(&row.place) else {
        return false;
    };
    let line = format!(":{}", place.line);
    let column = format!("{line}:{}", place.column);
    [column, line].iter().any(|end| {
        name.strip_suffix(end.as_str())
            .is_some_and(|file| !file.is_empty() && is_same_file(&place.file, file))
    })
}

fn is_same_file(file: &str, name: &str) -> bool {
    file.strip_suffix(name)
        .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Vec<CheckRow> {
        let places = ["src/a.c:3:5", "src/a.c:3:9", "src/aa.c:13:5"];
        let rows = places.into_iter().zip(1..).map(|(place, number)| {
            serde_json::from_value(serde_json::json!({
                "number": number,
                "place": place,
                "property": "valid-deref",
                "text": "",
                "verdict": "open",
            }))
        });
        rows.collect::<Result<_, _>>().expect("rows")
    }

    fn numbers(names: &[&str]) -> Result<Vec<u32>, String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let selected = select(&names, &checks())?;
        let selected = selected.expect("something is named");
        Ok(selected.iter().map(|target| target.0 + 1).collect())
    }

    #[test]
    fn checks_are_named_by_number_or_place() {
        assert_eq!(numbers(&["2"]), Ok(vec![2]));
        assert_eq!(numbers(&["a.c:3"]), Ok(vec![1, 2]));
        assert_eq!(numbers(&["src/a.c:3:9", "3"]), Ok(vec![2, 3]));
        assert_eq!(numbers(&["aa.c:13"]), Ok(vec![3]));
        assert_eq!(select(&[], &checks()), Ok(None));
    }

    #[test]
    fn a_name_of_no_check_is_refused() {
        for name in ["0", "4", "a.c:5", "a.c:3:1", ":3", "c:3", "x"] {
            let refused = numbers(&["1", name]).unwrap_err();
            assert!(refused.contains(&format!("`{name}`")), "{refused}");
        }
    }
}
