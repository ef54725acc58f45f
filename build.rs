//! Links the path of the pinned Z3 library into the program, so that it starts without any
//! environment variable. Also links the SAT solver that Bitwuzla needs.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_BITWUZLA").is_some() {
        // Bitwuzla's crate names neither CaDiCaL, which its library needs, nor its folder. It is passed as an argument, because
        // arguments come after all libraries.
        println!("cargo::rustc-link-arg=-l:libcadical.a");
        let guard = "src/solver/bitwuzla/guard.cpp";
        println!("cargo::rerun-if-changed={guard}");
        cc::Build::new()
            .cpp(true)
            .std("c++17")
            .file(guard)
            .compile("regatta_bitwuzla_guard");
    }
    if std::env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return Ok(());
    }
    // z3-sys has found the same library in the same way, and emitted the flags that link it.
    let z3 = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version("5.4.0")
        .probe("z3")
        .map_err(|error| format!("Z3 is not set up; run scripts/setup.sh first.\n{error}"))?;
    for folder in &z3.link_paths {
        let folder = canonical(folder);
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    Ok(())
}

/// The folder without symbolic links in its path, so that the program still runs when the clone it was built in has moved.
fn canonical(folder: &Path) -> String {
    folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf())
        .display()
        .to_string()
}
