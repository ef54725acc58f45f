//! The `regatta` command.

use std::process::ExitCode;
use std::time::Instant;

// With `override`, the `malloc` and `new` of the shared libz3 are mimalloc's too. Measured on a pinned core of a busy machine,
// best of 7 (glibc's malloc / mimalloc for Rust alone / with `override`): 1,500 solvers with a small query each 1.00 / 0.98 /
// 0.75 s of CPU; an incremental integer unrolling 0.71 / 0.72 / 0.66 s; bit-vector unrolling, arrays, factoring equal within
// 3 %; the first context and query of a process 13.0 / 13.2 / 7.2 ms, because huge pages save 4,500 page faults.
// The price is some 20 MiB. With a dozen threads huge pages cost too much at first: see `regatta::huge_pages`.
// mimalloc 2 (feature `v2`) does the same bulk work in the same time, but needs 12.6 ms for the first query.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs before the first allocation, which comes before `main` and before the libraries' initialisers.
#[used]
#[unsafe(link_section = ".preinit_array")]
static SMALL_PAGES: extern "C" fn() = small_pages;

extern "C" fn small_pages() {
    regatta::huge_pages::hold_back();
}

fn main() -> ExitCode {
    regatta::cli::run(Instant::now())
}
