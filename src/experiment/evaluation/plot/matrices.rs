//! Matrices: invariants taken, by publisher and user; winning analyses, by configuration.

use std::collections::BTreeMap;

use super::{Kind, Plot, plain};
use crate::evaluation::best::answers_by_winner;
use crate::results::data::{Configuration, Data};

/// Returns a plot for each configuration whose analyses took invariants of one another.
pub fn publishers(data: &Data) -> Vec<Plot> {
    data.configurations
        .iter()
        .filter_map(of_configuration)
        .collect()
}

fn of_configuration(configuration: &Configuration) -> Option<Plot> {
    let mut numbers: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for analysis in configuration
        .records
        .iter()
        .flat_map(|record| &record.analyses)
    {
        for (publisher, number) in &analysis.taken {
            *numbers.entry((publisher, &analysis.name)).or_default() += number;
        }
    }
    let plot = Plot {
        name: format!("published-{}", plain(&configuration.name)),
        title: format!("{}: invariants taken, by publisher", configuration.name),
        kind: matrix("published by", "taken by", &numbers)?,
    };
    Some(plot)
}

/// Returns the plot of winning analyses, by configuration.
pub fn winners(data: &Data) -> Option<Plot> {
    let numbers = answers_by_winner(data);
    Some(Plot {
        name: "winners".to_owned(),
        title: "Winning analyses".to_owned(),
        kind: matrix("analysis", "configuration", &numbers)?,
    })
}

/// Returns the matrix with rows and columns in the order of their sums; `None` if it is empty.
fn matrix(row: &str, column: &str, numbers: &BTreeMap<(&str, &str), u64>) -> Option<Kind> {
    let mut sums: [BTreeMap<&str, u64>; 2] = Default::default();
    for (&(of, to), &number) in numbers {
        *sums[0].entry(of).or_default() += number;
        *sums[1].entry(to).or_default() += number;
    }
    let [rows, columns] = sums.map(|sums| {
        let mut order: Vec<(&str, u64)> = sums.into_iter().collect();
        order.sort_by_key(|&(name, sum)| (std::cmp::Reverse(sum), name));
        order
            .into_iter()
            .map(|(name, _)| name.to_owned())
            .collect::<Vec<String>>()
    });
    if rows.is_empty() {
        return None;
    }
    let values = rows.iter().flat_map(|of| {
        let values = columns
            .iter()
            .map(|to| numbers.get(&(of.as_str(), to.as_str())));
        values.map(|number| number.copied().unwrap_or(0))
    });
    Some(Kind::Matrix {
        row: row.to_owned(),
        column: column.to_owned(),
        values: values.collect(),
        rows,
        columns,
    })
}
