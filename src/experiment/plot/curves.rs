//! Lines: how many tasks are solved in which time, the score over time, what is left of each category.

use super::{Axis, Corner, Curve, Kind, Plot, SHORTEST, Scale, plain};
use crate::data::Data;

/// The categories with the most runs that a plot shows.
const MOST_CATEGORIES: usize = 12;

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

/// For each configuration, the times of what it solves in their order.
pub fn quantiles(data: &Data) -> Plot {
    let curves = data.configurations.iter().map(|configuration| {
        let solved = configuration
            .records
            .iter()
            .filter(|record| record.is_solved());
        let mut times: Vec<f64> = solved.map(|record| record.wall.max(SHORTEST)).collect();
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

/// For each configuration, the score that it has if every run may take so long.
pub fn score_over_time(data: &Data) -> Plot {
    let curves = data.configurations.iter().map(|configuration| {
        let answers = configuration
            .records
            .iter()
            .filter(|record| record.score != 0);
        let mut answers: Vec<(f64, i32)> = answers
            .map(|record| (record.wall.max(SHORTEST), record.score))
            .collect();
        answers.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut score = 0;
        let mut points = vec![(SHORTEST, 0.0)];
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
        title: "Score by the time that a run may take".to_owned(),
        kind: Kind::Curves {
            x: time_axis(),
            y: linear("score"),
            legend: Corner::UpperLeft,
            curves: curves.collect(),
        },
    }
}

/// A plot for each configuration: the part of each category that is not solved, over time.
pub fn survival(data: &Data) -> Vec<Plot> {
    let configurations = data.configurations.iter();
    let plots = configurations.map(|configuration| {
        let sizes = data
            .categories
            .iter()
            .map(|category| (category, configuration.of(Some(category)).count()));
        let mut sizes: Vec<(&String, usize)> = sizes.filter(|&(_, size)| size > 0).collect();
        sizes.sort_by_key(|&(category, size)| (std::cmp::Reverse(size), category));
        sizes.truncate(MOST_CATEGORIES);
        let curves = sizes.iter().map(|&(category, size)| {
            let solved = configuration
                .of(Some(category))
                .filter(|record| record.is_solved());
            let mut times: Vec<f64> = solved.map(|record| record.wall.max(SHORTEST)).collect();
            times.sort_unstable_by(f64::total_cmp);
            let mut left = size;
            let mut points = vec![(SHORTEST, 1.0)];
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
            title: format!("{}: what is left of each category", configuration.name),
            kind: Kind::Curves {
                x: time_axis(),
                y: linear("part that is not solved"),
                legend: Corner::LowerLeft,
                curves: curves.collect(),
            },
        }
    });
    plots.collect()
}
