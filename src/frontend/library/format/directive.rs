//! Parses formats into directives: white space, literal characters, and conversions.

use super::NotModelled;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    None,
    Constant(u32),
    Argument,
}

#[derive(Clone, Debug)]
pub(super) struct Conversion {
    pub flags: u32,
    pub width: Amount,
    pub precision: Amount,
    pub length: String,
    pub letter: u8,
    /// For `%[`: the accepted characters, one bit each.
    pub set: [u64; 4],
    pub suppressed: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Piece {
    White,
    Literal(u8),
    Conversion(Conversion),
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn number(&mut self) -> Option<u32> {
        let mut value: Option<u32> = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let sum = value.unwrap_or(0).saturating_mul(10);
            value = Some(sum.saturating_add(u32::from(digit - b'0')));
            self.at += 1;
        }
        value
    }

    fn length(&mut self) -> String {
        for length in ["hh", "ll", "h", "l", "q", "L", "j", "z", "Z", "t"] {
            if self.text[self.at..].starts_with(length.as_bytes()) {
                self.at += length.len();
                return match length {
                    "q" => "ll".to_owned(),
                    "Z" => "z".to_owned(),
                    _ => length.to_owned(),
                };
            }
        }
        String::new()
    }

    fn set(&mut self) -> Option<[u64; 4]> {
        let mut set = [0u64; 4];
        let mut add = |byte: u8| set[usize::from(byte >> 6)] |= 1 << (byte & 63);
        let inverted = self.take(b'^');
        let start = self.at;
        loop {
            let byte = self.peek()?;
            if byte == b']' && self.at > start {
                self.at += 1;
                break;
            }
            let range = self.text.get(self.at + 1) == Some(&b'-')
                && self.text.get(self.at + 2).is_some_and(|&last| last != b']');
            if range {
                let last = self.text[self.at + 2];
                (byte..=last).for_each(&mut add);
                self.at += 3;
            } else {
                add(byte);
                self.at += 1;
            }
        }
        Some(if inverted { set.map(|word| !word) } else { set })
    }
}

pub(super) fn refused<T>(conversion: &Conversion) -> Result<T, NotModelled> {
    let letter = char::from(conversion.letter);
    Err(NotModelled(format!("%{}{letter}", conversion.length)))
}

/// Splits a format into directives; white space and flags have another meaning for scanning.
pub(super) fn pieces(format: &[u8], scanning: bool) -> Result<Vec<Piece>, NotModelled> {
    let mut reader = Reader {
        text: format,
        at: 0,
    };
    let mut pieces = Vec::new();
    while let Some(byte) = reader.peek() {
        reader.at += 1;
        if byte != b'%' {
            let white = scanning && (byte == b' ' || (9..=13).contains(&byte));
            pieces.push(if white {
                Piece::White
            } else {
                Piece::Literal(byte)
            });
            continue;
        }
        let mut conversion = Conversion {
            flags: 0,
            width: Amount::None,
            precision: Amount::None,
            length: String::new(),
            letter: 0,
            set: [0; 4],
            suppressed: false,
        };
        if scanning {
            conversion.suppressed = reader.take(b'*');
        } else {
            while let Some(flag) = reader.peek() {
                let bit = match flag {
                    b'-' => 1,
                    b'0' => 2,
                    b'+' => 4,
                    b' ' => 8,
                    b'#' => 16,
                    _ => break,
                };
                conversion.flags |= bit;
                reader.at += 1;
            }
        }
        conversion.width = match reader.number() {
            Some(width) => Amount::Constant(width),
            None if !scanning && reader.take(b'*') => Amount::Argument,
            None => Amount::None,
        };
        if !scanning && reader.take(b'.') {
            conversion.precision = match reader.number() {
                Some(precision) => Amount::Constant(precision),
                None if reader.take(b'*') => Amount::Argument,
                None => Amount::Constant(0),
            };
        }
        conversion.length = reader.length();
        conversion.letter = reader.peek().unwrap_or(0);
        reader.at += 1;
        if scanning && conversion.letter == b'[' {
            match reader.set() {
                Some(set) => conversion.set = set,
                None => return refused(&conversion),
            }
        }
        let amounts = [conversion.width, conversion.precision];
        if amounts
            .iter()
            .any(|amount| matches!(amount, Amount::Constant(large) if *large > 1 << 20))
        {
            return refused(&conversion);
        }
        if conversion.letter == b'%' {
            if scanning {
                pieces.push(Piece::White);
            }
            pieces.push(Piece::Literal(b'%'));
        } else {
            pieces.push(Piece::Conversion(conversion));
        }
    }
    Ok(pieces)
}

/// The integer type for a length modifier and a signedness.
pub(super) fn integer_type(length: &str, signed: bool) -> Option<&'static str> {
    Some(match (length, signed) {
        ("hh", true) => "signed char",
        ("hh", false) => "unsigned char",
        ("h", true) => "short",
        ("h", false) => "unsigned short",
        ("", true) => "int",
        ("", false) => "unsigned",
        ("l", true) => "long",
        ("l", false) => "unsigned long",
        ("ll" | "j" | "L", true) => "long long",
        ("ll" | "j" | "L", false) => "unsigned long long",
        ("z", false) => "__regatta_size_t",
        ("z" | "t", true) | ("t", false) => "__regatta_ptrdiff_t",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_characters() {
        let set = |text: &[u8]| {
            let mut reader = Reader { text, at: 0 };
            let set = reader.set().unwrap();
            (0..=255u8)
                .filter(|byte| set[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0)
                .map(char::from)
                .collect::<String>()
        };
        assert_eq!(set(b"a-dz]"), "abcdz");
        assert_eq!(set(b"]a]"), "]a");
        assert_eq!(set(b"a-]"), "-a");
    }
}
