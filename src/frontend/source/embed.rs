//! C23's additions to the preprocessor that older compilers do not know: `#embed`, `__has_embed`, and `true` and
//! `false` in conditions. They are replaced in the program's text, line by line, before the compiler reads it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::preprocess::Options;
use regatta_base::diagnostic::{Error, ErrorKind, Place};

/// Maximum number of bytes of an `#embed`.
const MAXIMUM_EMBEDDED_BYTES: u64 = 1 << 20;

/// Returns the text with these constructs replaced; `None` if it has none.
pub(crate) fn expand(
    text: &[u8],
    file: &Path,
    name: &Arc<str>,
    options: &Options,
) -> Result<Option<Vec<u8>>, Error> {
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    if !has(b"embed") && !has(b"true") && !has(b"false") {
        return Ok(None);
    }
    let source = Source {
        text,
        folder: file.parent().unwrap_or(Path::new("")).to_path_buf(),
        name,
        options,
    };
    let mut result = Vec::with_capacity(text.len());
    let mut is_changed = false;
    for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        match source.line(line, number)? {
            Some(changed) => {
                result.extend(changed.into_bytes());
                result.push(b'\n');
                is_changed = true;
            }
            None => result.extend_from_slice(line),
        }
    }
    Ok(is_changed.then_some(result))
}

/// The file that is rewritten.
struct Source<'a> {
    text: &'a [u8],
    folder: PathBuf,
    name: &'a Arc<str>,
    options: &'a Options,
}

/// An `#embed`'s parameters.
#[derive(Default)]
struct Parameters {
    limit: Option<u64>,
    prefix: String,
    suffix: String,
    if_empty: String,
}

impl Source<'_> {
    fn error(&self, number: usize, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Preprocessor, message).at(Place {
            file: self.name.clone(),
            line: number as u32 + 1,
            column: 1,
            source_line: None,
        })
    }

    /// The replacement of a line, if it has one of these constructs.
    fn line(&self, line: &[u8], number: usize) -> Result<Option<String>, Error> {
        let trimmed = line.trim_ascii();
        let Some(directive) = trimmed.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else {
            return Ok(None);
        };
        let Ok(directive) = std::str::from_utf8(directive) else {
            return Ok(None);
        };
        let length = directive
            .find(|character: char| !character.is_ascii_alphabetic())
            .unwrap_or(directive.len());
        let (keyword, rest) = directive.split_at(length);
        match keyword {
            "embed" => self.embed(rest, number),
            "if" | "elif" => Ok(self
                .condition(rest, number)?
                .map(|rest| format!("#{keyword}{rest}"))),
            "ifdef" | "elifdef" if rest.trim() == "__has_embed" => {
                Ok(Some(format!("#{} 1", keyword.replace("def", ""))))
            }
            "ifndef" | "elifndef" if rest.trim() == "__has_embed" => {
                Ok(Some(format!("#{} 0", keyword.replace("ndef", ""))))
            }
            _ => Ok(None),
        }
    }

    /// The bytes of the named file, as a list of numbers. A line with a missing file is not replaced, since it may be
    /// in a skipped group; otherwise the compiler reports it.
    fn embed(&self, rest: &str, number: usize) -> Result<Option<String>, Error> {
        let Some((path, rest)) = self.resource(rest) else {
            return Ok(None);
        };
        let Ok(metadata) = std::fs::metadata(&path) else {
            return Ok(None);
        };
        let parameters = self.parameters(rest, number)?;
        let length = parameters.limit.unwrap_or(u64::MAX).min(metadata.len());
        if length > MAXIMUM_EMBEDDED_BYTES || (metadata.len() == 0 && !metadata.is_file()) {
            let message =
                format!("`#embed` of more than {MAXIMUM_EMBEDDED_BYTES} bytes is not supported");
            return Err(self.error(number, message));
        }
        let bytes = std::fs::read(&path).map_err(|error| self.error(number, error.to_string()))?;
        let bytes = &bytes[..bytes.len().min(length as usize)];
        if bytes.is_empty() {
            return Ok(Some(parameters.if_empty));
        }
        let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
        Ok(Some(format!(
            "{} {} {}",
            parameters.prefix,
            numbers.join(","),
            parameters.suffix
        )))
    }

    /// The path of the resource that is named in quotes or angle brackets, and the text after the name.
    fn resource<'t>(&self, text: &'t str) -> Option<(PathBuf, &'t str)> {
        let text = text.trim_start();
        let (name, rest, quoted) = match text.strip_prefix('"') {
            Some(text) => text
                .split_once('"')
                .map(|(name, rest)| (name, rest, true))?,
            None => {
                let text = text.strip_prefix('<')?;
                text.split_once('>')
                    .map(|(name, rest)| (name, rest, false))?
            }
        };
        let own = quoted.then(|| self.folder.clone());
        let folders = own.into_iter().chain(self.options.include_folders.clone());
        let mut paths = folders.map(|folder| folder.join(name));
        let found = paths.find(|path| path.is_file() || Path::new(name).is_absolute());
        Some((found.unwrap_or_else(|| PathBuf::from(name)), rest))
    }

    fn parameters(&self, text: &str, number: usize) -> Result<Parameters, Error> {
        let mut parameters = Parameters::default();
        let mut rest = match text.find("//").or(text.find("/*")) {
            Some(comment) => text[..comment].trim(),
            None => text.trim(),
        };
        while !rest.is_empty() {
            let unknown = || {
                self.error(
                    number,
                    format!("cannot read the parameters `{rest}` of `#embed`"),
                )
            };
            let open = rest.find('(').ok_or_else(unknown)?;
            let close = closing(&rest[open..]).ok_or_else(unknown)? + open;
            let (name, argument) = (rest[..open].trim(), rest[open + 1..close].trim());
            match name.trim_matches('_') {
                "limit" => {
                    let digits = argument.trim_end_matches(|c: char| "uUlL".contains(c));
                    parameters.limit = Some(digits.parse().map_err(|_| unknown())?);
                }
                "prefix" => parameters.prefix = argument.to_owned(),
                "suffix" => parameters.suffix = argument.to_owned(),
                "if_empty" => parameters.if_empty = argument.to_owned(),
                _ => return Err(unknown()),
            }
            rest = rest[close + 1..].trim_start();
        }
        Ok(parameters)
    }

    /// Replaces `__has_embed(…)`, `true` and `false` in a condition by numbers.
    fn condition(&self, text: &str, number: usize) -> Result<Option<String>, Error> {
        let known = text
            .replace("defined(__has_embed)", "1")
            .replace("defined __has_embed", "1");
        let mut result = String::new();
        let mut is_changed = known != text;
        let mut rest = known.as_str();
        let mut before = "";
        while !rest.is_empty() {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = match rest.starts_with(is_part) {
                true => rest.find(|c| !is_part(c)),
                false => rest.find(is_part),
            };
            let (word, after) = rest.split_at(length.unwrap_or(rest.len()));
            rest = after;
            let is_named = before == "defined";
            match word {
                "__has_embed" => {
                    let open = rest.find('(').unwrap_or(0);
                    let close = closing(&rest[open..]).map_or(rest.len(), |close| close + open);
                    let argument = rest.get(open + 1..close).unwrap_or_default();
                    result.push_str(&self.has_embed(argument, number)?.to_string());
                    rest = rest.get(close + 1..).unwrap_or_default();
                    is_changed = true;
                }
                "true" | "false" if !is_named && !self.defines(word) => {
                    result.push_str(if word == "true" { "1" } else { "0" });
                    is_changed = true;
                }
                _ => result.push_str(word),
            }
            if !word.trim().is_empty() && word.trim() != "(" {
                before = word.trim();
            }
        }
        Ok(is_changed.then_some(result))
    }

    /// The value of `__has_embed`: 0 if the resource cannot be embedded, 1 if it can, 2 if it is empty.
    fn has_embed(&self, argument: &str, number: usize) -> Result<u8, Error> {
        let Some((path, rest)) = self.resource(argument) else {
            return Ok(0);
        };
        let (Ok(metadata), Ok(parameters)) =
            (std::fs::metadata(path), self.parameters(rest, number))
        else {
            return Ok(0);
        };
        Ok(match metadata.len().min(parameters.limit.unwrap_or(1)) {
            0 => 2,
            _ => 1,
        })
    }

    /// Whether the program defines the word as a macro.
    fn defines(&self, word: &str) -> bool {
        let text = String::from_utf8_lossy(self.text);
        let given = self.options.defines.iter();
        given
            .map(String::as_str)
            .any(|define| define.split('=').next() == Some(word))
            || text.lines().any(|line| {
                let mut words = line.trim_start().trim_start_matches('#').split_whitespace();
                words.next() == Some("define") && words.next() == Some(word)
            })
    }
}

/// The index of the closing parenthesis of the one with which the text begins.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_numbers() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.bin"), [1, 2, 255]).unwrap();
        std::fs::write(folder.path().join("empty"), []).unwrap();
        let file = folder.path().join("p.c");
        let name: Arc<str> = "p.c".into();
        let expanded = |text: &str| {
            let result = expand(text.as_bytes(), &file, &name, &Options::default()).unwrap();
            result.map(|text| String::from_utf8(text).unwrap())
        };
        let table = [
            ("#embed \"a.bin\"\n", Some(" 1,2,255 \n")),
            (
                " # embed \"a.bin\" limit(2) prefix(7,) suffix(,0)",
                Some("7, 1,2 ,0\n"),
            ),
            ("#embed \"empty\" if_empty(9)\n", Some("9\n")),
            ("#embed \"missing\"\n", None),
            ("#if __has_embed(\"a.bin\") && true\n", Some("#if 1 && 1\n")),
            ("#if __has_embed(\"empty\") == 2\n", Some("#if 2 == 2\n")),
            ("#ifdef __has_embed\n", Some("#if 1\n")),
            ("#if defined(true)\n", None),
            ("#define true 1\n#if true\n", None),
            ("#if defined(__has_embed)\n", Some("#if 1\n")),
            ("int embed = 1;\n", None),
        ];
        for (text, expected) in table {
            assert_eq!(expanded(text).as_deref(), expected, "{text}");
        }
        let text = b"#embed \"a.bin\" gnu::base64(1)\n";
        assert!(expand(text, &file, &name, &Options::default()).is_err());
    }
}
