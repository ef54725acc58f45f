//! `regatta portfolio`: lists the portfolios and prints their options.

use crate::options::PortfolioCommand;
use crate::{EXIT_INPUT, complain_rendered, input};
use regatta_base::Error;
use regatta_run::config::{Analysis, Portfolio};

/// Runs the command; returns the exit code.
pub fn run(command: &PortfolioCommand) -> u8 {
    let text = match command {
        PortfolioCommand::List => list(),
        PortfolioCommand::Explain { portfolio, set } => {
            Portfolio::find_with(portfolio, set).map(|portfolio| portfolio.explain())
        }
    };
    match text {
        Ok(text) => crate::print(text.as_bytes(), 0),
        Err(error) => {
            complain_rendered(&error.render(input::style()));
            EXIT_INPUT
        }
    }
}

/// Returns a line for each portfolio, and one for its analyses.
fn list() -> Result<String, Error> {
    let mut text = String::new();
    for name in Portfolio::names() {
        let portfolio = Portfolio::find(name)?;
        let analyses: Vec<&str> = portfolio.analyses.iter().map(Analysis::name).collect();
        let description = &portfolio.general.description;
        text.push_str(&format!(
            "{name:10} {description}\n           [{}]\n",
            analyses.join(", ")
        ));
    }
    Ok(text)
}
