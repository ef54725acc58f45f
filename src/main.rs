//! The `regatta` command.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    println!("regatta {}", env!("CARGO_PKG_VERSION"));
}
