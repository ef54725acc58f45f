//! Plots of an experiment, as SVG and PNG.
//!
//! The content of a plot is plain data ([`Plot`]), which [`draw`] renders.
//!
//! * [`curves`]: quantiles, score over time, survival by category; [`pairs`]: two configurations, the price of the race;
//!   [`matrices`]: invariants by publisher, winning analyses.

pub mod curves;
pub mod draw;
pub mod matrices;
pub mod pairs;

use std::collections::BTreeSet;

use crate::results::data::Data;

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// A name for files, in plain letters.
    pub name: String,
    pub title: String,
    pub kind: Kind,
}

/// The kinds of plots.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Lines over two axes.
    Curves {
        x: Axis,
        y: Axis,
        /// The corner for the legend.
        legend: Corner,
        curves: Vec<Curve>,
    },
    /// A point for each task: both axes are logarithmic times in seconds, and unsolved tasks are at the border.
    Pairs {
        x: String,
        y: String,
        /// The limit of wall time.
        limit: f64,
        points: Vec<Point>,
    },
    /// Numbers by row and column.
    Matrix {
        /// The titles of rows and columns.
        row: String,
        column: String,
        rows: Vec<String>,
        columns: Vec<String>,
        /// The values, row by row.
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

/// The scale of an axis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// Times in seconds.
    Logarithmic,
}

/// A line with its name.
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

/// Minimum time that is drawn, in seconds; shorter ones are noise.
pub const MINIMUM_TIME: f64 = 0.01;

/// Returns all plots of the data. Scatter plots compare the base with each other configuration.
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

/// Returns a name for files in plain letters.
pub fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let letters = name.chars().take(80);
    letters
        .map(|letter| if is_plain(letter) { letter } else { '_' })
        .collect()
}
