//! Measures the term store: ten million terms are built and looked up again, by one thread and by two.
//!
//! ```text
//! cargo bench --bench term              # the table; needs 1 GiB, and a quiet machine
//! cargo bench --bench term -- 2 1000000 # one run: threads, terms
//! ```
//!
//! Each run is a process of its own and so starts with an empty store. The total work is the same: two threads build half of
//! the terms each. Goals: two threads at least 1.7 times as fast as one, and at most 64 bytes per term.

use std::error::Error;
use std::process::Command;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use regatta::term::{Build, Sort, Symbol, TermId, store};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Default number of terms of a run.
const TERMS: usize = 10_000_000;

/// The results of a run.
struct Figures {
    build: Duration,
    look_up: Duration,
    bytes: f64,
    resident: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let numbers: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if let [threads, terms] = numbers[..] {
        let figures = run(threads, terms)?;
        let (build, look_up) = (figures.build.as_secs_f64(), figures.look_up.as_secs_f64());
        println!("{build} {look_up} {} {}", figures.bytes, figures.resident);
        return Ok(());
    }
    println!("threads  build    look up  bytes a term (allocated, resident)");
    let mut totals = Vec::new();
    for threads in [1, 2] {
        let mut best: Option<Vec<f64>> = None;
        for _ in 0..3 {
            let output = Command::new(std::env::current_exe()?)
                .args([threads.to_string(), TERMS.to_string()])
                .output()?;
            let figures: Vec<f64> = String::from_utf8(output.stdout)?
                .split_whitespace()
                .map(str::parse)
                .collect::<Result<_, _>>()?;
            if best
                .as_ref()
                .is_none_or(|best| figures[0] + figures[1] < best[0] + best[1])
            {
                best = Some(figures);
            }
        }
        if let Some([build, look_up, bytes, resident]) = best.as_deref() {
            println!("{threads:<8} {build:5.2} s  {look_up:5.2} s  {bytes:.1}, {resident:.1}");
            totals.push(build + look_up);
        }
    }
    if let [one, two] = totals[..] {
        println!("two threads are {:.2} times as fast as one", one / two);
    }
    Ok(())
}

fn run(threads: usize, terms: usize) -> Result<Figures, Box<dyn Error>> {
    let before = resident_bytes()?;
    let barrier = Barrier::new(threads);
    let work = |thread: usize| {
        barrier.wait();
        let start = Instant::now();
        let first = build(thread, terms / threads);
        let built = Instant::now();
        barrier.wait();
        let again = build(thread, terms / threads);
        assert_eq!(first, again, "the same terms");
        (built - start, built.elapsed())
    };
    let times: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        handles
            .into_iter()
            .filter_map(|handle| handle.join().ok())
            .collect()
    });
    let count = store().len() as f64;
    assert!(count >= terms as f64, "{count} terms");
    Ok(Figures {
        build: times
            .iter()
            .map(|(build, _)| *build)
            .max()
            .unwrap_or_default(),
        look_up: times
            .iter()
            .map(|(_, look_up)| *look_up)
            .max()
            .unwrap_or_default(),
        bytes: store().allocated_bytes() as f64 / count,
        resident: (resident_bytes()? - before) as f64 / count,
    })
}

/// Builds `count` terms over variables of the thread; returns the last one.
fn build(thread: usize, count: usize) -> TermId {
    let pool = store();
    let variables: Vec<_> = (0..64)
        .map(|n| pool.variable(Symbol::new(&format!("x{thread}.{n}"), Sort::BitVec(32))))
        .collect();
    let mut last = variables[0];
    for step in 0..count {
        let variable = variables[step * 7 % 64];
        last = match step % 4 {
            0 => pool.bvxor(last, variable),
            1 => pool.add(last, variable),
            2 => pool.mul(last, variable),
            _ => pool.urem(variable, last),
        };
    }
    last
}

/// The process's resident memory in bytes.
fn resident_bytes() -> Result<usize, Box<dyn Error>> {
    let statistics = std::fs::read_to_string("/proc/self/statm")?;
    let pages: usize = statistics
        .split_whitespace()
        .nth(1)
        .ok_or("no resident size")?
        .parse()?;
    Ok(pages * 4096)
}
