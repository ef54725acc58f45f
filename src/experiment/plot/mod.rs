//! Plots of an experiment, as SVG and PNG.
//!
//! What a plot shows is made here as plain data ([`Plot`]); [`draw`] knows how it looks.
//!
//! * [`curves`]: quantiles, score over time, survival by category; [`pairs`]: two configurations, the price of the race;
//!   [`matrices`]: who publishes to whom, who answers first.

pub mod curves;
pub mod draw;
pub mod matrices;
pub mod pairs;

use std::collections::BTreeSet;

use super::data::Data;

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// A name for files, in plain letters.
    pub name: String,
    pub title: String,
    pub kind: Kind,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Lines over two axes.
    Curves {
        x: Axis,
        y: Axis,
        /// Where there is room for the names.
        legend: Corner,
        curves: Vec<Curve>,
    },
    /// A point a task: both axes are times in seconds, logarithmic, and what was not solved is at the border.
    Pairs {
        x: String,
        y: String,
        /// Times beyond this were not had.
        limit: f64,
        points: Vec<Point>,
    },
    /// Numbers by row and column.
    Matrix {
        /// What rows and columns are.
        row: String,
        column: String,
        rows: Vec<String>,
        columns: Vec<String>,
        /// Row by row.
        values: Vec<u64>,
    },
}

/// A corner of a drawing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Corner {
    UpperLeft,
    LowerLeft,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub label: String,
    pub scale: Scale,
}

/// How values lie on an axis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// Times in seconds.
    Logarithmic,
}

/// A line, with what it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// A task in a comparison of times.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Whether an answer is wrong.
    pub is_wrong: bool,
}

/// Times below this are drawn as this: they are noise.
pub const SHORTEST: f64 = 0.01;

/// All plots of the data. Pairs are of the base and each other configuration.
pub fn plots(data: &Data, base: usize) -> Vec<Plot> {
    let mut plots = vec![curves::quantiles(data), curves::score_over_time(data)];
    plots.extend(curves::survival(data));
    plots.extend(
        (0..data.configurations.len())
            .filter(|&other| other != base)
            .map(|other| pairs::scatter(data, base, other)),
    );
    plots.extend(pairs::price_of_the_race(data));
    plots.extend(matrices::publishers(data));
    plots.extend(matrices::winners(data));
    // Plain names of two configurations may be the same.
    let mut taken = BTreeSet::new();
    for plot in &mut plots {
        let base = plot.name.clone();
        let mut number = 1;
        while !taken.insert(plot.name.clone()) {
            number += 1;
            plot.name = format!("{base}-{number}");
        }
    }
    plots
}

/// A name in plain letters for a file.
pub fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let letters = name.chars().take(80);
    letters
        .map(|letter| if is_plain(letter) { letter } else { '_' })
        .collect()
}
