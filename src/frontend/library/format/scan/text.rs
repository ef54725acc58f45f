//! Scanning a string.

use super::super::directive::{Conversion, Piece, refused};
use super::super::{FormatFunction, Kind, Made, NotModelled};
use super::{is_float, most_characters, set_words, target_type, width_of};

/// Generates a function that scans a string; it returns at the first directive that fails.
pub(super) fn scan_text(pieces: &[Piece]) -> Made {
    let mut function = FormatFunction {
        writes: true,
        ..FormatFunction::default()
    };
    function.line("const char *at = start;");
    function.line("int count = 0;");
    function.line("_Bool converted = 0;");
    // C libraries disagree on whether a conversion that assigns nothing counts.
    let early = "!converted || (count == 0 && __regatta_unknown_int())";
    let failed = format!("return *at == 0 && ({early}) ? -1 : count;");
    let mut next = 0;
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::White => function.line("at = __regatta_skip_white(at);"),
            Piece::Literal(byte) => {
                let byte = *byte as i8;
                function.line(&format!("if (*at != (char){byte})"));
                function.line(&format!("    {failed}"));
                function.line("at++;");
            }
            Piece::Conversion(conversion) => {
                text_conversion(&mut function, &mut next, conversion, index, &failed)?;
            }
        }
    }
    function.line("return count;");
    Ok(function)
}

fn text_conversion(
    function: &mut FormatFunction,
    next: &mut usize,
    conversion: &Conversion,
    index: usize,
    failed: &str,
) -> Result<(), NotModelled> {
    let Some(ty) = target_type(conversion) else {
        return refused(conversion);
    };
    let target = if conversion.suppressed {
        None
    } else {
        Some(function.parameter(next, Kind::Pointer, &format!("{ty} *")))
    };
    if conversion.letter == b'n' {
        if let Some(target) = target {
            function.line(&format!("*{target} = ({ty})(at - start);"));
        }
        return Ok(());
    }
    if !matches!(conversion.letter, b'c' | b'[') {
        function.line("at = __regatta_skip_white(at);");
    }
    let width = width_of(conversion);
    let many = most_characters(width);
    match conversion.letter {
        letter if is_float(letter) => {
            let convert = match ty {
                "float" => "strtof",
                "double" => "strtod",
                _ => "strtold",
            };
            if width.is_some() {
                function.line("__regatta_only_perhaps();");
            }
            function.line(&format!("char *end{index};"));
            function.line(&format!("{ty} value{index} = {convert}(at, &end{index});"));
            function.line(&format!("if (end{index} == at)"));
            function.line(&format!("    {failed}"));
            function.line(&format!("at = end{index};"));
            if let Some(target) = &target {
                function.line(&format!("*{target} = value{index};"));
            }
        }
        b's' | b'c' | b'[' => {
            let accepted = match conversion.letter {
                b's' => "*at != ' ' && (*at < '\\t' || *at > '\\r')".to_owned(),
                b'c' => "1".to_owned(),
                _ => format!("__regatta_in_set(*at, {})", set_words(&conversion.set)),
            };
            let many = match (conversion.letter, width) {
                (b'c', None) => "1".to_owned(),
                _ => many,
            };
            function.line(&format!("__regatta_size_t length{index} = 0;"));
            function.line(&format!(
                "while (length{index} < {many} && *at != 0 && ({accepted})) {{"
            ));
            if let Some(target) = &target {
                function.line(&format!("    {target}[length{index}] = *at;"));
            }
            function.line(&format!("    length{index}++;"));
            function.line("    at++;");
            function.line("}");
            function.line(&format!("if (length{index} == 0)"));
            function.line(&format!("    {failed}"));
            match &target {
                Some(target) if conversion.letter != b'c' => {
                    function.line(&format!("{target}[length{index}] = 0;"));
                }
                _ => {}
            }
        }
        letter => {
            let (base, signed) = match letter {
                b'd' => (10, true),
                b'i' => (0, true),
                b'u' => (10, false),
                b'o' => (8, false),
                _ => (16, false),
            };
            // As by `strtol` or `strtoull`, then truncated to the type.
            let long = match conversion.length.as_str() {
                "ll" | "j" | "L" => "~0ULL",
                _ => "~0UL",
            };
            let limits = match signed {
                true => format!("{long} >> 1, ({long} >> 1) + 1ULL"),
                false => format!("{long}, {long}"),
            };
            function.line(&format!("unsigned long long value{index};"));
            function.line(&format!(
                "const char *end{index} = __regatta_scan_number(at, {many}, {base}, {limits}, &value{index});"
            ));
            function.line(&format!("if (end{index} == 0)"));
            function.line(&format!("    {failed}"));
            function.line(&format!("at = end{index};"));
            if let Some(target) = &target {
                function.line(&format!("*{target} = ({ty})value{index};"));
            }
        }
    }
    function.line("converted = 1;");
    if target.is_some() {
        function.line("count++;");
    }
    Ok(())
}
