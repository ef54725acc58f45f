//! The supervisor and the processes that are made from the zygote, case by case on the main thread: they fork, which is safe
//! only while the process has one thread, and the standard test harness has many.

use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regatta::certify::portable::Request;
use regatta::certify::{Certificate, Check, InvariantLocation, ProofStep};
use regatta::frontend::{LoadOptions, load};
use regatta::program::{EdgeId, LocationId, simplify};
use regatta::run::check_process::{ProofChecker, check};
use regatta::run::crash;
use regatta::run::event::{Event, EventKind, Reporter, Size};
use regatta::run::options::Limits;
use regatta::run::supervisor::{Attempt, Outcome, RaceEnd, supervise};
use regatta::run::verdict::{Conclusion, Verdict};
use regatta::run::zygote::Zygote;
use regatta::solver::remote::RemoteSolver;
use regatta::solver::{Answer, CheckLimit, Reason, Solver};
use regatta::term::{Build, Op, Pool, Sort, Symbol, store};

type Case = (&'static str, fn() -> Result<(), String>);

const CASES: [Case; 17] = [
    ("an_answer_comes_through", an_answer_comes_through),
    (
        "the_wall_limit_ends_a_race_that_hangs",
        the_wall_limit_ends_a_race_that_hangs,
    ),
    (
        "an_answer_that_is_awaited_prolongs_the_race",
        an_answer_that_is_awaited_prolongs_the_race,
    ),
    (
        "an_answer_that_is_checked_prolongs_the_race_further",
        an_answer_that_is_checked_prolongs_the_race_further,
    ),
    (
        "a_race_over_several_checks_takes_as_long_as_reading",
        a_race_over_several_checks_takes_as_long_as_reading,
    ),
    (
        "the_cpu_limit_ends_a_race_that_spins",
        the_cpu_limit_ends_a_race_that_spins,
    ),
    (
        "a_crash_is_attributed_and_the_race_starts_again",
        a_crash_is_attributed_and_the_race_starts_again,
    ),
    (
        "a_crash_that_nobody_claims_is_unknown",
        a_crash_that_nobody_claims_is_unknown,
    ),
    ("what_the_race_uses_is_told", what_the_race_uses_is_told),
    (
        "what_a_large_race_has_used_is_known_at_once",
        what_a_large_race_has_used_is_known_at_once,
    ),
    ("what_the_race_starts_counts", what_the_race_starts_counts),
    (
        "an_answer_ends_a_race_that_has_other_threads",
        an_answer_ends_a_race_that_has_other_threads,
    ),
    (
        "proofs_are_checked_in_another_process",
        proofs_are_checked_in_another_process,
    ),
    (
        "a_proof_that_makes_no_sense_ends_its_own_check_alone",
        a_proof_that_makes_no_sense_ends_its_own_check_alone,
    ),
    (
        "a_zygote_that_is_gone_confirms_nothing",
        a_zygote_that_is_gone_confirms_nothing,
    ),
    ("a_zygote_ends_with_its_owner", a_zygote_ends_with_its_owner),
    (
        "yices_is_several_analyses_side_by_side",
        yices_is_several_analyses_side_by_side,
    ),
];

fn main() -> ExitCode {
    let mut failed = 0;
    for (name, case) in CASES {
        match case() {
            Ok(()) => println!("test {name} ... ok"),
            Err(message) => {
                failed += 1;
                println!("test {name} ... FAILED: {message}");
            }
        }
    }
    let passed = CASES.len() - failed;
    println!(
        "\ntest result: {}. {passed} passed; {failed} failed",
        if failed == 0 { "ok" } else { "FAILED" }
    );
    ExitCode::from(u8::from(failed > 0))
}

fn verdict(
    limits: Limits,
    race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
) -> Result<Verdict, String> {
    let supervised = supervise(Instant::now(), limits, &mut |_| {}, race);
    let (outcome, remains) = supervised.map_err(|error| error.to_string())?;
    remains.collect();
    match outcome {
        Outcome::Concluded(conclusion) => Ok(conclusion.verdict),
        Outcome::Rejected(text) => Err(format!("rejected: {text}")),
    }
}

fn expect(found: Verdict, expected: Verdict) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{found}, but expected was {expected}"))
    }
}

fn answer() -> RaceEnd {
    RaceEnd::Concluded(Conclusion {
        verdict: Verdict::True,
        ..Conclusion::unknown("")
    })
}

fn an_answer_comes_through() -> Result<(), String> {
    expect(verdict(Limits::default(), &|_, _| answer())?, Verdict::True)
}

fn the_wall_limit_ends_a_race_that_hangs() -> Result<(), String> {
    let limits = Limits {
        wall: Some(Duration::from_millis(200)),
        ..Limits::default()
    };
    let found = verdict(limits, &|_, _| loop {
        std::thread::sleep(Duration::from_secs(1));
    })?;
    expect(found, Verdict::Unknown("time limit".into()))
}

fn an_answer_that_is_awaited_prolongs_the_race() -> Result<(), String> {
    let limits = Limits {
        wall: Some(Duration::from_millis(200)),
        prolonged: Some(Duration::from_secs(60)),
        ..Limits::default()
    };
    let late = |expectations: &'static [bool]| {
        verdict(limits, &move |_, reporter| {
            for &ends_soon in expectations {
                let analysis = "late".to_owned();
                reporter.event(EventKind::Expectation {
                    analysis,
                    ends_soon,
                });
            }
            std::thread::sleep(Duration::from_millis(600));
            answer()
        })
    };
    expect(late(&[true])?, Verdict::True)?;
    let over = || Verdict::Unknown("time limit".into());
    expect(late(&[])?, over())?;
    expect(late(&[true, false])?, over())
}

fn an_answer_that_is_checked_prolongs_the_race_further() -> Result<(), String> {
    let limits = Limits {
        wall: Some(Duration::from_millis(100)),
        prolonged: Some(Duration::from_millis(200)),
        checked: Some(Duration::from_secs(60)),
        ..Limits::default()
    };
    let late = |has_ended: bool| {
        verdict(limits, &move |_, reporter| {
            let analysis = || "late".to_owned();
            if has_ended {
                reporter.event(EventKind::Finished {
                    analysis: analysis(),
                    outcome: "found a proof".to_owned(),
                    statistics: serde_json::Map::new(),
                });
            }
            reporter.event(EventKind::Expectation {
                analysis: analysis(),
                ends_soon: true,
            });
            std::thread::sleep(Duration::from_millis(900));
            answer()
        })
    };
    expect(late(true)?, Verdict::True)?;
    expect(late(false)?, Verdict::Unknown("time limit".into()))
}

fn a_race_over_several_checks_takes_as_long_as_reading() -> Result<(), String> {
    let limits = Limits {
        together: Some(Duration::from_millis(100)),
        ..Limits::default()
    };
    let race = |checks: usize, racing: u64| {
        verdict(limits, &move |_, reporter| {
            std::thread::sleep(Duration::from_millis(1500));
            reporter.event(EventKind::Program {
                lowered: Size::default(),
                simplified: Size::default(),
                unsupported: 0,
                checks,
                checks_as_lowered: checks,
            });
            std::thread::sleep(Duration::from_millis(racing));
            answer()
        })
    };
    expect(race(2, 100)?, Verdict::True)?;
    expect(race(1, 4000)?, Verdict::True)?;
    expect(race(2, 60_000)?, Verdict::Unknown("time limit".into()))
}

fn the_cpu_limit_ends_a_race_that_spins() -> Result<(), String> {
    let limits = Limits {
        cpu: Some(Duration::from_millis(200)),
        ..Limits::default()
    };
    let found = verdict(limits, &|_, _| loop {
        std::hint::spin_loop();
    })?;
    expect(found, Verdict::Unknown("CPU time limit".into()))
}

fn what_the_race_uses_is_told() -> Result<(), String> {
    let limits = Limits {
        wall: Some(Duration::from_millis(600)),
        tell_resources: Some(Duration::from_millis(50)),
        ..Limits::default()
    };
    let mut told = Vec::new();
    let mut observe = |event: &Event| {
        if let EventKind::Resources { memory, cpu } = event.kind {
            told.push((memory, cpu));
        }
    };
    let spin = |_: &Attempt, _: &Reporter| -> RaceEnd {
        let block = vec![1_u8; 16 << 20];
        loop {
            std::hint::black_box(&block);
        }
    };
    let supervised = supervise(Instant::now(), limits, &mut observe, &spin);
    let (_, remains) = supervised.map_err(|error| error.to_string())?;
    remains.collect();
    let right = |&(memory, cpu): &(u64, f64)| (16..64).contains(&memory) && cpu > 0.0;
    if (2..=12).contains(&told.len()) && told.last().is_some_and(right) {
        Ok(())
    } else {
        Err(format!("{told:?}"))
    }
}

/// User and system time of the children that have been waited for.
fn childrens_time() -> Result<Duration, String> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let time = usage.user_time() + usage.system_time();
    Ok(Duration::from_micros(
        u64::try_from(time.num_microseconds()).unwrap_or_default(),
    ))
}

/// Its memory would take longer to be given back than anybody waits.
fn what_a_large_race_has_used_is_known_at_once() -> Result<(), String> {
    let before = childrens_time()?;
    let large = |_: &Attempt, _: &Reporter| -> RaceEnd {
        let block = vec![1_u8; 1 << 30];
        std::hint::black_box(&block);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(100) {
            std::hint::spin_loop();
        }
        // Not given back before the end.
        std::mem::forget(block);
        answer()
    };
    let supervised = supervise(Instant::now(), Limits::default(), &mut |_| {}, &large);
    let (_, remains) = supervised.map_err(|error| error.to_string())?;
    let begin = Instant::now();
    remains.collect();
    let took = begin.elapsed();
    let used = childrens_time()?.saturating_sub(before);
    if used < Duration::from_millis(50) {
        return Err(format!("{used:?} of CPU time, known after {took:?}"));
    }
    match took < Duration::from_millis(200) {
        true => Ok(()),
        false => Err(format!("known after {took:?}")),
    }
}

/// A preprocessor may spin while the race waits for it.
fn what_the_race_starts_counts() -> Result<(), String> {
    let limits = Limits {
        cpu: Some(Duration::from_millis(300)),
        wall: Some(Duration::from_secs(60)),
        ..Limits::default()
    };
    let before = childrens_time()?;
    let found = verdict(limits, &|_, _| {
        let mut shell = std::process::Command::new("sh");
        let _ = shell.args(["-c", "while :; do :; done"]).status();
        answer()
    })?;
    expect(found, Verdict::Unknown("CPU time limit".into()))?;
    let used = childrens_time()?.saturating_sub(before);
    match used >= Duration::from_millis(200) {
        true => Ok(()),
        false => Err(format!("{used:?} of CPU time")),
    }
}

fn a_crash_is_attributed_and_the_race_starts_again() -> Result<(), String> {
    let found = verdict(Limits::default(), &|attempt, reporter| {
        if attempt.excluded.is_empty() {
            reporter.event(EventKind::Started {
                analysis: "fragile".into(),
                id: 7,
            });
            crash::attribute_thread(7);
            std::process::abort()
        }
        if attempt.excluded == ["fragile"] {
            answer()
        } else {
            RaceEnd::Rejected(format!("{attempt:?}"))
        }
    })?;
    expect(found, Verdict::True)
}

fn a_crash_that_nobody_claims_is_unknown() -> Result<(), String> {
    match verdict(Limits::default(), &|_, _| std::process::abort())? {
        Verdict::Unknown(reason) if reason.contains("SIGABRT") => Ok(()),
        other => Err(other.to_string()),
    }
}

/// From the answer to the end is a moment, though another thread does not let itself be stopped.
fn an_answer_ends_a_race_that_has_other_threads() -> Result<(), String> {
    let begin = Instant::now();
    let found = verdict(Limits::default(), &|_, _| {
        std::thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
        answer()
    })?;
    expect(found, Verdict::True)?;
    let took = begin.elapsed();
    if took < Duration::from_secs(5) {
        Ok(())
    } else {
        Err(format!("took {took:?}"))
    }
}

/// The zygote for a program of `tests`.
fn zygote(program: &str) -> Result<Zygote, String> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(program);
    let loaded = load(&file, &LoadOptions::default()).map_err(|_| "cannot be read".to_owned())?;
    let simplified = simplify(&loaded.program);
    let checker = ProofChecker {
        lowered: &loaded.program,
        simplified: &simplified,
        is_thorough: false,
    };
    let started = checker.start_zygote();
    started.map_err(|error| error.to_string())
}

fn request(steps: Vec<ProofStep>) -> Request {
    Request {
        certificate: Certificate::of_all(steps),
        time: Duration::from_secs(20),
        helpers: 0,
        record: None,
    }
}

/// That a path has an end within so many steps, and no error.
fn unrolling(bound: u32) -> Request {
    request(vec![ProofStep::Unrolling { bound }])
}

/// Several at the same time; what the race adds to the shared store after the fork is in the proof.
fn proofs_are_checked_in_another_process() -> Result<(), String> {
    let right = zygote("engines/counter_to_ten.c")?;
    let wrong = zygote("faults/simple_error.c")?;
    let terms = store().len();
    std::thread::scope(|scope| {
        let all = (1..=4).map(|_| scope.spawn(|| check(&right, &unrolling(20))));
        for thread in all.collect::<Vec<_>>() {
            let answer = thread.join().map_err(|_| "a panic".to_owned())??;
            if answer.check != Check::Confirmed {
                return Err(format!("{answer:?}"));
            }
        }
        Ok::<_, String>(())
    })?;
    let answer = check(&wrong, &unrolling(20))?;
    if !matches!(answer.check, Check::Refuted { .. }) {
        return Err(format!("{answer:?}"));
    }
    match store().len() - terms {
        0 => Ok(()),
        added => Err(format!("{added} terms were added to this process's store")),
    }
}

fn a_proof_that_makes_no_sense_ends_its_own_check_alone() -> Result<(), String> {
    let zygote = zygote("engines/counter_to_ten.c")?;
    let strange = store().variable(Symbol::new("no variable of the program", Sort::Bool));
    let ill_sorted = store().intern(Op::BvAdd, Sort::Bool, &[strange, store().bv(8, 1)]);
    let everywhere = [LocationId(0), LocationId(1), LocationId(u32::MAX)];
    let calls = [vec![], vec![EdgeId(0)], vec![EdgeId(u32::MAX)]];
    for location in everywhere {
        for calls in &calls {
            for formula in [strange, ill_sorted] {
                let at = InvariantLocation {
                    location,
                    calls: calls.clone(),
                };
                let strange = request(vec![
                    ProofStep::Inductive {
                        batch: vec![(at, formula)],
                        k: 1,
                        relies_on: vec![],
                    },
                    ProofStep::Safety {
                        k: 1,
                        relies_on: vec![0],
                    },
                ]);
                if let Ok(answer) = check(&zygote, &strange)
                    && answer.check == Check::Confirmed
                {
                    return Err(format!("confirmed: {strange:?}"));
                }
            }
        }
    }
    match check(&zygote, &unrolling(20))?.check {
        Check::Confirmed => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn a_zygote_that_is_gone_confirms_nothing() -> Result<(), String> {
    let zygote = zygote("engines/counter_to_ten.c")?;
    let pid = nix::unistd::Pid::from_raw(zygote.id());
    let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
    let _ = nix::sys::wait::waitpid(pid, None);
    match check(&zygote, &unrolling(20)) {
        Err(_) => Ok(()),
        Ok(answer) => Err(format!("{answer:?}")),
    }
}

fn a_zygote_ends_with_its_owner() -> Result<(), String> {
    let zygote = zygote("engines/counter_to_ten.c")?;
    let pid = nix::unistd::Pid::from_raw(zygote.id());
    drop(zygote);
    match nix::sys::wait::waitpid(pid, None) {
        Ok(nix::sys::wait::WaitStatus::Exited(_, 0)) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// Two of them, at a multiplication that is hard to invert: each takes its time and no more. When they are dropped, their
/// processes end.
fn yices_is_several_analyses_side_by_side() -> Result<(), String> {
    if !regatta::solver::HAS_YICES2 {
        return Ok(());
    }
    let zygote = Arc::new(zygote("engines/counter_to_ten.c")?);
    let solver = |zygote: &Arc<Zygote>| {
        let zygote = Arc::clone(zygote);
        RemoteSolver::new(Rc::default(), Box::new(move || zygote.yices()))
    };
    let hard = |solver: &mut RemoteSolver| {
        let t = Rc::clone(solver.arena());
        let [p, q] = ["p", "q"].map(|name| t.variable(Symbol::new(name, Sort::BitVec(64))));
        let product = t.mul(t.zero_extend(p, 128), t.zero_extend(q, 128));
        let semiprime = 0xb7e1_5162_8aed_2a6b * 0x9e37_79b9_7f4a_7c15;
        solver.assert(t.and2(t.ult(t.bv(64, 1), p), t.ult(p, q)));
        solver.push();
        solver.assert(t.eq(product, t.bv(128, semiprime)));
        let odd = t.eq(t.extract(p, 0, 0), t.bv(1, 1));
        solver.set_limit(CheckLimit {
            time: Some(Duration::from_millis(300)),
            resource: None,
        });
        let answer = solver.check(&[odd]);
        if answer != Answer::Unknown(Reason::Limit) {
            return Err(format!("at the limit: {answer:?}"));
        }
        solver.pop();
        match (solver.check(&[odd]), solver.value(p), solver.value(q)) {
            (Answer::Satisfiable, Some(p), Some(q)) if p < q => Ok(()),
            other => Err(format!("{other:?}")),
        }
    };
    std::thread::scope(|scope| {
        let all = (0..2).map(|_| scope.spawn(|| hard(&mut solver(&zygote))));
        for thread in all.collect::<Vec<_>>() {
            thread.join().map_err(|_| "a panic".to_owned())??;
        }
        Ok::<_, String>(())
    })?;
    let children = format!("/proc/{0}/task/{0}/children", zygote.id());
    let begin = Instant::now();
    // Those that have ended are waited for when the next one is made.
    loop {
        drop(zygote.yices());
        std::thread::sleep(Duration::from_millis(20));
        let left = std::fs::read_to_string(&children).map_err(|error| error.to_string())?;
        if left.split_whitespace().count() <= 2 {
            return Ok(());
        }
        if begin.elapsed() > Duration::from_secs(10) {
            return Err(format!("processes that do not end: {left}"));
        }
    }
}
