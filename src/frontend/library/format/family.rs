//! The functions of the family of `printf` and `scanf`, by name.

/// The source or destination of a call's characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// `printf`: the standard output.
    StandardOutput,
    /// `fprintf`: a stream, the generated function's first argument.
    Output,
    /// `dprintf`: a file descriptor, the generated function's first argument.
    Descriptor,
    /// `printk`: a destination without state; no argument.
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
    /// The source or destination of its characters.
    pub channel: Channel,
    /// Its arguments that the generated function takes first, in order.
    pub own: &'static [usize],
    /// Position of the format.
    pub format: usize,
    /// Whether the arguments are in a `va_list`.
    pub list: bool,
}

/// The function of the family with the name.
pub fn family(name: &str) -> Option<Family> {
    let (channel, own, format): (_, &'static [usize], _) = match name {
        "printf" | "vprintf" => (Channel::StandardOutput, &[], 0),
        "__printf_chk" => (Channel::StandardOutput, &[], 1),
        "fprintf" | "vfprintf" => (Channel::Output, &[0], 1),
        "__fprintf_chk" => (Channel::Output, &[0], 2),
        "printk" => (Channel::Elsewhere, &[], 0),
        "dprintf" | "vdprintf" => (Channel::Descriptor, &[0], 1),
        "__dprintf_chk" => (Channel::Descriptor, &[0], 2),
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
