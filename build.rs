//! Writes the place of the pinned Z3 library into what is linked, so that a program that was built starts without anything in
//! its environment.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return Ok(());
    }
    // z3-sys has found the same library the same way, and emitted what links it.
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

/// Returns the folder without links in its path: the program is to run after the clone it was built in has moved.
fn canonical(folder: &Path) -> String {
    folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf())
        .display()
        .to_string()
}
