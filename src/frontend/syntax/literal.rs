//! Spells literals and identifiers as lang-c reads them: in ASCII, with the escapes that it knows.

/// An ASCII spelling of an identifier with other characters.
pub(crate) fn ascii_identifier(text: &[u8]) -> String {
    let mut result = String::with_capacity(text.len());
    let text = String::from_utf8_lossy(text);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '$' => result.push_str("_dollar_"),
            '\\' => {
                // A universal character name: `\u` and four digits, `\U` and eight.
                let digits = if characters.next() == Some('u') { 4 } else { 8 };
                let digits: String = characters.by_ref().take(digits).collect();
                result.push_str(&format!("_u{}_", digits.to_ascii_lowercase()));
            }
            _ if character.is_ascii() => result.push(character),
            _ => result.push_str(&format!("_u{:04x}_", u32::from(character))),
        }
    }
    result
}

/// A number without C23's digit separators, with gcc's suffixes `q` and `w` spelled as the standard ones.
pub(crate) fn plain_number(mut text: Vec<u8>) -> Vec<u8> {
    text.retain(|&byte| byte != b'\'');
    let hexadecimal = text.len() > 1 && matches!(text[1], b'x' | b'X');
    let is_float = if hexadecimal {
        text.iter().any(|byte| matches!(byte, b'p' | b'P'))
    } else {
        text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    };
    if is_float {
        let suffix: &[u8] = match text.last() {
            Some(b'q' | b'Q') => b"f128",
            Some(b'w' | b'W') => b"f64x",
            _ => return text,
        };
        text.pop();
        text.extend_from_slice(suffix);
    }
    text
}

/// The encoding of a constant of a bit-precise type (`5wb`, `0xffuwb`); its type has the width that its value needs.
pub(crate) fn bit_precise(text: &[u8]) -> Option<String> {
    let text: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'\'').collect();
    let text = std::str::from_utf8(&text).ok()?;
    let plain = text.trim_end_matches(['u', 'U']);
    let digits = plain
        .strip_suffix("wb")
        .or_else(|| plain.strip_suffix("WB"))?;
    let number = digits.trim_end_matches(['u', 'U']);
    let unsigned = text.len() - plain.len() + digits.len() - number.len();
    let lower = number.to_ascii_lowercase();
    let value = if let Some(digits) = lower.strip_prefix("0x") {
        u128::from_str_radix(digits, 16)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        u128::from_str_radix(digits, 2)
    } else if let Some(digits) = lower.strip_prefix('0').filter(|digits| !digits.is_empty()) {
        u128::from_str_radix(digits, 8)
    } else {
        lower.parse()
    }
    .ok()?;
    let bits = u128::BITS - value.leading_zeros();
    let ty = match unsigned {
        0 => format!("__typeof__(__regatta_bit_int({}))", (bits + 1).max(2)),
        1 => format!("__typeof__(__regatta_unsigned_bit_int({}))", bits.max(1)),
        _ => return None,
    };
    let (high, low) = ((value >> 64) as u64, value as u64);
    Some(match high {
        0 => format!("(({ty}){low}ull)"),
        _ => format!("(({ty})((unsigned _Decimal128x){high}ull << 64 | {low}ull))"),
    })
}

/// Whether lang-c reads a string or character constant without changes.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    text.is_ascii()
        && !text.windows(2).any(|pair| {
            pair[0] == b'\\'
                && matches!(
                    pair[1],
                    b'e' | b'E' | b'u' | b'U' | b'(' | b'{' | b'[' | b'%'
                )
        })
}

/// A string or character constant with its characters beyond ASCII and its unusual escapes as plain escapes.
pub(crate) fn plain_quoted(text: &[u8]) -> Vec<u8> {
    let quote_at = text
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\''))
        .unwrap_or(0);
    let (prefix, body) = text.split_at(quote_at);
    let width = match prefix {
        b"" | b"u8" => Width::Bytes,
        b"u" => Width::Char16,
        _ => Width::Wide,
    };
    let wide = width != Width::Bytes;
    let mut result = prefix.to_vec();
    let Some((&quote, body)) = body.split_first() else {
        return result;
    };
    result.push(quote);
    let body = body.strip_suffix(&[quote]).unwrap_or(body);
    let mut rest = body;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            let Some((&escaped, after)) = rest.split_first() else {
                break;
            };
            rest = after;
            match escaped {
                b'e' | b'E' => result.extend_from_slice(b"\\033"),
                b'u' | b'U' => {
                    let length = if escaped == b'u' { 4 } else { 8 };
                    let digits = rest
                        .iter()
                        .take(length)
                        .take_while(|byte| byte.is_ascii_hexdigit())
                        .count();
                    let code = std::str::from_utf8(&rest[..digits])
                        .ok()
                        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
                    rest = &rest[digits..];
                    push_character(&mut result, code.unwrap_or(0), width, quote, rest);
                }
                b'(' | b'{' | b'[' | b'%' => result.push(escaped),
                _ => result.extend([b'\\', escaped]),
            }
        } else if byte.is_ascii() {
            result.push(byte);
        } else if wide {
            // The byte and its continuation bytes, as a UTF-8 character if they form one.
            let mut length = 1;
            while length < 4 && rest.get(length - 1).is_some_and(|next| next & 0xc0 == 0x80) {
                length += 1;
            }
            let start = body.len() - rest.len() - 1;
            let character = std::str::from_utf8(&body[start..start + length])
                .ok()
                .and_then(|text| text.chars().next());
            match character {
                Some(character) => {
                    rest = &body[start + length..];
                    push_character(&mut result, u32::from(character), width, quote, rest);
                }
                None => push_character(&mut result, u32::from(byte), width, quote, rest),
            }
        } else {
            result.extend(format!("\\{byte:03o}").into_bytes());
        }
    }
    result.push(quote);
    result
}

/// The code units of a literal.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Width {
    /// UTF-8.
    Bytes,
    /// UTF-16: a character beyond the basic plane takes two.
    Char16,
    /// A unit is a character.
    Wide,
}

/// Writes a character by its code, in the literal's code units. A hexadecimal escape extends over all following digits;
/// so before a digit in `rest`, the literal is closed and reopened.
fn push_character(result: &mut Vec<u8>, code: u32, width: Width, quote: u8, rest: &[u8]) {
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    match width {
        Width::Bytes => {
            let mut buffer = [0; 4];
            for byte in character.encode_utf8(&mut buffer).bytes() {
                result.extend(format!("\\{byte:03o}").into_bytes());
            }
            return;
        }
        Width::Char16 => {
            let mut buffer = [0; 2];
            for unit in character.encode_utf16(&mut buffer) {
                result.extend(format!("\\x{unit:x}").into_bytes());
            }
        }
        Width::Wide => result.extend(format!("\\x{code:x}").into_bytes()),
    }
    if quote == b'"' && rest.first().is_some_and(u8::is_ascii_hexdigit) {
        result.extend_from_slice(b"\" \"");
    }
}

/// The text of a string literal's parts for the assembler.
pub fn plain_text(parts: &[String]) -> String {
    let mut text = String::new();
    for part in parts {
        let inner = part.split_once('"').map_or("", |(_, rest)| rest);
        text.push_str(inner.strip_suffix('"').unwrap_or(inner));
    }
    // `*name` keeps the compiler from adding a prefix, which it does not do here anyway.
    match text.strip_prefix('*') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_become_ascii() {
        let table = [
            ("a_1", "a_1"),
            ("x$y", "x_dollar_y"),
            ("\u{e9}t", "_u00e9_t"),
            ("\\u00E9t", "_u00e9_t"),
        ];
        for (text, expected) in table {
            assert_eq!(ascii_identifier(text.as_bytes()), expected);
        }
    }

    #[test]
    fn suffixes_of_gcc_become_the_standards() {
        let table = [
            ("1.0q", "1.0f128"),
            ("1e3Q", "1e3f128"),
            ("1.0w", "1.0f64x"),
            ("0x1p3q", "0x1p3f128"),
            ("1.0f", "1.0f"),
            ("0xab", "0xab"),
            ("10", "10"),
        ];
        for (text, expected) in table {
            assert_eq!(
                plain_number(text.as_bytes().to_vec()),
                expected.as_bytes(),
                "{text}"
            );
        }
    }

    #[test]
    fn bit_precise_constants_are_as_wide_as_their_values() {
        let signed = |bits: u32, value: &str| {
            Some(format!(
                "((__typeof__(__regatta_bit_int({bits}))){value}ull)"
            ))
        };
        assert_eq!(bit_precise(b"0wb"), signed(2, "0"));
        assert_eq!(bit_precise(b"3wb"), signed(3, "3"));
        assert_eq!(bit_precise(b"1'00WB"), signed(8, "100"));
        let unsigned = "((__typeof__(__regatta_unsigned_bit_int(8)))255ull)";
        for text in ["0xffuwb", "0xFFwbu", "0b11111111Uwb", "0377uWB"] {
            assert_eq!(
                bit_precise(text.as_bytes()).as_deref(),
                Some(unsigned),
                "{text}"
            );
        }
        for text in ["3", "0xwb", "3uwbu", "1.0", "0xb", "3wB"] {
            assert_eq!(bit_precise(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn strings_become_ascii_with_plain_escapes() {
        let table: &[(&[u8], &str)] = &[
            (b"\"a\\n\"", "\"a\\n\""),
            (b"\"\\e[0m\"", "\"\\033[0m\""),
            ("\"\u{e9}1\"".as_bytes(), "\"\\303\\2511\""),
            (b"\"\xe9\"", "\"\\351\""),
            (b"\"\\u00e9\"", "\"\\303\\251\""),
            (b"L\"\\u00e9x\"", "L\"\\xe9x\""),
            (b"L\"\\u00e9a\"", "L\"\\xe9\" \"a\""),
            ("L'\u{20ac}'".as_bytes(), "L'\\x20ac'"),
            (b"\"\\\\e\"", "\"\\\\e\""),
            (b"\"\\U0001F600\"", "\"\\360\\237\\230\\200\""),
            (b"u\"\\U0001F600\"", "u\"\\xd83d\\xde00\""),
            ("u\"\u{1f600}b\"".as_bytes(), "u\"\\xd83d\\xde00\" \"b\""),
            (b"U\"\\U0001F600\"", "U\"\\x1f600\""),
        ];
        for (text, expected) in table {
            let shown = String::from_utf8_lossy(text);
            assert_eq!(
                String::from_utf8_lossy(&plain_quoted(text)),
                *expected,
                "{shown}"
            );
        }
    }
}
