//! The lines of the source files.
//!
//! Places refer to the files before preprocessing. If such a file does not exist, which is usual for a
//! preprocessed program, its lines are taken from the program by the preprocessor's line markers.

use std::collections::BTreeMap;
use std::path::Path;

/// The known lines of a file by their numbers, from one.
pub type Lines = BTreeMap<usize, String>;

/// The sources of a program.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The parts of the main file that line markers attribute to other files.
    marked: BTreeMap<String, Lines>,
    /// The files read so far.
    read: BTreeMap<String, Lines>,
}

impl Sources {
    /// Reads the sources of the program in the file.
    pub fn new(main: &str) -> Self {
        let mut sources = Self::default();
        if let Some(text) = read(main) {
            sources.marked = split_at_markers(&text);
            if sources.marked.is_empty() {
                sources.read.insert(main.to_owned(), number(&text));
            }
        }
        sources
    }

    /// Returns the known lines of the file.
    pub fn lines(&mut self, file: &str) -> &Lines {
        let Self { marked, read: kept } = self;
        kept.entry(file.to_owned())
            .or_insert_with(|| match read(file) {
                Some(text) => number(&text),
                None => marked.get(file).cloned().unwrap_or_default(),
            })
    }

    /// Returns the text of a line, if it is known.
    pub fn line(&mut self, file: &str, line: usize) -> Option<&str> {
        self.lines(file).get(&line).map(String::as_str)
    }
}

fn read(file: &str) -> Option<String> {
    let is_file = Path::new(file).is_file();
    let bytes = is_file.then(|| std::fs::read(file).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn number(text: &str) -> Lines {
    (1..).zip(text.lines().map(str::to_owned)).collect()
}

/// Returns the lines of a preprocessed text by the files that its markers name; none if it has no markers.
fn split_at_markers(text: &str) -> BTreeMap<String, Lines> {
    let mut files: BTreeMap<String, Lines> = BTreeMap::new();
    let mut current: Option<(String, usize)> = None;
    for line in text.lines() {
        if let Some(marker) = marker(line) {
            current = Some(marker);
        } else if let Some((file, number)) = &mut current {
            // The expansion of a macro may take several lines, each with a marker of the same line.
            let lines = files.entry(file.clone()).or_default();
            let known = lines.entry(*number).or_default();
            if !known.is_empty() && !line.trim().is_empty() {
                known.push(' ');
                known.push_str(line.trim());
            } else if known.trim().is_empty() {
                line.clone_into(known);
            }
            *number += 1;
        }
    }
    files
}

/// Parses a line marker: `# 12 "file.c" 1` or `#line 12 "file.c"`.
fn marker(line: &str) -> Option<(String, usize)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let (number, rest) = rest.split_once(char::is_whitespace)?;
    let name = rest.trim_start().strip_prefix('"')?;
    let mut file = String::new();
    let mut characters = name.chars();
    loop {
        match characters.next()? {
            '"' => break,
            '\\' => file.push(characters.next()?),
            other => file.push(other),
        }
    }
    Some((file, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preprocessed_program_has_the_lines_of_its_sources() {
        let folder = tempfile::tempdir().expect("a folder");
        let main = folder.path().join("program.i");
        let text = "# 1 \"gone \\\"1\\\".c\"\nint x;\nint y;\n# 7 \"gone.h\" 1 3 4\nextern int z;\n\
                    # 5 \"gone \\\"1\\\".c\" 2\nreturn\n# 5 \"gone \\\"1\\\".c\"\n  1\n\
                    # 5 \"gone \\\"1\\\".c\"\n    ;\n}\n";
        std::fs::write(&main, text).expect("written");
        let mut sources = Sources::new(&main.to_string_lossy());
        let file = "gone \"1\".c";
        assert_eq!(sources.line(file, 2), Some("int y;"));
        assert_eq!(sources.line(file, 5), Some("return 1 ;"));
        assert_eq!(sources.line(file, 6), Some("}"));
        assert_eq!(sources.line(file, 3), None);
        assert_eq!(sources.line("gone.h", 7), Some("extern int z;"));
        assert!(sources.lines("nowhere.c").is_empty());
    }

    #[test]
    fn a_source_that_is_there_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let main = folder.path().join("program.c");
        std::fs::write(&main, "#define A 1\nint x; // \u{fc}\n").expect("written");
        let main = main.to_string_lossy();
        let mut sources = Sources::new(&main);
        assert_eq!(sources.line(&main, 1), Some("#define A 1"));
        assert_eq!(sources.line(&main, 2), Some("int x; // \u{fc}"));
        assert_eq!(sources.lines(&main).len(), 2);
    }
}
