//! Preprocesses a C file with `cc -E`, if it needs preprocessing.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::{embed, headers};
use crate::standard::{Dialect, Standard};
use crate::syntax::modern;
use regatta_base::diagnostic::{Error, ErrorKind, Place};
use regatta_program::DataModel;

/// How files are preprocessed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Sizes of C's types; decides between `-m32` and `-m64`.
    pub data_model: DataModel,
    /// The standard of C that the program is written in; detected if not given.
    pub standard: Option<Standard>,
    /// `NAME` or `NAME=VALUE`, as after the compiler's `-D`.
    pub defines: Vec<String>,
    /// Folders that are searched for headers, as after the compiler's `-I`.
    pub include_folders: Vec<PathBuf>,
    /// Further arguments of the compiler that concern the preprocessor, in their order: `-include`, `stdlib.h`.
    pub arguments: Vec<String>,
    /// A text to be read in place of the file's text.
    pub text: Option<Arc<[u8]>>,
}

/// A text without directives other than line markers and pragmas.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text; not necessarily UTF-8.
    pub text: Vec<u8>,
    /// The file that the user named.
    pub name: Arc<str>,
    /// Whether the line markers in it give the positions; else positions are those in the text, which is the user's
    /// file.
    pub positions_from_markers: bool,
    /// The dialect of C.
    pub dialect: Dialect,
}

impl Preprocessed {
    /// A text that needs no preprocessing; `name` is for messages.
    pub fn from_text(name: impl Into<Arc<str>>, text: impl Into<Vec<u8>>) -> Self {
        Self {
            text: text.into(),
            name: name.into(),
            positions_from_markers: false,
            dialect: Dialect::default(),
        }
    }
}

/// Reads a file and preprocesses it, unless its name ends in `.i` or there is nothing to preprocess: for a small
/// program, starting the compiler takes longer than all other steps.
pub fn preprocess(file: &Path, options: &Options) -> Result<Preprocessed, Error> {
    let name: Arc<str> = file.display().to_string().into();
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(name.clone()))
    };
    let text = match &options.text {
        Some(text) => text.to_vec(),
        None => std::fs::read(file).map_err(unreadable)?,
    };
    let is_preprocessed = file.extension().is_some_and(|extension| extension == "i");
    let dialect = Dialect::of(options.standard);
    let is_plain = options.defines.is_empty()
        && options.arguments.is_empty()
        && options.standard.is_none()
        && !needs_preprocessor(&text);
    if is_preprocessed || is_plain {
        return Ok(Preprocessed {
            dialect,
            ..Preprocessed::from_text(name, text)
        });
    }
    let source = Source {
        file,
        name: &name,
        text: &text,
        options,
    };
    let (text, dialect) = match options.standard {
        Some(standard) => (source.preprocessed_as(Some(standard))?, dialect),
        None => source.preprocessed()?,
    };
    Ok(Preprocessed {
        text,
        name,
        positions_from_markers: true,
        dialect,
    })
}

/// A file that is preprocessed.
struct Source<'a> {
    file: &'a Path,
    name: &'a Arc<str>,
    text: &'a [u8],
    options: &'a Options,
}

impl Source<'_> {
    /// The text preprocessed under the compiler's default standard, or as C23 if it may be C23 only.
    fn preprocessed(&self) -> Result<(Vec<u8>, Dialect), Error> {
        let usual = self.preprocessed_as(None);
        if let Ok(text) = &usual
            && !modern::may_be_c23_alone(text, self.name)
        {
            return usual.map(|text| (text, Dialect::default()));
        }
        let Ok(newest) = "gnu23".parse::<Standard>() else {
            return usual.map(|text| (text, Dialect::default()));
        };
        match (self.preprocessed_as(Some(newest)), usual) {
            (Ok(text), _) => {
                let dialect = Dialect {
                    standard: None,
                    is_c23: true,
                };
                Ok((text, dialect))
            }
            // The first error is about the program; the second may be only about C23.
            (Err(_), usual) => usual.map(|text| (text, Dialect::default())),
        }
    }

    /// The text preprocessed under a standard, or the default one.
    fn preprocessed_as(&self, standard: Option<Standard>) -> Result<Vec<u8>, Error> {
        let is_c23 = Dialect::of(standard).is_c23;
        let changed = match is_c23 {
            true => embed::expand(self.text, self.file, self.name, self.options)?,
            false => None,
        };
        let text = match (&changed, &self.options.text) {
            (Some(changed), _) => changed.as_slice(),
            (None, Some(text)) => text,
            (None, None) => {
                return run_preprocessor(self.file, self.name, self.options, standard);
            }
        };
        let (copy, options) = stand_in(self.file, text, self.options).map_err(|error| {
            Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(self.name.clone()))
        })?;
        run_preprocessor(copy.path(), self.name, &options, standard)
    }
}

/// Writes a text to a file that replaces the named one; returns it with options that find the headers beside the
/// original. Its line marker gives positions the original's name.
fn stand_in(
    file: &Path,
    text: &[u8],
    options: &Options,
) -> std::io::Result<(tempfile::NamedTempFile, Options)> {
    let mut copy = tempfile::Builder::new().suffix(".c").tempfile()?;
    let name = file.display().to_string();
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    copy.write_all(format!("# 1 \"{name}\"\n").as_bytes())?;
    copy.write_all(text)?;
    copy.flush()?;
    let mut options = options.clone();
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    options.include_folders.insert(0, folder.to_path_buf());
    Ok((copy, options))
}

/// Whether a text has directives, or words that may be predefined macros.
fn needs_preprocessor(text: &[u8]) -> bool {
    let directive = |line: &[u8]| {
        let line = line.trim_ascii_start();
        let is_one = line.starts_with(b"#") || line.starts_with(b"%:") || line.starts_with(b"??=");
        is_one && !is_plain_pragma(line)
    };
    text.split(|&byte| byte == b'\n').any(directive) || words(text).any(is_predefined_macro)
}

/// Whether the line is a pragma that the preprocessor only copies, as it does without macros with all pragmas that do
/// not concern the preprocessor itself.
fn is_plain_pragma(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix(b"pragma")) else {
        return false;
    };
    let name = words(rest.trim_ascii_start()).next().unwrap_or_default();
    let goes_on = line.trim_ascii_end().ends_with(b"\\") || line.windows(2).any(|two| two == b"/*");
    const FOR_ITSELF: &[&[u8]] = &[
        b"GCC",
        b"clang",
        b"once",
        b"push_macro",
        b"pop_macro",
        b"include_alias",
        b"hdrstop",
    ];
    rest.starts_with(b" ") && !name.is_empty() && !FOR_ITSELF.contains(&name) && !goes_on
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

/// Whether a word may be a macro that the compiler predefines; a few other words count, too.
fn is_predefined_macro(word: &[u8]) -> bool {
    const OTHERS: &[&[u8]] = &[
        b"linux",
        b"unix",
        b"i386",
        b"_LP64",
        b"_ILP32",
        b"_Pragma",
        b"_FORTIFY_SOURCE",
        b"_GNU_SOURCE",
        b"__linux",
        b"__linux__",
        b"__unix",
        b"__unix__",
        b"__gnu_linux__",
        b"__i386",
        b"__i386__",
        b"__i686",
        b"__i686__",
        b"__pentiumpro",
        b"__pentiumpro__",
        b"__x86_64",
        b"__x86_64__",
        b"__amd64",
        b"__amd64__",
        b"__k8",
        b"__k8__",
        b"__pic__",
        b"__pie__",
        b"__seg_fs",
        b"__seg_gs",
        b"__code_model_small__",
        b"__code_model_32__",
        b"__clang__",
        b"__clang_major__",
        b"__llvm__",
        b"__has_include",
    ];
    let Some(name) = word.strip_prefix(b"_") else {
        return matches!(word.first(), Some(b'l' | b'u' | b'i')) && OTHERS.contains(&word);
    };
    let Some(name) = name.strip_prefix(b"_") else {
        return OTHERS.contains(&word);
    };
    let upper_case = name
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let is_keyword = matches!(word, b"__FUNCTION__" | b"__PRETTY_FUNCTION__");
    (upper_case && !is_keyword) || OTHERS.contains(&word)
}

/// Whether the compiler accepts a preprocessed text: then a construct that this front end rejects is not an error in
/// the text.
pub fn is_accepted(text: &[u8], data_model: DataModel) -> bool {
    let file = tempfile::Builder::new().suffix(".i").tempfile();
    let Ok(mut file) = file else {
        return false;
    };
    if file.write_all(text).and_then(|()| file.flush()).is_err() {
        return false;
    }
    let compiles = |standard: &str| {
        let mut command = Command::new(compiler());
        // The compiler has to generate assembly: it detects some errors no earlier.
        command.args(["-S", standard, "-x", "cpp-output"]);
        command.arg("-Werror=builtin-declaration-mismatch");
        match data_model {
            DataModel::Ilp32 => command.args(["-m32", "-msse2", "-mfpmath=sse"]),
            DataModel::Lp64 if cfg!(target_arch = "x86_64") => command.arg("-m64"),
            DataModel::Lp64 => &mut command,
        };
        command.arg(file.path()).args(["-o", "/dev/null"]);
        let output = command.env("LC_ALL", "C").stdin(Stdio::null()).output();
        output.is_ok_and(|output| {
            // The compiler only warns of a constant that fits no type, and truncates it.
            let messages = String::from_utf8_lossy(&output.stderr);
            output.status.success() && !messages.contains("is too large for its type")
        })
    };
    compiles("-std=gnu11") || compiles("-std=gnu2x")
}

/// The C compiler's command.
fn compiler() -> OsString {
    std::env::var_os("CC")
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| OsString::from("cc"))
}

fn run_preprocessor(
    file: &Path,
    name: &Arc<str>,
    options: &Options,
    standard: Option<Standard>,
) -> Result<Vec<u8>, Error> {
    let compiler = compiler();
    let mut command = Command::new(&compiler);
    command.arg("-E");
    match standard {
        Some(standard) => command.args(standard.compiler_flags()),
        None => command.arg("-std=gnu17"),
    };
    let written = |headers: &headers::Headers| {
        headers.provide().map_err(|error| {
            let message = format!("cannot write headers: {error}");
            Error::new(ErrorKind::Preprocessor, message)
                .at(Place::file(name.clone()))
                .with_help("XDG_CACHE_HOME may name a folder for them")
        })
    };
    if Dialect::of(standard).is_c23 {
        command.arg("-isystem").arg(written(&headers::C23)?);
    }
    match options.data_model {
        DataModel::Lp64 => {
            if cfg!(target_arch = "x86_64") {
                command.arg("-m64");
            }
        }
        DataModel::Ilp32 => {
            // With SSE, floating-point operations have no excess precision, as in the model.
            command.args(["-m32", "-msse2", "-mfpmath=sse"]);
            let folders = architecture_headers();
            let mut searched = folders.iter().map(PathBuf::as_path);
            let stubs = "gnu/stubs-32.h";
            if !searched.any(|folder| folder.join(stubs).is_file()) {
                command.arg("-idirafter").arg(written(&headers::STUBS)?);
            }
            for folder in folders {
                command.arg("-idirafter").arg(folder);
            }
        }
    }
    for define in &options.defines {
        command.arg(format!("-D{define}"));
    }
    for folder in &options.include_folders {
        command.arg("-I").arg(folder);
    }
    command.args(&options.arguments);
    // A file name with a leading dash must not be read as an option.
    let path = if file.is_absolute() || !name.starts_with('-') {
        file.to_path_buf()
    } else {
        Path::new(".").join(file)
    };
    let output = command.arg(path).stdin(Stdio::null()).output().map_err(|error| {
        let message = format!("cannot run `{}`: {error}", compiler.display());
        Error::new(ErrorKind::Preprocessor, message)
            .at(Place::file(name.clone()))
            .with_help("install a C compiler (Debian: apt-get install gcc), name one in CC, or give a preprocessed .i file")
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(compiler_error(
        name,
        &String::from_utf8_lossy(&output.stderr),
    ))
}

/// Debian's folders of architecture-dependent headers (`bits`, `sys`, `asm`); those of x86 serve both data models, but
/// `-m32` alone does not search them.
fn architecture_headers() -> Vec<PathBuf> {
    let candidates = [
        "/usr/include/i386-linux-gnu",
        "/usr/include/x86_64-linux-gnu",
    ];
    candidates
        .into_iter()
        .map(PathBuf::from)
        .filter(|folder| folder.is_dir())
        .collect()
}

/// The first error among a compiler's messages (`file:line:column: error: message`).
fn compiler_error(name: &Arc<str>, messages: &str) -> Error {
    for line in messages.lines() {
        let marks = [": fatal error: ", ": error: "];
        let Some((place, message)) = marks.iter().find_map(|mark| line.split_once(mark)) else {
            continue;
        };
        let mut parts = place.rsplitn(3, ':');
        let (last, middle, first) = (parts.next(), parts.next(), parts.next());
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok());
        let (file, line, column) = match (number(middle), number(last), first) {
            (Some(line), Some(column), Some(file)) => (file.to_owned(), line, column),
            (None, Some(line), _) => (
                place
                    .rsplit_once(':')
                    .map_or("", |(file, _)| file)
                    .to_owned(),
                line,
                1,
            ),
            _ => continue,
        };
        let source_line = std::fs::read(&file).ok().and_then(|text| {
            let line = text
                .split(|&byte| byte == b'\n')
                .nth(line.checked_sub(1)? as usize)?;
            Some(String::from_utf8_lossy(line).trim_end().into())
        });
        return Error::new(ErrorKind::Preprocessor, message.trim()).at(Place {
            file: file.into(),
            line,
            column,
            source_line,
        });
    }
    let message = messages.lines().find(|line| !line.trim().is_empty());
    let message = message
        .unwrap_or("the compiler failed without a message")
        .trim();
    Error::new(ErrorKind::Preprocessor, message).at(Place::file(name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_with_directives_or_macros_need_the_compiler() {
        let table: &[(&str, bool)] = &[
            ("int main(void) { return 0; }", false),
            ("#include <a>\nint x;", true),
            ("int x;\n  # define X\n", true),
            ("%:define X", true),
            ("int x = __LINE__;", true),
            ("int x = __INT_MAX__;", true),
            ("char *s = __FILE__;", true),
            ("int linux;", true),
            ("_Pragma(\"x\") int x;", true),
            ("#pragma merger(0,\"a.i\",\"\")\nint x;", false),
            ("  # pragma pack(1)\nint x;", false),
            ("#pragma pack(1) /* here\n#define X */", true),
            ("#pragma pack(1) \\\n#define X", true),
            ("#pragma push_macro(\"x\")", true),
            ("#pragma GCC poison x", true),
            ("#pragmatic", true),
            (
                "extern int __VERIFIER_nondet_int(void); char *f = __func__; char *g = __FUNCTION__;",
                false,
            ),
            (
                "int f(void) __attribute__((__nothrow__, __noreturn__)); _Bool b; __int128 i; __extension__ int u;",
                false,
            ),
            ("int order = __ATOMIC_SEQ_CST;", true),
            ("long long x = __INT64_C(5);", true),
            ("", false),
        ];
        for (text, expected) in table {
            assert_eq!(needs_preprocessor(text.as_bytes()), *expected, "{text}");
        }
    }

    #[test]
    fn the_compilers_first_error_gives_the_place() {
        let name: Arc<str> = "a.c".into();
        let table = [
            (
                "a.c:1:10: fatal error: x.h: No such file or directory\n    1 | #include <x.h>\n",
                "a.c:1:10: preprocessor: x.h: No such file or directory",
            ),
            (
                "b.c:3: error: unterminated #if\n",
                "b.c:3:1: preprocessor: unterminated #if",
            ),
            (
                "In file included from a.c:1:\nb.h:2:2: error: #error no\n",
                "b.h:2:2: preprocessor: #error no",
            ),
            ("cc: confused\n", "a.c: preprocessor: cc: confused"),
            (
                "",
                "a.c: preprocessor: the compiler failed without a message",
            ),
        ];
        for (messages, expected) in table {
            assert_eq!(compiler_error(&name, messages).to_string(), expected);
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let error = preprocess(Path::new("/nonexistent.c"), &Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        assert!(
            error
                .to_string()
                .starts_with("/nonexistent.c: cannot read: "),
            "{error}"
        );
        assert_eq!(
            preprocess(Path::new("/"), &Options::default())
                .unwrap_err()
                .kind(),
            ErrorKind::Unreadable
        );
    }
}
