//! Escapes untrusted text (sources, file names, the preprocessor's messages) for output to a terminal.
//!
//! A terminal executes control characters, and bidirectional characters reorder text: names and literals of a program
//! must not have such effects on its verifier. JSON has its own escapes.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether the character may have an effect on a terminal besides its display. The caller handles ends of lines and
/// tabs.
fn is_active(character: char) -> bool {
    let is_bidirectional = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
    );
    let ends_line = matches!(character, '\u{2028}' | '\u{2029}');
    let is_kept = matches!(character, '\n' | '\t');
    is_bidirectional || ends_line || character.is_control() && !is_kept
}

/// The text with all active characters replaced by escapes, in the notation of C and Rust.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_active, |character, result| {
        let _ = match character {
            '\r' => result.write_str("\\r"),
            '\n' => result.write_str("\\n"),
            character if character.is_ascii() => write!(result, "\\x{:02x}", character as u32),
            character => write!(result, "\\u{{{:x}}}", character as u32),
        };
    })
}

/// As [`printable`], on one line.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    match text.contains('\n') {
        true => Cow::Owned(printable(text).replace('\n', "\\n")),
        false => printable(text),
    }
}

/// A line of JSON with escapes for active characters, which can only occur in strings.
pub fn printable_json(line: &str) -> Cow<'_, str> {
    escaped(line, is_active, |character, result| {
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            let _ = write!(result, "\\u{unit:04x}");
        }
    })
}

fn escaped(
    text: &str,
    is_meant: fn(char) -> bool,
    escape: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    let Some(first) = text.find(is_meant) else {
        return Cow::Borrowed(text);
    };
    let mut result = text[..first].to_owned();
    for character in text[first..].chars() {
        match is_meant(character) {
            true => escape(character, &mut result),
            false => result.push(character),
        }
    }
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        for (text, expected) in [
            ("int x;\n\ty", "int x;\n\ty"),
            ("ä €", "ä €"),
            ("\u{1b}[2J\u{7}\r", "\\x1b[2J\\x07\\r"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\x7f"),
            ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
        ] {
            assert_eq!(printable(text), expected);
        }
        assert_eq!(printable_line("a\n\u{1b}"), "a\\n\\x1b");
        assert_eq!(printable_json("\"a\u{9b}\u{202e}\""), "\"a\\u009b\\u202e\"");
    }
}
