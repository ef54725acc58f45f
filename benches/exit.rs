//! Measures the time from a certified verdict to the exit of the process, while another engine is in a query that does not
//! respond to interrupts.
//!
//!     cargo bench --bench exit [RUNS]          (default: 20)
//!
//! K-induction gets stuck on the program: from an unreachable state, its loop makes thirty divisions of 64 bits in a row,
//! and Z3 is slow to notice an interrupt in such a query. Bounded model checking, which starts from reachable states,
//! proves the property meanwhile.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The two engines needed; others would prove the property too fast.
const PORTFOLIO: &str = "[[analysis]]
engine = \"bmc\"

[[analysis]]
name = \"k-induction\"
engine = \"k_induction\"
";

const DIVISIONS: u32 = 30;
const ITERATIONS: u32 = 5_000;

fn main() {
    let runs = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok());
    let runs: usize = runs.unwrap_or(20);
    let path = std::env::temp_dir().join(format!("regatta-exit-{}.c", std::process::id()));
    let portfolio = path.with_extension("toml");
    std::fs::write(&path, program()).expect("a temporary file can be written");
    std::fs::write(&portfolio, PORTFOLIO).expect("a temporary file can be written");
    let mut times: Vec<Duration> = (0..runs).filter_map(|_| run(&path, &portfolio)).collect();
    std::fs::remove_file(&path).ok();
    std::fs::remove_file(&portfolio).ok();
    times.sort_unstable();
    println!(
        "{} of {runs} runs ended with k-induction in a query",
        times.len()
    );
    if let (Some(worst), Some(median)) = (times.last(), times.get(times.len() / 2)) {
        let milliseconds = |time: &Duration| time.as_secs_f64() * 1e3;
        println!(
            "from the verdict to the exit: median {:.1} ms, worst {:.1} ms",
            milliseconds(median),
            milliseconds(worst)
        );
    }
}

/// The time from the verdict to the exit; `None` if k-induction was not running at the verdict.
fn run(file: &Path, portfolio: &Path) -> Option<Duration> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(["verify", "--json", "--time-limit", "20", "--portfolio"])
        .args([portfolio, file])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("regatta starts");
    let mut certified = None;
    let mut is_stuck = false;
    let output = child.stdout.take().expect("a pipe");
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let is = |event: &str| line.contains(&format!("\"event\":\"{event}\""));
        if !line.contains("\"k-induction\"") && is("certified") && line.contains("\"confirmed\"") {
            certified = Some(Instant::now());
        }
        if line.contains("\"k-induction\"") {
            if is("started") {
                is_stuck = true;
            } else if is("finished") && certified.is_none() {
                is_stuck = false;
            }
        }
    }
    child.wait().expect("regatta ends");
    let exit = Instant::now();
    certified
        .filter(|_| is_stuck)
        .map(|certified| exit - certified)
}

fn program() -> String {
    let mut text = format!(
        "extern unsigned long long __VERIFIER_nondet_ulonglong(void);\nextern void reach_error(void);\n\
         int main(void) {{\n  unsigned phase = 0;\n  for (int i = 0; i < {ITERATIONS}; i++) {{\n\
         \x20   unsigned long long x = __VERIFIER_nondet_ulonglong(), y = __VERIFIER_nondet_ulonglong();\n\
         \x20   phase += 2;\n    if (phase == 1) {{\n"
    );
    for number in 0..DIVISIONS {
        writeln!(
            text,
            "      x = x / (y + {number}u) + y % (x | 1u);\n      y = y * x + {number}u;"
        )
        .expect("a string takes all");
    }
    text.push_str(
        "      if (x == 12345678u && y == 7u)\n        reach_error();\n    }\n  }\n  return 0;\n}\n",
    );
    text
}
