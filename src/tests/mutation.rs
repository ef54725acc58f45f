//! Mutated test programs do not make the front end, the simplifier or the interpreter panic.
//!
//! The default budget is small; `scripts/fuzz-frontend.sh` runs the test for a longer time. Environment variables:
//! `REGATTA_MUTATION_MINUTES`, `REGATTA_MUTATION_SEED`, and `REGATTA_MUTATION_FOLDER` for the texts that fail (default:
//! the system's folder for temporary files).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::frontend::preprocess::{Options, Preprocessed, preprocess};
use crate::frontend::{LoadOptions, load_preprocessed};
use crate::program::interpreter::{Executable, Limits, Machine, ZeroInputs};
use crate::program::simplify::simplify;
use crate::program::{DataModel, Program};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Number of mutated programs if no time is given.
const PROGRAMS: usize = 400;

/// Maximum number of interpreter steps for each program.
const MAXIMUM_STEPS: u64 = 10_000;

/// Maximum time for a program; beyond it the test fails.
const MAXIMUM_TIME: Duration = Duration::from_secs(120);

/// Maximum length (bytes) of a program of the corpus: longer ones take most of the time and reveal few further faults.
const MAXIMUM_LENGTH: usize = 100_000;

/// The tokens with which a token is replaced.
const TOKENS: &[&str] = &[
    "0",
    "1",
    "-1",
    "0x7fffffff",
    "0xffffffffffffffffull",
    "1e400",
    "0.0f",
    "'\\0'",
    "L'x'",
    "\"\"",
    "\"a\" L\"b\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "...",
    "*",
    "&",
    "&&",
    "+",
    "-",
    "~",
    "!",
    "/",
    "%",
    "<<",
    ">>",
    "<",
    "==",
    "?",
    ":",
    "=",
    "+=",
    ".",
    "->",
    "++",
    "#",
    "int",
    "char",
    "void",
    "long",
    "unsigned",
    "double",
    "float",
    "_Bool",
    "struct",
    "union",
    "enum",
    "static",
    "extern",
    "const",
    "volatile",
    "typedef",
    "register",
    "inline",
    "_Complex",
    "__int128",
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "sizeof",
    "_Alignof",
    "_Alignas(1)",
    "__attribute__((packed))",
    "__extension__",
    "typeof",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "_Generic",
    "_Static_assert",
    "asm",
    "main",
    "malloc",
    "free",
    "memcpy",
    "abort",
];

#[test]
fn mutated_programs_do_not_panic() {
    let minutes: Option<f64> = variable("REGATTA_MUTATION_MINUTES");
    let seed: u64 = variable("REGATTA_MUTATION_SEED").unwrap_or(1);
    let corpus = corpus();
    assert!(corpus.len() >= 200, "only {} programs", corpus.len());
    let campaign = Campaign {
        corpus,
        deadline: minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes)),
        seed,
        next: AtomicUsize::new(0),
        running: Mutex::new(Vec::new()),
        done: AtomicBool::new(false),
        failures: Mutex::new(Vec::new()),
        loaded: AtomicUsize::new(0),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| campaign.work()))
            .collect();
        scope.spawn(|| campaign.watch());
        for worker in workers {
            worker.join().expect("panics are caught");
        }
        campaign.done.store(true, Ordering::Relaxed);
    });
    let tried = campaign.next.load(Ordering::Relaxed);
    let loaded = campaign.loaded.load(Ordering::Relaxed);
    println!("{tried} mutated programs, {loaded} of them C that is understood");
    let failures = campaign.failures.into_inner().expect("no panic outside");
    assert!(
        failures.is_empty(),
        "{} of {tried}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    // If hardly any program were accepted by the front end, the test would be void.
    assert!(
        loaded * 20 >= tried,
        "only {loaded} of {tried} were understood"
    );
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is not a number")),
    )
}

/// The programs to be mutated, preprocessed.
fn corpus() -> Vec<Preprocessed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = ["tests/semantics", "tests/errors", "examples"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("a folder of programs"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    let options = Options {
        data_model: DataModel::Lp64,
        ..Options::default()
    };
    files
        .iter()
        .filter_map(|file| preprocess(file, &options).ok())
        .filter(|source| source.text.len() <= MAXIMUM_LENGTH)
        .collect()
}

struct Campaign {
    corpus: Vec<Preprocessed>,
    deadline: Option<Instant>,
    seed: u64,
    next: AtomicUsize,
    /// The programs being tried: number, start, and file.
    running: Mutex<Vec<(usize, Instant, PathBuf)>>,
    done: AtomicBool,
    failures: Mutex<Vec<String>>,
    loaded: AtomicUsize,
}

impl Campaign {
    fn work(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let over = match self.deadline {
                Some(deadline) => Instant::now() >= deadline,
                None => number >= PROGRAMS,
            };
            if over {
                self.next.fetch_sub(1, Ordering::Relaxed);
                return;
            }
            self.try_one(number);
        }
    }

    fn try_one(&self, number: usize) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        // A random stream for each program, so that the program does not depend on the thread.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(
            random.next_u64() ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
        let source = self.mutated(&mut random);
        // Saved before the run, because a stack overflow cannot be caught.
        let path = folder().join(format!("mutation-{}-{number}.i", self.seed));
        std::fs::write(&path, &source.text).expect("the text is written");
        self.lock_running()
            .push((number, Instant::now(), path.clone()));
        let outcome = catch_unwind(AssertUnwindSafe(|| run(source, number)));
        self.lock_running().retain(|(other, _, _)| *other != number);
        match outcome {
            Ok(understood) => {
                self.loaded
                    .fetch_add(usize::from(understood), Ordering::Relaxed);
                let _ = std::fs::remove_file(path);
            }
            Err(panic) => {
                let text = format!("{}: {}", path.display(), message(panic.as_ref()));
                self.failures
                    .lock()
                    .expect("no panic under the lock")
                    .push(text);
            }
        }
    }

    fn lock_running(&self) -> std::sync::MutexGuard<'_, Vec<(usize, Instant, PathBuf)>> {
        self.running.lock().expect("no panic under the lock")
    }

    fn mutated(&self, random: &mut Xoshiro256PlusPlus) -> Preprocessed {
        let original = &self.corpus[below(random, self.corpus.len())];
        let mut text = original.text.clone();
        for _ in 0..1 + below(random, 2) * below(random, 4) {
            if text.is_empty() {
                break;
            }
            match below(random, 8) {
                0 => mutate_bytes(&mut text, random),
                1 | 2 => {
                    let other = &self.corpus[below(random, self.corpus.len())].text;
                    mutate_lines(&mut text, other, random);
                }
                _ => mutate_tokens(&mut text, random),
            }
        }
        Preprocessed {
            text,
            ..original.clone()
        }
    }

    /// Aborts the process if a program exceeds the maximum time: a thread cannot be stopped otherwise.
    fn watch(&self) {
        while !self.done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(200));
            for (_, start, path) in self.lock_running().iter() {
                if start.elapsed() > MAXIMUM_TIME {
                    eprintln!(
                        "no end after {} s: {}",
                        MAXIMUM_TIME.as_secs(),
                        path.display()
                    );
                    std::process::abort();
                }
            }
        }
    }
}

/// Runs the stages before the analyses on a program; returns whether the front end accepts it.
fn run(source: Preprocessed, number: usize) -> bool {
    let options = LoadOptions {
        data_model: match number % 2 {
            0 => DataModel::Lp64,
            _ => DataModel::Ilp32,
        },
        ..LoadOptions::default()
    };
    let loaded = match load_preprocessed(source, &options) {
        Ok(loaded) => loaded,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    interpret(&loaded.program);
    interpret(&simplify(&loaded.program).program);
    true
}

fn interpret(program: &Program) {
    let executable = Executable::compile(program);
    let limits = Limits {
        steps: MAXIMUM_STEPS,
        memory: 1 << 28,
        ..Limits::default()
    };
    Machine::new(&executable).run(&mut ZeroInputs, limits);
}

fn folder() -> PathBuf {
    let folder =
        std::env::var_os("REGATTA_MUTATION_FOLDER").unwrap_or_else(|| std::env::temp_dir().into());
    PathBuf::from(folder)
}

fn message(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&str>() {
        text
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text
    } else {
        "a panic without text"
    }
}

fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    (random.next_u64() % bound.max(1) as u64) as usize
}

fn mutate_bytes(text: &mut Vec<u8>, random: &mut Xoshiro256PlusPlus) {
    let position = below(random, text.len());
    match below(random, 4) {
        0 => text[position] = random.next_u64() as u8,
        1 => text[position] ^= 1 << below(random, 8),
        2 => {
            text.remove(position);
        }
        _ => text.truncate(position),
    }
}

/// Removes, repeats or swaps a line, or takes one from another program.
fn mutate_lines(text: &mut Vec<u8>, other: &[u8], random: &mut Xoshiro256PlusPlus) {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let others: Vec<&[u8]> = other.split(|&byte| byte == b'\n').collect();
    let position = below(random, lines.len());
    match below(random, 4) {
        0 => {
            lines.remove(position);
        }
        1 => lines.insert(position, lines[position]),
        2 => {
            let second = below(random, lines.len());
            lines.swap(position, second);
        }
        _ => lines.insert(position, others[below(random, others.len())]),
    }
    *text = lines.join(&b'\n');
}

/// Removes, repeats, swaps or replaces a token.
fn mutate_tokens(text: &mut Vec<u8>, random: &mut Xoshiro256PlusPlus) {
    let spans = token_spans(text);
    if spans.is_empty() {
        return;
    }
    let first = spans[below(random, spans.len())].clone();
    // Prefer a token of the same kind, so that more of the programs are valid C.
    let kind = token_kind(text[first.start]);
    let second = (0..20)
        .map(|_| spans[below(random, spans.len())].clone())
        .find(|span| token_kind(text[span.start]) == kind)
        .unwrap_or_else(|| first.clone());
    let replacement: Vec<u8> = match below(random, 7) {
        0 => Vec::new(),
        1 => [&text[first.clone()], b" ", &text[first.clone()]].concat(),
        2..=4 => text[second].to_vec(),
        _ => TOKENS[below(random, TOKENS.len())].as_bytes().to_vec(),
    };
    text.splice(first, [b" ".to_vec(), replacement, b" ".to_vec()].concat());
}

/// The kind of a token by its first character: a number, a word, or another token.
fn token_kind(first: u8) -> u8 {
    match first {
        b'0'..=b'9' => 0,
        byte if byte.is_ascii_alphabetic() || byte == b'_' => 1,
        _ => 2,
    }
}

/// The ranges of words and of other single characters, as an approximation of C's tokens.
fn token_spans(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut spans = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let start = position;
        position += 1;
        if is_word(text[start]) {
            while position < text.len() && is_word(text[position]) {
                position += 1;
            }
        } else if text[start].is_ascii_whitespace() {
            continue;
        }
        spans.push(start..position);
    }
    spans
}
