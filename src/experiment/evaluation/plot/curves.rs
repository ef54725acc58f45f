//! Curves: quantiles of times, the score over time, and the unsolved part of each category over time.

use super::{Axis, Corner, Curve, Kind, MINIMUM_TIME, Plot, Scale, plain};
use crate::results::data::Data;

/// Maximum number of categories in a plot: those with the most runs.
const MAXIMUM_CATEGORIES: usize = 12;

fn time_axis() -> Axis {
    Axis {
        label: "wall time (s)".to_owned(),
        scale: Scale::Logarithmic,
    }
}

fn linear(label: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        scale: Scale::Linear,
    }
}

/// Plots for each configuration the times of solved tasks in ascending order.
pub fn quantiles(data: &Data) -> Plot {
    let curves = data.configurations.iter().map(|configuration| {
        let solved = configuration
            .records
            .iter()
            .filter(|record| record.is_solved());
        let mut times: Vec<f64> = solved.map(|record| record.wall.max(MINIMUM_TIME)).collect();
        times.sort_unstable_by(f64::total_cmp);
        Curve {
            name: configuration.name.clone(),
            points: (1..).map(f64::from).zip(times).collect(),
        }
    });
    Plot {
        name: "quantiles".to_owned(),
        title: "Quantiles: tasks solved, by wall time".to_owned(),
        kind: Kind::Curves {
            x: linear("tasks solved"),
            y: time_axis(),
            legend: Corner::UpperLeft,
            curves: curves.collect(),
        },
    }
}

/// Plots for each configuration the score as a function of the time limit.
pub fn score_over_time(data: &Data) -> Plot {
    let curves = data.configurations.iter().map(|configuration| {
        let answers = configuration
            .records
            .iter()
            .filter(|record| record.score != 0);
        let mut answers: Vec<(f64, i32)> = answers
            .map(|record| (record.wall.max(MINIMUM_TIME), record.score))
            .collect();
        answers.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut score = 0;
        let mut points = vec![(MINIMUM_TIME, 0.0)];
        for (time, more) in answers {
            points.push((time, f64::from(score)));
            score += more;
            points.push((time, f64::from(score)));
        }
        points.push((configuration.limit, f64::from(score)));
        Curve {
            name: configuration.name.clone(),
            points,
        }
    });
    Plot {
        name: "score".to_owned(),
        title: "Score by time limit".to_owned(),
        kind: Kind::Curves {
            x: time_axis(),
            y: linear("score"),
            legend: Corner::UpperLeft,
            curves: curves.collect(),
        },
    }
}

/// Returns a plot for each configuration: the unsolved part of each category over time.
pub fn survival(data: &Data) -> Vec<Plot> {
    let configurations = data.configurations.iter();
    let plots = configurations.map(|configuration| {
        let sizes = data
            .categories
            .iter()
            .map(|category| (category, configuration.of(Some(category)).count()));
        let mut sizes: Vec<(&String, usize)> = sizes.filter(|&(_, size)| size > 0).collect();
        sizes.sort_by_key(|&(category, size)| (std::cmp::Reverse(size), category));
        sizes.truncate(MAXIMUM_CATEGORIES);
        let curves = sizes.iter().map(|&(category, size)| {
            let solved = configuration
                .of(Some(category))
                .filter(|record| record.is_solved());
            let mut times: Vec<f64> = solved.map(|record| record.wall.max(MINIMUM_TIME)).collect();
            times.sort_unstable_by(f64::total_cmp);
            let mut left = size;
            let mut points = vec![(MINIMUM_TIME, 1.0)];
            for time in times {
                points.push((time, left as f64 / size as f64));
                left -= 1;
                points.push((time, left as f64 / size as f64));
            }
            points.push((configuration.limit, left as f64 / size as f64));
            Curve {
                name: format!("{category} ({size})"),
                points,
            }
        });
        Plot {
            name: format!("survival-{}", plain(&configuration.name)),
            title: format!("{}: unsolved part of each category", configuration.name),
            kind: Kind::Curves {
                x: time_axis(),
                y: linear("unsolved part"),
                legend: Corner::LowerLeft,
                curves: curves.collect(),
            },
        }
    });
    plots.collect()
}
