//! Tests of everything between a text and its syntax trees.

use std::path::Path;

use super::*;
use crate::frontend::preprocess::{Options, preprocess};

/// The error's first line, or `None` if the text can be parsed.
fn failure(text: &str) -> Option<String> {
    with_large_stack(|| {
        parse(Preprocessed::from_text("t.c", text))
            .err()
            .map(|error| error.to_string())
    })
    .unwrap()
}

#[test]
#[ignore = "needs a list of files"]
fn files_of_a_list() {
    let list = std::fs::read_to_string(std::env::var("LIST").unwrap()).unwrap();
    for file in list.lines() {
        let start = std::time::Instant::now();
        let source = preprocess(Path::new(file), &Options::default()).unwrap();
        let preprocessed = start.elapsed();
        let failure = with_large_stack(|| {
            parse(source)
                .err()
                .map(|error| error.render(crate::frontend::Style::Plain))
        })
        .unwrap();
        if let Some(failure) = failure {
            println!("{file}: {failure}");
        }
        println!(
            "{file}: {preprocessed:?} {:?}",
            start.elapsed() - preprocessed
        );
    }
}

#[test]
#[ignore = "needs a list of cases"]
fn cases_of_a_file() {
    let cases = std::fs::read_to_string(std::env::var("CASES").unwrap()).unwrap();
    for case in cases.split("\n====\n") {
        if let Some(failure) = failure(case) {
            println!("{}\n    {failure}", case.replace('\n', " "));
        }
    }
}
