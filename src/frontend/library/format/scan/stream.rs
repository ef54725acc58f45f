//! Scanning a stream: any number of successful conversions, and any values.

use super::super::directive::{Conversion, Piece, refused};
use super::super::{Channel, FormatFunction, Kind, Made};
use super::{is_float, most_characters, set_words, target_type, width_of};

/// The input that was read just before a directive, which restricts the next input.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Before {
    Anything,
    Number,
    Word,
}

pub(super) fn scan_stream(pieces: &[Piece], channel: Channel) -> Made {
    let mut function = FormatFunction {
        writes: true,
        ..FormatFunction::default()
    };
    let assigned = |piece: &Piece| match piece {
        Piece::Conversion(conversion) => !conversion.suppressed && conversion.letter != b'n',
        _ => false,
    };
    let wanted = pieces.iter().filter(|piece| assigned(piece)).count();
    let asks = pieces.iter().any(|piece| {
        !matches!(
            piece,
            Piece::White | Piece::Conversion(Conversion { letter: b'n', .. })
        )
    });
    let stream = match channel {
        Channel::StandardInput => "__regatta_initial_stdin()",
        _ => "stream",
    };
    function.line(&format!("__regatta_file *file = {stream};"));
    if asks {
        function.line("int count = __VERIFIER_nondet_int();");
        function.line(&format!(
            "__VERIFIER_assume(count >= -1 && count <= {wanted});"
        ));
        let skips_white = match pieces.first() {
            Some(Piece::White) => true,
            Some(Piece::Conversion(first)) => !matches!(first.letter, b'c' | b'[' | b'n'),
            _ => false,
        };
        let skips_white = u8::from(skips_white);
        function.line(&format!(
            "__regatta_scan_begin(file, count, {skips_white});"
        ));
    } else {
        function.line("int count = 0;");
    }
    if is_restricted(pieces) {
        function.line("__regatta_only_perhaps();");
    }
    let (mut next, mut number) = (0, 0);
    for piece in pieces {
        let Piece::Conversion(conversion) = piece else {
            continue;
        };
        let Some(ty) = target_type(conversion) else {
            return refused(conversion);
        };
        if conversion.suppressed {
            continue;
        }
        let target = function.parameter(&mut next, Kind::Pointer, &format!("{ty} *"));
        if conversion.letter == b'n' {
            function.line(&format!(
                "if (count > {number} || (count == {number} && __regatta_unknown_int())) {{"
            ));
            function.line("    int length = __regatta_unknown_int();");
            function.line("    __VERIFIER_assume(length >= 0);");
            function.line(&format!("    *{target} = ({ty})length;"));
            function.line("}");
            continue;
        }
        number += 1;
        function.line(&format!("if (count >= {number}) {{"));
        stream_value(&mut function, conversion, ty, &target);
        function.line("}");
    }
    function.line(&format!(
        "return __regatta_scan_end(file, count, {wanted});"
    ));
    Ok(function)
}

/// Whether some directive's input is restricted by the directive before it.
fn is_restricted(pieces: &[Piece]) -> bool {
    let mut before = Before::Anything;
    for piece in pieces {
        let (restricted, after) = match piece {
            Piece::White => (false, Before::Anything),
            Piece::Literal(byte) => {
                let part = byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let restricted = match before {
                    Before::Anything => false,
                    Before::Number => part,
                    Before::Word => true,
                };
                (restricted, Before::Anything)
            }
            Piece::Conversion(conversion) => match conversion.letter {
                b'n' => (false, before),
                b'c' => (before != Before::Anything, Before::Anything),
                b'[' => (before != Before::Anything, Before::Word),
                b's' => (false, Before::Word),
                // White space in front of a number may belong to a set.
                _ => (before == Before::Word, Before::Number),
            },
        };
        if restricted {
            return true;
        }
        before = after;
    }
    false
}

/// Assigns an arbitrary value that the conversion can give.
fn stream_value(function: &mut FormatFunction, conversion: &Conversion, ty: &str, target: &str) {
    let width = width_of(conversion);
    let many = most_characters(width);
    match conversion.letter {
        b's' => function.line(&format!("    __regatta_scan_word({target}, {many});")),
        b'[' => {
            let set = set_words(&conversion.set);
            function.line(&format!("    __regatta_scan_set({target}, {many}, {set});"));
        }
        b'c' => match width {
            Some(width) if width > 1 => {
                function.line(&format!(
                    "    __regatta_scan_characters({target}, {width});"
                ));
            }
            _ => function.line(&format!("    *{target} = __VERIFIER_nondet_char();")),
        },
        letter if is_float(letter) => {
            let value = match ty {
                "float" => "__VERIFIER_nondet_float()",
                "double" => "__VERIFIER_nondet_double()",
                _ => "__regatta_unknown_long_double()",
            };
            if width.is_some() {
                function.line("    __regatta_only_perhaps();");
            }
            function.line(&format!("    *{target} = {value};"));
        }
        letter => {
            function.line(&format!(
                "    {ty} value = ({ty})__VERIFIER_nondet_longlong();"
            ));
            if let Some(width) = width.filter(|&width| width <= 18) {
                let base: i128 = match letter {
                    // A prefix only replaces digits with more values.
                    b'd' | b'i' | b'u' => 10,
                    b'o' => 8,
                    _ => 16,
                };
                let high = base.pow(width) - 1;
                let low = -(base.pow(width - 1) - 1);
                let unlikely = if letter == b'd' {
                    format!("(long long)value > {high}LL || (long long)value < {low}LL")
                } else {
                    let high = high.min(i128::from(i64::MAX));
                    format!("(unsigned long long)value > {high}ULL")
                };
                function.line(&format!("    if ({unlikely})"));
                function.line("        __regatta_only_perhaps();");
            }
            function.line(&format!("    *{target} = value;"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::directive::pieces;
    use super::*;

    #[test]
    fn what_ends_one_directive_restricts_the_next() {
        for (format, expected) in [
            (&b"%d%d"[..], false),
            (b"%d %c", false),
            (b"%d%c", true),
            (b"%d,%d", false),
            (b"%d5", true),
            (b"%s,", true),
            (b"%[a-z]%d", true),
            (b"%s%s", false),
        ] {
            let pieces = pieces(format, true).unwrap();
            let text = String::from_utf8_lossy(format).into_owned();
            assert_eq!(is_restricted(&pieces), expected, "{text}");
        }
    }
}
