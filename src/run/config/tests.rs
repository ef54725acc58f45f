use super::*;
use regatta_base::options::Options;
use regatta_engines::bmc;

#[test]
fn shipped_portfolios_can_be_read() {
    for name in Portfolio::names() {
        let portfolio = Portfolio::find(name).unwrap_or_else(|error| panic!("{error}"));
        assert!(!portfolio.general.description.is_empty(), "{name}");
    }
}

#[test]
fn an_explanation_has_all_options_and_is_the_same_portfolio() {
    for name in Portfolio::names() {
        let portfolio = Portfolio::find(name).expect("a shipped one");
        let text = portfolio.explain();
        let again = Portfolio::parse("explained", &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, portfolio, "{text}");
        let all = [&portfolio.general as &dyn Options, &portfolio.schedule];
        let engines = portfolio
            .analyses
            .iter()
            .map(|analysis| &*analysis.engine as &dyn Options);
        for entry in all.into_iter().chain(engines).flat_map(Options::entries) {
            let line = format!("\n{} = {}\n", entry.name, entry.value);
            assert!(text.contains(&line), "{entry:?}");
            assert!(!entry.documentation.is_empty());
        }
    }
}

#[test]
fn every_engine_has_its_name() {
    for name in AnyEngine::names() {
        let engine = AnyEngine::by_name(name).expect("an engine");
        assert_eq!(engine.registration().name, name);
        assert!(!engine.registration().summary.is_empty());
    }
}

#[test]
fn without_sharing_no_kind_of_message_is_exchanged() {
    let kinds = |options: &str| {
        let text = format!("{options}\n[[analysis]]\nengine = \"bmc\"\n");
        let portfolio = Portfolio::parse("p.toml", &text);
        let portfolio = portfolio.unwrap_or_else(|error| panic!("{error}"));
        portfolio.general.kinds()
    };
    assert_eq!(kinds(""), Kinds::ALL);
    assert_eq!(kinds("sharing = \"off\""), Kinds::NONE);
    let without_states = Kinds {
        reached: false,
        ..Kinds::ALL
    };
    assert_eq!(kinds("share_states = \"off\""), without_states);
}

#[test]
fn options_are_taken_from_the_file() {
    let text = r#"
        sharing = "off"
        schedule = { first_slice = 0.5, growth = 2 }
        [[analysis]]
        engine = "bmc"
        encoding = "integer"
        max_bound = 7
        [[analysis]]
        name = "other"
        engine = "bmc"
        solver = "yices2"
        priority = 3
    "#;
    let portfolio = Portfolio::parse("p.toml", text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(portfolio.general.sharing, Switch::Off);
    assert_eq!(portfolio.schedule.first_slice, Duration::from_millis(500));
    assert_eq!(
        portfolio.schedule.longest_slice,
        Schedule::default().longest_slice
    );
    let [first, second] = portfolio.analyses.as_slice() else {
        panic!("two analyses");
    };
    assert_eq!(first.name(), "bmc");
    assert_eq!(
        first.engine,
        AnyEngine::Bmc(bmc::Options {
            max_bound: 7,
            ..bmc::Options::default()
        })
    );
    let solver = first.solver.as_ref().expect("a solver");
    assert_eq!(
        (solver.solver, solver.encoding),
        (Backend::Z3, Encoding::Integer)
    );
    assert_eq!((second.name(), second.common.priority), ("other", 3));
}

#[test]
fn names_are_suggested() {
    let error = Portfolio::find("defualt").expect_err("no such portfolio");
    assert_eq!(error.help(), Some("did you mean `default`?"));
    assert_eq!(error.kind(), ErrorKind::Portfolio);
    let error = Portfolio::find("no/such.toml").expect_err("no such file");
    assert_eq!(error.kind(), ErrorKind::Unreadable);
}

#[test]
fn only_selected_analyses_run() {
    let mut portfolio = Portfolio::find("default").expect("a shipped one");
    let settings = ["only=[\"impact\", \"bmc\"]".to_owned()];
    portfolio
        .set(&settings)
        .unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = portfolio.analyses.iter().map(Analysis::name).collect();
    assert_eq!(names, ["bmc", "impact"]);
    // The analysis that it would wait for is not selected.
    assert_eq!(portfolio.analyses[1].common.after, "");
    let turns = portfolio.openings.iter().flat_map(|opening| &opening.turns);
    assert!(turns.into_iter().all(|turn| turn.analysis == "bmc"));

    let mut portfolio = Portfolio::find("default").expect("a shipped one");
    let error = portfolio.set(&["only=[\"bcm\"]".to_owned()]);
    let error = error.expect_err("there is none");
    assert_eq!(error.help(), Some("did you mean `bmc`?"));
}

#[test]
fn turns_of_openings_are_of_analyses() {
    let text = "[[opening]]\nturns = [\"bcm 0.1\"]\n[[analysis]]\nengine = \"bmc\"\n";
    let error = Portfolio::parse("p.toml", text).expect_err("there is none");
    assert!(error.to_string().contains("p.toml:1:1"), "{error}");
    assert_eq!(error.help(), Some("did you mean `bmc`?"));
    let text = text.replace("bcm 0.1", "bmc");
    let error = Portfolio::parse("p.toml", &text).expect_err("no time");
    assert!(error.to_string().contains("ANALYSIS SECONDS"), "{error}");
}
