//! Generates functions that print.

use super::directive::{Amount, Conversion, Piece, integer_type, pieces, refused};
use super::{Channel, FormatFunction, Kind, Made, NotModelled};

/// Generates a function that prints by a format; `None` for an unknown format.
pub fn print_function(channel: Channel, format: Option<&[u8]>) -> Made {
    let mut function = FormatFunction::default();
    if channel == Channel::Descriptor {
        function.line("if (__regatta_is_closed(file) || __regatta_is_for_input(file))");
        function.line("    return __regatta_bad_file();");
    }
    if format.is_none() {
        let stream = match channel {
            Channel::StandardOutput => Some("__regatta_initial_stdout()"),
            Channel::Output => Some("stream"),
            Channel::Elsewhere | Channel::Descriptor => Some("__regatta_initial_stderr()"),
            _ => None,
        };
        if let Some(stream) = stream {
            function.line(&format!("return __regatta_output_any({stream});"));
            return Ok(function);
        }
    }
    let (to, size) = match channel {
        Channel::Text => ("to", "(__regatta_size_t)-1"),
        Channel::LimitedText => ("to", "size"),
        _ => ("(char *)0", "0"),
    };
    match (format, channel) {
        (None, Channel::NewText) => {
            function.line("if (__regatta_encoding_fails())");
            function.line("    return -1;");
        }
        (None, _) => {
            function.line(&format!("return __regatta_print_any({to}, {size});"));
            return Ok(function);
        }
        _ => {}
    }
    let pieces = match format {
        Some(format) => Some(pieces(format, false)?),
        None => None,
    };
    function.line("__regatta_size_t at = 0;");
    print_pieces(&mut function, pieces.as_deref(), to, size)?;
    match channel {
        Channel::StandardOutput => {
            function.line("return __regatta_put(__regatta_initial_stdout(), (int)at);");
        }
        Channel::Output => function.line("return __regatta_put(stream, (int)at);"),
        Channel::Text | Channel::LimitedText => {
            function.line(&format!("__regatta_print_end({to}, {size}, at);"));
            function.line("return (int)at;");
        }
        Channel::NewText => {
            // Prints a second time, into a string of that length.
            function.line("__regatta_size_t size = at + 1;");
            function.line("char *to = malloc(size);");
            function.line("if (to == 0)");
            function.line("    return -1;");
            function.line("*result = to;");
            function.line("at = 0;");
            let parameters = function.parameters.len();
            print_pieces(&mut function, pieces.as_deref(), "to", "size")?;
            // The second pass takes the same arguments.
            let own = function.parameters.len() - parameters;
            for index in (0..own).rev() {
                let (old, new) = (format!("a{}", parameters + index), format!("a{index}"));
                function.body = function.body.replace(&old, &new);
            }
            function.parameters.truncate(parameters);
            function.used.truncate(parameters);
            function.line("__regatta_print_end(to, size, at);");
            function.line("return (int)size - 1;");
        }
        _ => function.line("return __VERIFIER_nondet_bool() ? __regatta_fail() : (int)at;"),
    }
    Ok(function)
}

/// Generates a function that only reads the strings that a format prints.
pub fn read_function(format: &[u8]) -> Made {
    let mut function = FormatFunction::default();
    let mut next = 0;
    for piece in pieces(format, false)? {
        let Piece::Conversion(conversion) = piece else {
            continue;
        };
        let mut precision = "-1".to_owned();
        if conversion.width == Amount::Argument {
            next += 1;
        }
        match conversion.precision {
            Amount::None => {}
            Amount::Constant(constant) => precision = constant.to_string(),
            Amount::Argument => {
                precision = function.parameter(&mut next, Kind::Integer, "int");
            }
        }
        let (ty, reader) = match (conversion.letter, conversion.length.as_str()) {
            (b's', "") => ("const char *", "__regatta_read_text"),
            (b's', "l") => ("const __regatta_wchar_t *", "__regatta_read_wide_text"),
            (b's' | b'n', _) => return refused(&conversion),
            (b'm', _) => continue,
            (
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'p' | b'e' | b'E' | b'f' | b'F'
                | b'g' | b'G' | b'a' | b'A',
                _,
            ) => {
                next += 1;
                continue;
            }
            // Numbered arguments and extensions, some of which read memory.
            _ => return refused(&conversion),
        };
        let text = function.parameter(&mut next, Kind::Pointer, ty);
        function.line(&format!("{reader}({text}, {precision});"));
    }
    function.line("return 0;");
    Ok(function)
}

fn print_pieces(
    function: &mut FormatFunction,
    pieces: Option<&[Piece]>,
    to: &str,
    size: &str,
) -> Result<(), NotModelled> {
    let Some(pieces) = pieces else {
        function.line(&format!(
            "at = __regatta_print_unknown({to}, {size}, at, 0, 0);"
        ));
        return Ok(());
    };
    let mut next = 0;
    for piece in pieces {
        match piece {
            Piece::White => {}
            Piece::Literal(byte) => {
                let byte = *byte as i8;
                function.line(&format!(
                    "at = __regatta_print_character({to}, {size}, at, (char){byte});"
                ));
            }
            Piece::Conversion(conversion) => {
                print_conversion(function, &mut next, conversion, to, size)?;
            }
        }
    }
    Ok(())
}

fn print_conversion(
    function: &mut FormatFunction,
    next: &mut usize,
    conversion: &Conversion,
    to: &str,
    size: &str,
) -> Result<(), NotModelled> {
    let mut flags = conversion.flags.to_string();
    let width = match conversion.width {
        Amount::None => "0".to_owned(),
        Amount::Constant(width) => width.to_string(),
        Amount::Argument => {
            let width = function.parameter(next, Kind::Integer, "int");
            flags = format!("({flags} | ({width} < 0))");
            format!("({width} < 0 ? -{width} : {width})")
        }
    };
    let precision = match conversion.precision {
        Amount::None => "-1".to_owned(),
        Amount::Constant(precision) => precision.to_string(),
        Amount::Argument => function.parameter(next, Kind::Integer, "int"),
    };
    let into = format!("{to}, {size}, at");
    match conversion.letter {
        b'd' | b'i' => {
            let Some(ty) = integer_type(&conversion.length, true) else {
                return refused(conversion);
            };
            let value = function.parameter(next, Kind::Integer, ty);
            function.line(&format!(
                "at = __regatta_print_signed({into}, {value}, {precision}, {width}, {flags});"
            ));
        }
        b'u' | b'o' | b'x' | b'X' => {
            let ty = match conversion.length.as_str() {
                "t" => Some("__regatta_size_t"),
                length => integer_type(length, false),
            };
            let Some(ty) = ty else {
                return refused(conversion);
            };
            let base = match conversion.letter {
                b'u' => 10,
                b'o' => 8,
                _ => 16,
            };
            let capital = if conversion.letter == b'X' {
                " | 32"
            } else {
                ""
            };
            let value = function.parameter(next, Kind::Integer, ty);
            function.line(&format!(
                "at = __regatta_print_unsigned({into}, {value}, {base}, {precision}, {width}, {flags}{capital});"
            ));
        }
        b'b' | b'B' => {
            let Some(ty) = integer_type(&conversion.length, false) else {
                return refused(conversion);
            };
            let capital = if conversion.letter == b'B' {
                " | 32"
            } else {
                ""
            };
            let value = function.parameter(next, Kind::Integer, ty);
            function.line(&format!(
                "at = __regatta_print_binary({into}, {value}, {precision}, {width}, {flags}{capital});"
            ));
        }
        b'c' if conversion.length.is_empty() => {
            let value = function.parameter(next, Kind::Integer, "int");
            function.line(&format!(
                "at = __regatta_print_padding({into}, ' ', {flags} & 1 ? 0 : {width} - 1);"
            ));
            function.line(&format!(
                "at = __regatta_print_character({into}, (char){value});"
            ));
            function.line(&format!(
                "at = __regatta_print_padding({into}, ' ', {flags} & 1 ? {width} - 1 : 0);"
            ));
        }
        b's' if conversion.length.is_empty() => {
            let value = function.parameter(next, Kind::Pointer, "const char *");
            function.line(&format!(
                "at = __regatta_print_text({into}, {value}, {precision}, {width}, {flags});"
            ));
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let ty = if conversion.length == "L" {
                "long double"
            } else {
                "double"
            };
            function.parameter(next, Kind::Float, ty);
            function.line(&format!(
                "at = __regatta_print_unknown({into}, {precision}, {width} > 1 ? {width} : 1);"
            ));
        }
        b'p' => {
            function.parameter(next, Kind::Pointer, "void *");
            function.line(&format!(
                "at = __regatta_print_unknown({into}, {precision}, {width} > 1 ? {width} : 1);"
            ));
        }
        b'm' => function.line(&format!(
            "at = __regatta_print_unknown({into}, {precision}, {width});"
        )),
        b'n' => {
            let Some(ty) = integer_type(&conversion.length, true) else {
                return refused(conversion);
            };
            let target = function.parameter(next, Kind::Pointer, &format!("{ty} *"));
            function.writes = true;
            function.line(&format!("*{target} = ({ty})at;"));
        }
        _ => return refused(conversion),
    }
    Ok(())
}
