//! Finds the pinned Z3 library, and builds what the crates of the other solvers lack.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    if env::var_os("CARGO_FEATURE_BITWUZLA").is_some() {
        link_cadical(&out)?;
        let guard = "backends/bitwuzla/guard.cpp";
        println!("cargo::rerun-if-changed={guard}");
        cc::Build::new()
            .cpp(true)
            .std("c++17")
            .file(guard)
            .compile("regatta_bitwuzla_guard");
    }
    if env::var_os("CARGO_FEATURE_VENDORED").is_none() {
        publish_z3(&out)?;
    }
    Ok(())
}

/// Links CaDiCaL: Bitwuzla's library needs it, but Bitwuzla's crate names neither it nor the folder where it is. The whole
/// archive is linked, because it comes before Bitwuzla's library on the linker's command line.
fn link_cadical(out: &Path) -> Result<(), Box<dyn Error>> {
    let output = Command::new("c++")
        .arg("-print-file-name=libcadical.a")
        .output()?;
    let archive = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    if !archive.is_absolute() {
        return Err(
            "libcadical.a is missing (Debian's package libcadical-dev); run scripts/setup.sh first"
                .into(),
        );
    }
    std::fs::copy(archive, out.join("libregatta_cadical.a"))?;
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static:+whole-archive=regatta_cadical");
    Ok(())
}

/// Tells the command's build script where the Z3 library is, and puts links to the library into a folder in which cargo lets
/// tests look for libraries: cargo passes on only folders below its target folder. (z3-sys has found the same library the
/// same way, and links it.)
fn publish_z3(out: &Path) -> Result<(), Box<dyn Error>> {
    let z3 = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version("5.4.0")
        .probe("z3")
        .map_err(|error| format!("Z3 is not set up; run scripts/setup.sh first.\n{error}"))?;
    // Without links in the paths: the program is to run after the clone it was built in has moved.
    let folders = z3.link_paths.iter();
    let folders: Vec<PathBuf> = folders
        .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()))
        .collect();
    println!(
        "cargo::metadata=z3={}",
        env::join_paths(&folders)?.display()
    );

    let links = out.join("z3");
    std::fs::create_dir_all(&links)?;
    for library in folders.iter().filter_map(|folder| folder.read_dir().ok()) {
        for file in library.flatten() {
            if file.file_name().to_string_lossy().starts_with("libz3.so") {
                let link = links.join(file.file_name());
                let _ = std::fs::remove_file(&link);
                std::os::unix::fs::symlink(file.path().canonicalize()?, link)?;
            }
        }
    }
    println!("cargo::rustc-link-search=native={}", links.display());
    Ok(())
}
