//! Detects inputs that are not C programs by their names or first bytes, and advises the user.

use std::io::Read;
use std::path::Path;

use regatta_base::diagnostic::{Error, ErrorKind, Place};

/// Returns an error if the file is certainly not a C program.
pub fn refusal(file: &Path) -> Option<Error> {
    let refuse = |kind, message: &str, help: &str| {
        let error = Error::new(kind, message).at(Place::file(file.display().to_string()));
        Some(error.with_help(help))
    };
    let metadata = std::fs::metadata(file).ok()?;
    if metadata.is_dir() {
        return refuse(
            ErrorKind::Unreadable,
            "this is a folder, not a file",
            "give the C files in it, or with -p the folder of a compilation database",
        );
    }
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    if let Some((message, help)) = by_name(&extension) {
        return refuse(ErrorKind::Unsupported, message, help);
    }
    // Reading from a pipe would consume its data.
    let beginning = match metadata.is_file() {
        true => beginning(file)?,
        false => return None,
    };
    let (message, help) = by_content(&beginning)?;
    refuse(ErrorKind::Unsupported, message, help)
}

const COMPILED: &str = "give the C source that it was made of";

/// The message and help for a file name's extension.
fn by_name(extension: &str) -> Option<(&'static str, &'static str)> {
    match extension {
        "cpp" | "cc" | "cxx" | "c++" | "cp" | "C" | "hpp" | "hh" | "hxx" | "ii" | "tpp" => Some((
            "this is C++ by its name",
            "Regatta reads C; if the program is C, give it a name that ends in .c",
        )),
        "json" => Some((
            "this is no C program",
            "a compilation database is given with -p",
        )),
        "prp" => Some((
            "this is a property, not a program",
            "give it with --property, and a C file",
        )),
        "toml" => Some((
            "this is no C program",
            "a portfolio is given with --portfolio, an experiment to `regatta experiment run`",
        )),
        "s" | "S" | "asm" | "ll" | "bc" | "o" | "obj" | "a" | "so" | "exe" => {
            Some(("this is compiled, by its name", COMPILED))
        }
        _ => None,
    }
}

/// The message and help for a file's first bytes.
fn by_content(beginning: &[u8]) -> Option<(&'static str, &'static str)> {
    const COMPILED_BY: &[(&[u8], &str)] = &[
        (b"\x7fELF", "this is compiled (ELF)"),
        (b"!<arch>\n", "this is a library of compiled files"),
        (b"BC\xc0\xde", "this is compiled (LLVM bitcode)"),
        (b"\xcf\xfa\xed\xfe", "this is compiled (Mach-O)"),
    ];
    const PACKED_BY: &[&[u8]] = &[b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ\0"];
    let begins = |magic: &[u8]| beginning.starts_with(magic);
    if let Some((_, message)) = COMPILED_BY.iter().find(|(magic, _)| begins(magic)) {
        return Some((message, COMPILED));
    }
    if PACKED_BY.iter().any(|magic| begins(magic)) {
        return Some(("this is packed", "unpack it, and give the C file"));
    }
    if begins(b"\xff\xfe") || begins(b"\xfe\xff") {
        let help = "convert it first: iconv -f UTF-16 -t UTF-8";
        return Some(("this is text in UTF-16", help));
    }
    None
}

/// The first bytes of a file, as many as the longest magic number has.
fn beginning(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).ok()?;
    opened.take(16).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Adds advice to the error if the program seems not to be C, or only a part of a program.
#[must_use]
pub fn advise(error: Error, file: &Path) -> Error {
    let advice = match error.kind() {
        ErrorKind::MissingMain => Some(
            "verification begins in `main`: write one that calls what is to be verified, with values from \
             __VERIFIER_nondet_int() and the like, and give its file beside this one; or begin in another function: \
             --function NAME, --all-functions",
        ),
        ErrorKind::Syntax | ErrorKind::Type | ErrorKind::Preprocessor => {
            let text = std::fs::read(file).unwrap_or_default();
            is_like_cpp(&text).then_some("this looks like C++; Regatta reads C")
        }
        _ => None,
    };
    let is_missing_header = error.kind() == ErrorKind::Preprocessor
        && error.message().contains("No such file or directory");
    let advice = advice.or(is_missing_header.then_some("-I FOLDER says where headers are"));
    let Some(advice) = advice else {
        return error;
    };
    let error = match error.place() {
        Some(_) => error,
        None => error.at(Place::file(file.display().to_string())),
    };
    let help = match error.help() {
        Some(help) => format!("{help}; {advice}"),
        None => advice.to_owned(),
    };
    error.with_help(help)
}

/// Whether a text has lines that are typical of C++ and invalid in C.
fn is_like_cpp(text: &[u8]) -> bool {
    const BEGINNINGS: &[&str] = &[
        "class ",
        "template<",
        "template <",
        "namespace ",
        "using namespace ",
        "using std::",
        "public:",
        "private:",
        "protected:",
        "extern \"C\"",
    ];
    String::from_utf8_lossy(text).lines().any(|line| {
        let line = line.trim_start();
        let included = line.strip_prefix('#').map(str::trim_start);
        let included = included.and_then(|line| line.strip_prefix("include"));
        // The headers of C++'s library have no ending.
        let is_header = included.is_some_and(|name| {
            let name = name
                .trim()
                .strip_prefix('<')
                .and_then(|name| name.split_once('>'));
            name.is_some_and(|(name, _)| !name.contains('.'))
        });
        is_header
            || BEGINNINGS
                .iter()
                .any(|beginning| line.starts_with(beginning))
            || line.contains("std::")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_cpp_are_told_from_c() {
        for (text, expected) in [
            ("#include <iostream>\n", true),
            ("  #  include <vector> // x\n", true),
            ("class A { };", true),
            ("int main() { std::cout << 1; }", true),
            (
                "#include <stdio.h>\nint class_of(int x) { return x; }",
                false,
            ),
            ("#include \"own\"\n", false),
        ] {
            assert_eq!(is_like_cpp(text.as_bytes()), expected, "{text}");
        }
    }
}
