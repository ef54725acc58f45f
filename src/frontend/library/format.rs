//! Formats of `printf` and `scanf`: a call whose format is known becomes a call of a C function of ours that does what
//! the format says, directive by directive.
//!
//! Printing computes the characters exactly, floating-point numbers and pointers excepted. Scanning a string is exact,
//! too; scanning a stream gives as many conversions as the environment likes, and any values: what a failed conversion
//! would have assigned stays as it is. Where directives that follow one another restrict what can come (`"%d%c"`: the
//! character ends the number), an alarm on such a path is not confirmed.

use std::fmt::Write;

/// What a call of the family does with its characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// `printf`: the standard output.
    StandardOutput,
    /// `fprintf`: a stream, the first argument of ours.
    Output,
    /// `dprintf`, `printk`: somewhere that keeps no state; no argument of ours.
    Elsewhere,
    /// `sprintf`: a string.
    Text,
    /// `snprintf`: a string of limited size.
    LimitedText,
    /// `asprintf`: a string that is allocated.
    NewText,
    /// `scanf`: the standard input.
    StandardInput,
    /// `fscanf`: a stream.
    Input,
    /// `sscanf`: a string.
    TextInput,
}

/// A function of the family.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Where its characters go or come from.
    pub channel: Channel,
    /// Which of its arguments our function takes first, in order.
    pub own: &'static [usize],
    /// Position of the format.
    pub format: usize,
    /// Whether the arguments are in a `va_list`.
    pub list: bool,
}

/// The function of the family with a name.
pub fn family(name: &str) -> Option<Family> {
    let (channel, own, format): (_, &'static [usize], _) = match name {
        "printf" | "vprintf" => (Channel::StandardOutput, &[], 0),
        "__printf_chk" => (Channel::StandardOutput, &[], 1),
        "fprintf" | "vfprintf" => (Channel::Output, &[0], 1),
        "__fprintf_chk" => (Channel::Output, &[0], 2),
        "printk" => (Channel::Elsewhere, &[], 0),
        "dprintf" | "vdprintf" => (Channel::Elsewhere, &[], 1),
        "__dprintf_chk" => (Channel::Elsewhere, &[], 2),
        "sprintf" => (Channel::Text, &[0], 1),
        "__sprintf_chk" => (Channel::Text, &[0], 3),
        "snprintf" => (Channel::LimitedText, &[0, 1], 2),
        "__snprintf_chk" => (Channel::LimitedText, &[0, 1], 4),
        "asprintf" => (Channel::NewText, &[0], 1),
        "__asprintf_chk" => (Channel::NewText, &[0], 2),
        "scanf" => (Channel::StandardInput, &[], 0),
        "fscanf" => (Channel::Input, &[0], 1),
        "sscanf" => (Channel::TextInput, &[0], 1),
        _ => return None,
    };
    let list = matches!(name, "vprintf" | "vfprintf" | "vdprintf");
    Some(Family {
        channel,
        own,
        format,
        list,
    })
}

/// What an argument has to be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer.
    Integer,
    /// A floating-point number.
    Float,
    /// A pointer.
    Pointer,
}

/// A function of ours for a format.
#[derive(Clone, Debug, Default)]
pub struct FormatFunction {
    /// Its parameters behind those that the channel has, as C declares them without a name.
    pub parameters: Vec<(Kind, String)>,
    /// Which of the call's variable arguments they are.
    pub used: Vec<usize>,
    /// The statements of its body.
    pub body: String,
    /// Whether it writes to what an argument points to (`%n`, and all that is scanned).
    pub writes: bool,
}

/// Why there is no such function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` in a format")]
pub struct NotModelled(pub String);

type Made = Result<FormatFunction, NotModelled>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    None,
    Constant(u32),
    Argument,
}

#[derive(Clone, Debug)]
struct Conversion {
    flags: u32,
    left: bool,
    width: Amount,
    precision: Amount,
    length: String,
    letter: u8,
    /// For `%[`: the characters that are accepted, a bit each.
    set: [u64; 4],
    suppressed: bool,
}

#[derive(Clone, Debug)]
enum Piece {
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

fn refused<T>(conversion: &Conversion) -> Result<T, NotModelled> {
    let letter = char::from(conversion.letter);
    Err(NotModelled(format!("%{}{letter}", conversion.length)))
}

/// Splits a format; `scanning` is how white space and flags are read.
fn pieces(format: &[u8], scanning: bool) -> Result<Vec<Piece>, NotModelled> {
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
            left: false,
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
        conversion.left = conversion.flags & 1 != 0;
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

/// The integer type of a length, of the signedness.
fn integer_type(length: &str, signed: bool) -> Option<&'static str> {
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

impl FormatFunction {
    /// Adds a parameter for the next variable argument; gives its name.
    fn parameter(&mut self, next: &mut usize, kind: Kind, ty: &str) -> String {
        let name = format!("a{}", self.parameters.len());
        self.parameters.push((kind, ty.to_owned()));
        self.used.push(*next);
        *next += 1;
        name
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "    {line}");
    }
}

/// A function that prints as a format says; `None` is a format that is not known.
pub fn print_function(channel: Channel, format: Option<&[u8]>) -> Made {
    let mut function = FormatFunction::default();
    if format.is_none() {
        let stream = match channel {
            Channel::StandardOutput => Some("__regatta_initial_stdout()"),
            Channel::Output => Some("stream"),
            Channel::Elsewhere => Some("__regatta_initial_stderr()"),
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
            // Once more, into a string of that length.
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

/// The type that a scanning conversion assigns to, and whether that is a number's.
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

/// A function that scans as a format says.
pub fn scan_function(channel: Channel, format: &[u8]) -> Made {
    let pieces = pieces(format, true)?;
    if channel == Channel::TextInput {
        scan_text(&pieces)
    } else {
        scan_stream(&pieces, channel)
    }
}

/// What has been read just before a directive, and restricts what comes next.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Before {
    Anything,
    Number,
    Word,
}

fn scan_stream(pieces: &[Piece], channel: Channel) -> Made {
    let mut function = FormatFunction {
        writes: true,
        ..FormatFunction::default()
    };
    let assigned = |piece: &Piece| matches!(piece, Piece::Conversion(conversion) if !conversion.suppressed && conversion.letter != b'n');
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

/// Whether what a directive reads is restricted by the one before it.
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

/// Assigns what the environment likes.
fn stream_value(function: &mut FormatFunction, conversion: &Conversion, ty: &str, target: &str) {
    let width = match conversion.width {
        Amount::Constant(width) if width > 0 => Some(width),
        _ => None,
    };
    let many = width.map_or("(__regatta_size_t)-2".to_owned(), |width| width.to_string());
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
                    b'd' | b'u' => 10,
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

/// Scanning a string: what fails leaves at once.
fn scan_text(pieces: &[Piece]) -> Made {
    let mut function = FormatFunction {
        writes: true,
        ..FormatFunction::default()
    };
    function.line("const char *at = start;");
    function.line("int count = 0;");
    function.line("_Bool converted = 0;");
    // Whether a conversion that assigns nothing counts is not agreed on.
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
    let width = match conversion.width {
        Amount::Constant(width) if width > 0 => Some(width),
        _ => None,
    };
    let many = width.map_or("(__regatta_size_t)-2".to_owned(), |width| width.to_string());
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
                b'd' => (10, 1),
                b'i' => (0, 1),
                b'u' => (10, 0),
                b'o' => (8, 0),
                _ => (16, 0),
            };
            function.line(&format!("unsigned long long value{index};"));
            function.line(&format!(
                "const char *end{index} = __regatta_scan_number(at, {many}, {base}, {signed}, &value{index});"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_take_the_arguments_that_they_name() {
        let types = |made: Made| -> Vec<String> {
            let made = made.unwrap();
            made.parameters.into_iter().map(|(_, ty)| ty).collect()
        };
        let printed = |format: &[u8]| types(print_function(Channel::Text, Some(format)));
        assert_eq!(printed(b"100%% plain"), [""; 0]);
        assert_eq!(
            printed(b"%*.*s %hhd%lx %zu %Lf %n"),
            [
                "int",
                "int",
                "const char *",
                "signed char",
                "unsigned long",
                "__regatta_size_t",
                "long double",
                "int *"
            ]
        );
        let scanned = |format: &[u8]| types(scan_function(Channel::TextInput, format));
        assert_eq!(
            scanned(b"%*d %hd %lf%[^]x] %c%n"),
            ["short *", "double *", "char *", "char *", "int *"]
        );
    }

    #[test]
    fn what_is_not_modelled_is_named() {
        for (format, name) in [
            (&b"%ls"[..], "%ls"),
            (b"%1$d", "%$"),
            (b"%lc", "%lc"),
            (b"%k", "%k"),
        ] {
            let refused = print_function(Channel::Text, Some(format)).unwrap_err();
            assert_eq!(refused, NotModelled(name.to_owned()));
        }
        for format in [&b"%ms"[..], b"%p", b"%[abc", b"%"] {
            assert!(scan_function(Channel::Input, format).is_err());
        }
    }

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
