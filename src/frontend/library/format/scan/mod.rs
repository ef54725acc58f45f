//! Generates functions that scan a stream, the contents of which are inputs ([`stream`]), or a string ([`text`]).

mod stream;
mod text;

use super::directive::{Amount, Conversion, integer_type, pieces};
use super::{Channel, Made};

/// Generates a function that scans by a format.
pub fn scan_function(channel: Channel, format: &[u8]) -> Made {
    let pieces = pieces(format, true)?;
    if channel == Channel::TextInput {
        text::scan_text(&pieces)
    } else {
        stream::scan_stream(&pieces, channel)
    }
}

/// The type of the target of a scanning conversion.
fn target_type(conversion: &Conversion) -> Option<&'static str> {
    Some(match conversion.letter {
        b'd' | b'i' | b'n' => integer_type(&conversion.length, true)?,
        b'u' | b'o' | b'x' | b'X' => integer_type(&conversion.length, false)?,
        b'f' | b'e' | b'g' | b'a' | b'F' | b'E' | b'G' | b'A' => match conversion.length.as_str() {
            "" => "float",
            "l" => "double",
            "L" => "long double",
            _ => return None,
        },
        b's' | b'c' | b'[' if conversion.length.is_empty() => "char",
        _ => return None,
    })
}

const fn is_float(letter: u8) -> bool {
    matches!(letter | 0x20, b'f' | b'e' | b'g' | b'a')
}

fn set_words(set: &[u64; 4]) -> String {
    set.map(|word| format!("{word}ULL")).join(", ")
}

/// The width of a conversion's field, if it is limited.
fn width_of(conversion: &Conversion) -> Option<u32> {
    match conversion.width {
        Amount::Constant(width) if width > 0 => Some(width),
        _ => None,
    }
}

/// The maximum number of characters of a field of the width, as a C expression.
fn most_characters(width: Option<u32>) -> String {
    width.map_or("(__regatta_size_t)-2".to_owned(), |width| width.to_string())
}
