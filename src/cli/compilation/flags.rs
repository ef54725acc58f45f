//! The flags of a C compiler: which of them change how a program is read.
//!
//! Those for the preprocessor go to it as they are. Those that would change the meaning of C in a way that is not modelled
//! are refused. All others (warnings, optimisation, the files to be made) say nothing about the program.

use std::ffi::OsString;
use std::path::Path;

use regatta_frontend::Standard;
use regatta_program::DataModel;

use crate::options::SUBCOMMANDS;

/// What the flags of one compilation say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// The standard of C.
    pub standard: Option<Standard>,
    /// The sizes of C's types.
    pub data_model: Option<DataModel>,
    /// The arguments for the preprocessor.
    pub preprocessor: Vec<String>,
    /// Flags about the meaning or the making of the program that do nothing here.
    pub ignored: Vec<String>,
}

/// Flags for the preprocessor whose value may be the next word, beside [`WITH_PATH`].
const WITH_VALUE: [&str; 5] = ["-D", "-U", "-iprefix", "-iwithprefix", "-Xpreprocessor"];

/// Flags for the preprocessor whose value, which may be the next word, is a folder or a file.
const WITH_PATH: [&str; 7] = [
    "-I",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-imacros",
    "-isysroot",
];

/// Flags for the preprocessor whose value may be the next word.
fn preprocessor_flags() -> impl Iterator<Item = &'static str> + Clone {
    WITH_VALUE.into_iter().chain(WITH_PATH)
}

/// Flags that do nothing here and whose value is the next word.
const IGNORED_WITH_VALUE: [&str; 17] = [
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-L",
    "-l",
    "-z",
    "-T",
    "-u",
    "-e",
    "-Xlinker",
    "-Xassembler",
    "-arch",
    "--param",
    "-aux-info",
    "-dumpbase",
    "-wrapper",
];

/// Flags under which C means something that is not modelled.
const REFUSED: [&str; 9] = [
    "-funsigned-char",
    "-fno-signed-char",
    "-fshort-enums",
    "-fshort-wchar",
    "-fpack-struct",
    "-fgnu89-inline",
    "-fsingle-precision-constant",
    "-mx32",
    "-m16",
];

/// Flags that the preprocessor needs because they define macros.
const FOR_MACROS: [&str; 6] = [
    "-pthread",
    "-fopenmp",
    "-nostdinc",
    "-undef",
    "-fno-builtin",
    "-ffreestanding",
];

impl Flags {
    /// Reads the words of a command line without the compiler's name. Paths are relative to the folder, if one is given.
    ///
    /// # Errors
    /// A flag under which the program would mean something else than here.
    pub fn read(words: &[String], folder: Option<&Path>) -> Result<Self, String> {
        let mut flags = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, attached) = split(word);
            let mut value = || match attached {
                "" => words.next().cloned().unwrap_or_default(),
                attached => attached.to_owned(),
            };
            if name == "-x" {
                let language = value();
                if language.contains("++") {
                    return Err(format!("`-x {language}`: this is C++; Regatta reads C"));
                }
            } else if WITH_VALUE.contains(&name) {
                flags.preprocessor.extend([name.to_owned(), value()]);
            } else if WITH_PATH.contains(&name) {
                let value = match folder {
                    Some(folder) => in_folder(folder, name, value()),
                    None => value(),
                };
                flags.preprocessor.extend([name.to_owned(), value]);
            } else if IGNORED_WITH_VALUE.contains(&name) {
                value();
            } else {
                flags.read_alone(word)?;
            }
        }
        Ok(flags)
    }

    /// Reads a flag that has no value of its own.
    fn read_alone(&mut self, word: &str) -> Result<(), String> {
        if let Some(name) = word.strip_prefix("-std=") {
            if name.contains("++") {
                return Err(format!("`{word}`: this is C++; Regatta reads C"));
            }
            self.standard = Some(
                name.parse()
                    .map_err(|_| format!("no such standard: `{word}`"))?,
            );
            return Ok(());
        }
        let begins = |flag: &str| word == flag || word.starts_with(&format!("{flag}="));
        if REFUSED.into_iter().any(begins) {
            return Err(format!(
                "`{word}` changes what C means; that is not modelled"
            ));
        }
        match word {
            "-ansi" => self.standard = "ansi".parse().ok(),
            "-m32" => self.data_model = Some(DataModel::Ilp32),
            "-m64" => self.data_model = Some(DataModel::Lp64),
            _ if FOR_MACROS.contains(&word)
                || word.starts_with("-Wp,")
                || word.starts_with("--sysroot=")
                || word.starts_with("-m") =>
            {
                self.preprocessor.push(word.to_owned());
            }
            _ if ["-f", "-O", "-W"]
                .iter()
                .any(|start| word.starts_with(start)) =>
            {
                self.ignored.push(word.to_owned());
            }
            // The rest makes files, or is the name of one.
            _ => {}
        }
        Ok(())
    }

    /// Adds flags that come later on the command line.
    pub fn add(&mut self, later: Self) {
        self.standard = later.standard.or(self.standard);
        self.data_model = later.data_model.or(self.data_model);
        self.preprocessor.extend(later.preprocessor);
        self.ignored.extend(later.ignored);
    }
}

/// The name of a flag, and the value that is attached to it.
fn split(word: &str) -> (&str, &str) {
    let mut known = preprocessor_flags().chain(IGNORED_WITH_VALUE);
    let mut attached = known
        .clone()
        .filter(|name| name.len() == 2 && word.starts_with(name));
    if word == "-x" || (word.starts_with("-x") && !word.starts_with("-xc++-")) {
        return word.split_at(2);
    }
    let is_whole = known.any(|name| name == word) || FOR_MACROS.contains(&word);
    if is_whole {
        return (word, "");
    }
    match attached.next() {
        Some(name) => word.split_at(name.len()),
        None => (word, ""),
    }
}

/// A value that is a path, as seen from here. A file that is included need not be in the folder.
fn in_folder(folder: &Path, name: &str, value: String) -> String {
    let path = folder.join(&value);
    match name {
        "-include" | "-imacros" if !path.exists() => value,
        _ => path.display().to_string(),
    }
}

/// Makes the compiler's flags on the command line options of ours: `-std=c99` is `--std=c99`, `-Wall` is `--flag=-Wall`.
pub fn as_options(arguments: Vec<OsString>) -> Vec<OsString> {
    const READERS: [&str; 5] = ["verify", "cfa", "interpret", "validate", "harness"];
    let command = arguments.get(1).and_then(|command| command.to_str());
    let is_reader =
        command.is_none_or(|command| READERS.contains(&command) || !SUBCOMMANDS.contains(&command));
    if !is_reader {
        return arguments;
    }
    let mut options = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            options.push(argument);
            options.extend(arguments);
            break;
        }
        let Some(text) = argument.to_str() else {
            options.push(argument);
            continue;
        };
        if let Some(name) = text.strip_prefix("-std=") {
            options.push(format!("--std={name}").into());
        } else if is_compilers(text) {
            options.push(format!("--flag={text}").into());
            let takes_more = preprocessor_flags().any(|name| name == text);
            if takes_more && let Some(value) = arguments.next() {
                let mut flag = OsString::from("--flag=");
                flag.push(value);
                options.push(flag);
            }
        } else {
            options.push(argument);
        }
    }
    options
}

/// Checks whether an argument is a flag of compilers, and no option of ours.
fn is_compilers(text: &str) -> bool {
    let begins = |start: &str| text.len() > start.len() && text.starts_with(start);
    // `-D` and `-I` are options of ours, too.
    let mut compilers = preprocessor_flags().filter(|name| !["-D", "-I"].contains(name));
    begins("-U")
        || compilers.any(|name| name == text)
        || ["-f", "-W", "-O", "-m", "-g"]
            .iter()
            .any(|start| begins(start))
        || [
            "-O",
            "-g",
            "-w",
            "-ansi",
            "-pedantic",
            "-pthread",
            "-nostdinc",
        ]
        .contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn flags_of_a_build_are_sorted() {
        let flags = Flags::read(
            &words("-Iinclude -I more -DN=1 -U M -std=gnu99 -m32 -O2 -Wall -fPIC -g -c -o a.o a.c -MF a.d"),
            Some(Path::new("/p")),
        )
        .unwrap();
        let expected = words("-I /p/include -I /p/more -D N=1 -U M");
        assert_eq!(flags.preprocessor, expected);
        assert_eq!(flags.data_model, Some(DataModel::Ilp32));
        assert_eq!(flags.standard.map(Standard::name), Some("gnu99"));
        assert_eq!(flags.ignored, words("-O2 -Wall -fPIC"));
    }

    #[test]
    fn what_changes_the_language_is_refused() {
        assert!(Flags::read(&words("-funsigned-char"), None).is_err());
        assert!(Flags::read(&words("-std=c++17"), None).is_err());
        assert!(Flags::read(&words("-x c++"), None).is_err());
    }

    #[test]
    fn the_compilers_flags_become_options() {
        let given =
            words("regatta a.c -std=c99 -Wall -include x.h -isystem y -U Z -v -DN -- -Wextra");
        let given = given.into_iter().map(OsString::from).collect();
        let expected = words(
            "regatta a.c --std=c99 --flag=-Wall --flag=-include --flag=x.h --flag=-isystem --flag=y \
             --flag=-U --flag=Z -v -DN -- -Wextra",
        );
        let options: Vec<String> = as_options(given)
            .into_iter()
            .map(|option| option.into_string().unwrap())
            .collect();
        assert_eq!(options, expected);
    }

    #[test]
    fn other_commands_keep_their_arguments() {
        let given: Vec<OsString> = words("regatta experiment run -W")
            .into_iter()
            .map(OsString::from)
            .collect();
        assert_eq!(as_options(given.clone()), given);
    }
}
