//! Writes the place of the pinned Z3 library into what is linked, so that a program that was built starts without anything in
//! its environment.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Set by the build script of `regatta-solver`, unless Z3 is linked statically (feature `vendored`).
    let Some(folders) = std::env::var_os("DEP_REGATTA_SOLVER_Z3") else {
        return;
    };
    for folder in std::env::split_paths(&folders) {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display());
    }
}
