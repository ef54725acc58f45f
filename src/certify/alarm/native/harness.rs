//! The harness: a C file that is linked with the program and supplies an alarm's values.
//!
//! It includes neither the program's declarations nor headers, so that it can define functions whatever their declarations.
//! It has the types of their results, and no unused parameters. (With the calling conventions of Linux, the caller removes a
//! C function's arguments.)

use std::fmt::{self, Write as _};

use super::script::{Contents, Returned, Script, UnsaidKind};
use crate::alarm::replay::Violation;
use regatta_frontend::Standard;
use regatta_program::{
    CScalar, DataModel, External, ExternalKind, InputKind, Program, ReturnType, Span, c_value,
};
use regatta_term::Value;

/// A file of the program, with what it alone is compiled with.
#[derive(Clone, Debug, Default)]
pub struct SourceFile {
    pub path: String,
    /// The C standard; that of the program if not given.
    pub standard: Option<Standard>,
    /// Arguments for the preprocessor.
    pub arguments: Vec<String>,
}

/// The options with which the program was read, and with which a compiler reads it in the same way.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// The C files.
    pub files: Vec<SourceFile>,
    pub data_model: DataModel,
    /// The C standard of the program.
    pub standard: Option<Standard>,
    /// `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folders with headers.
    pub include_folders: Vec<String>,
    /// Further arguments for the preprocessor.
    pub arguments: Vec<String>,
    /// Whether signed arithmetic that overflows is an error, and ends the program.
    pub ends_at_overflow: bool,
    /// Whether an access outside of the objects that exist, and a wrong call of `free`, is an error, and ends the program.
    pub ends_at_misuse: bool,
    /// Whether memory that is lost at the end is an error.
    pub ends_at_leak: bool,
}

/// The option with which signed arithmetic wraps around; compilers then do not look for overflow.
const WRAPPING: &str = "-fwrapv";

/// The options with which a compiled program ends where signed arithmetic overflows.
const OVERFLOW_FLAGS: [&str; 2] = [
    "-fsanitize=signed-integer-overflow,shift",
    "-fno-sanitize-recover=all",
];

/// The options with which a compiled program ends where it misuses memory, and looks for lost memory.
const MEMORY_FLAGS: [&str; 2] = ["-fsanitize=address", "-fno-omit-frame-pointer"];

impl Command {
    /// Whether the compiled program watches its memory.
    pub(crate) const fn watches_memory(&self) -> bool {
        self.ends_at_misuse || self.ends_at_leak
    }

    /// Whether the compiled program looks for errors that no function is called for. It does not find all of them.
    pub const fn is_sanitized(&self) -> bool {
        self.ends_at_overflow || self.watches_memory()
    }

    /// The compiler options for C with Regatta's semantics: no optimisation that uses undefined behaviour, no fused operations,
    /// floats evaluated in their own type; overflow that wraps around, or ends the program.
    pub fn flags(&self, file: &SourceFile) -> Vec<String> {
        let mut flags: Vec<String> = self
            .machine_flags()
            .into_iter()
            .filter(|&flag| !self.ends_at_overflow || flag != WRAPPING)
            .map(str::to_owned)
            .collect();
        if self.ends_at_overflow {
            flags.extend(OVERFLOW_FLAGS.map(str::to_owned));
        }
        flags.extend(self.memory_flags().iter().map(|&flag| flag.to_owned()));
        flags.extend(
            file.standard
                .or(self.standard)
                .iter()
                .flat_map(|standard| standard.compiler_flags()),
        );
        let defines = self.defines.iter();
        flags.extend(defines.map(|define| format!("-D{define}")));
        let folders = self.include_folders.iter();
        flags.extend(folders.map(|folder| format!("-I{folder}")));
        flags.extend_from_slice(&self.arguments);
        flags.extend_from_slice(&file.arguments);
        flags
    }

    /// The options about memory among [`Self::flags`]; the linker needs them, too.
    pub(crate) const fn memory_flags(&self) -> &'static [&'static str] {
        match self.watches_memory() {
            true => &MEMORY_FLAGS,
            false => &[],
        }
    }

    /// The names of the files, for a command line.
    fn names(&self) -> String {
        let names: Vec<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        names.join(" ")
    }

    /// The options about code generation among [`Self::flags`].
    pub(crate) fn machine_flags(&self) -> Vec<&'static str> {
        let mut flags = vec!["-O0", WRAPPING, "-ffp-contract=off"];
        match self.data_model {
            DataModel::Ilp32 => flags.extend(["-m32", "-msse2", "-mfpmath=sse"]),
            DataModel::Lp64 if cfg!(target_arch = "x86_64") => flags.push("-m64"),
            DataModel::Lp64 => {}
        }
        flags
    }
}

impl fmt::Display for Command {
    /// The command line up to the files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cc -g")?;
        let own = self.files.first().cloned().unwrap_or_default();
        for flag in self.flags(&own) {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=./,+".contains(&byte);
            match flag.bytes().all(is_plain) {
                true => write!(f, " {flag}")?,
                false => write!(f, " '{}'", flag.replace('\'', "'\\''"))?,
            }
        }
        Ok(())
    }
}

/// The macro that a harness calls at the end of a run; it can be defined to report the end. `REPLAY_HOOK(text)` does not
/// return.
pub const HOOK: &str = "REPLAY_HOOK";

/// The hook's text at the error.
pub const REACHED: &str = "the error is reached";

/// Writes a harness for the violation, which depends on inputs of the kinds `needed` besides the script.
pub fn harness(
    program: &Program,
    violation: &Violation,
    script: &Script,
    needed: &[UnsaidKind],
    command: &Command,
) -> String {
    let mut writer = Writer {
        program,
        text: String::new(),
    };
    writer.explain(violation, script, needed, command);
    writer.helpers(script);
    let externals = program.externals.iter().zip(&script.returned);
    for (external, returned) in externals {
        writer.define(external, returned);
    }
    writer.text
}

struct Writer<'p> {
    program: &'p Program,
    text: String,
}

/// Makes text safe for a comment.
fn in_comment(text: &str) -> String {
    text.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace(['\n', '\r'], " ")
}

impl Writer<'_> {
    fn line(&mut self, line: impl fmt::Display) {
        let _ = writeln!(self.text, "{line}");
    }

    fn place(&self, span: Span) -> String {
        in_comment(&self.program.sources.describe(span))
    }

    /// Writes the comment that describes the file and its use.
    fn explain(
        &mut self,
        violation: &Violation,
        script: &Script,
        needed: &[UnsaidKind],
        command: &Command,
    ) {
        let error = self.place(self.program.location(violation.location).span);
        let file = in_comment(&command.names());
        self.line("/*");
        self.line(format_args!(
            " * A harness by Regatta {}: with it, {file} runs into the error at",
            env!("CARGO_PKG_VERSION")
        ));
        self.line(format_args!(" * {error}."));
        self.line(" *");
        self.line(format_args!(
            " *     {} HARNESS.c {file} -o replay -lm",
            in_comment(&command.to_string())
        ));
        self.line(" *     gdb -ex run ./replay");
        self.line(" *");
        self.line(
            " * The functions below return, call by call, the values of the run that was found.",
        );
        self.line(" * Each value stands with the place of its call.");
        match needed {
            [] => self
                .line(" * The harness is faithful: the error needs nothing that it does not say."),
            needed => {
                self.line(" * The harness is not faithful: the error also depends on");
                for kind in needed {
                    self.line(format_args!(" *   - {}", in_comment(&kind.to_string())));
                }
                self.line(" * and the values in the run that was found are:");
                self.unsaid(violation, script, needed);
            }
        }
        self.line(" */");
    }

    /// Writes the first inputs that the error depends on and the harness cannot supply.
    fn unsaid(&mut self, violation: &Violation, script: &Script, needed: &[UnsaidKind]) {
        const MAXIMUM_SHOWN: usize = 20;
        let unsaid: Vec<_> = script
            .unsaid
            .iter()
            .filter(|input| needed.contains(&input.kind))
            .collect();
        for input in unsaid.iter().take(MAXIMUM_SHOWN) {
            let Some((id, value)) = violation.inputs.entries.get(input.entry) else {
                continue;
            };
            let source = self.program.input(*id);
            let place = self.place(source.span);
            let what = match &source.kind {
                InputKind::Nondet(name) | InputKind::Volatile(name) => in_comment(name),
                _ => in_comment(&input.kind.to_string()),
            };
            let value = match c_value::literal(value, source.c_type) {
                Some(value) => value,
                None => "(an array)".to_owned(),
            };
            self.line(format_args!(" *       {place}: {what}: {value}"));
        }
        if unsaid.len() > MAXIMUM_SHOWN {
            self.line(format_args!(
                " *       ... and {} more",
                unsaid.len() - MAXIMUM_SHOWN
            ));
        }
    }

    /// Writes definitions that several functions use.
    fn helpers(&mut self, script: &Script) {
        let has_error = |external: &External| {
            matches!(external.kind, ExternalKind::Error | ExternalKind::Assert)
        };
        let returns = |external: &External| {
            matches!(
                external.kind,
                ExternalKind::Function {
                    returns: ReturnType::Scalar(_) | ReturnType::Record { .. },
                    ..
                } | ExternalKind::FillsMemory
            )
        };
        self.line(format_args!(
            "
#ifndef {HOOK}
int dprintf(int descriptor, const char *format, ...);
#define {HOOK}(text) (dprintf(2, \"harness: \" text \"\\n\"), __builtin_abort())
#endif"
        ));
        // gcc warns about functions with the names of its built-in ones.
        let pragma = "
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored \"-Wbuiltin-declaration-mismatch\"
#endif";
        if self.program.externals.iter().any(returns) {
            self.line(pragma);
        }
        if self.program.externals.iter().any(has_error) {
            self.line(format_args!(
                "
/* The error that the harness is about. */
static _Noreturn void harness_error(void)
{{
    {HOOK}(\"{REACHED}\");
    __builtin_unreachable();
}}"
            ));
        }
        let mut defined: Vec<&str> = Vec::new();
        for external in &self.program.externals {
            let ExternalKind::Function {
                returns: ReturnType::Record { definitions, .. },
                ..
            } = &external.kind
            else {
                continue;
            };
            for definition in definitions {
                if !defined.contains(&definition.as_str()) {
                    defined.push(definition);
                    self.line(format_args!("\n{definition}"));
                }
            }
        }
        debug_assert_eq!(script.returned.len(), self.program.externals.len());
    }

    fn define(&mut self, external: &External, returned: &[Returned]) {
        let name = &external.name;
        match &external.kind {
            // Library functions that are not called keep their definitions.
            ExternalKind::Function {
                is_library: true, ..
            } if returned.is_empty() => {}
            ExternalKind::Function { returns, .. } => self.function(name, returns, returned),
            ExternalKind::Error => self.line(format_args!(
                "
_Noreturn void {name}(void);
_Noreturn void {name}(void)
{{
    harness_error();
}}"
            )),
            ExternalKind::End => self.line(format_args!(
                "
_Noreturn void {name}(void);
_Noreturn void {name}(void)
{{
    {HOOK}(\"{name} ends the program\");
    __builtin_unreachable();
}}"
            )),
            ExternalKind::Assume => self.line(format_args!(
                "
void {name}(int condition);
void {name}(int condition)
{{
    if (!condition)
        {HOOK}(\"{name} fails\");
}}"
            )),
            ExternalKind::Assert => self.line(format_args!(
                "
void {name}(int condition);
void {name}(int condition)
{{
    if (!condition)
        harness_error();
}}"
            )),
            ExternalKind::Nothing => self.line(format_args!(
                "
void {name}(void);
void {name}(void)
{{
}}"
            )),
            ExternalKind::FillsMemory => {
                self.line(format_args!(
                    "\nvoid {name}(void *memory, __SIZE_TYPE__ size);\nvoid {name}(void *memory, __SIZE_TYPE__ size)\n{{"
                ));
                self.values("unsigned char", returned);
                self.line(format_args!(
                    "    unsigned char *bytes = memory;

    while (size > 0) {{
        if (next == sizeof values / sizeof *values)
            {HOOK}(\"{name} gives more bytes than on the path to the error\");
        *bytes++ = values[next++];
        size--;
    }}
}}"
                ));
            }
            ExternalKind::Object { size, alignment } => {
                self.object(name, (*size, *alignment), returned)
            }
        }
    }

    fn function(&mut self, name: &str, returns: &ReturnType, returned: &[Returned]) {
        let (ty, is_record) = match returns {
            ReturnType::Void => {
                return self.line(format_args!(
                    "\nvoid {name}(void);\nvoid {name}(void)\n{{\n}}"
                ));
            }
            ReturnType::Scalar(ty) => (ty.as_str(), false),
            ReturnType::Record { name, .. } => (name.as_str(), true),
            ReturnType::Other(ty) => {
                let ty = in_comment(ty);
                return self.line(format_args!(
                    "\n/* Not defined here: {name}, which returns a value of type {ty}. */"
                ));
            }
        };
        let space = if ty.ends_with('*') { "" } else { " " };
        let header = format!("{ty}{space}{name}(void)");
        self.line(format_args!("\n{header};\n{header}\n{{"));
        if returned.is_empty() {
            self.line(format_args!(
                "    {HOOK}(\"{name} is called, which it is not on the path to the error\");
    __builtin_unreachable();
}}"
            ));
            return;
        }
        match (is_record, returns) {
            (true, ReturnType::Record { size, .. }) => self.representations(*size, returned),
            _ => self.values(ty, returned),
        }
        self.line(format_args!(
            "
    if (next == sizeof values / sizeof *values)
        {HOOK}(\"{name} is called more often than on the path to the error\");"
        ));
        match is_record {
            false => self.line("    return values[next++];\n}"),
            true => self.line(format_args!(
                "    {ty} result;
    _Static_assert(sizeof result == sizeof *values, \"as large as in the program\");
    __builtin_memcpy(&result, values[next++], sizeof result);
    return result;
}}"
            )),
        }
    }

    /// Writes the successive return values of a function.
    fn values(&mut self, ty: &str, returned: &[Returned]) {
        let space = if ty.ends_with('*') { "" } else { " " };
        let constant = if ty.ends_with('*') { "const " } else { "" };
        let before = if constant.is_empty() { "const " } else { "" };
        // A constant pointer, not a pointer to constants.
        self.line(format_args!(
            "    static {before}{ty}{space}{constant}values[] = {{"
        ));
        for one in returned {
            let place = self.place(one.span);
            let (value, remark) = match &one.value {
                Contents::Scalar(value) => match c_value::literal(value, c_type(ty)) {
                    Some(value) => (value, ""),
                    None => ("0".to_owned(), ", a value that is not said in C here"),
                },
                Contents::Parts(_) => ("0".to_owned(), ", where it is not used"),
            };
            self.line(format_args!("        {value}, /* {place}{remark} */"));
        }
        self.line("    };\n    static __SIZE_TYPE__ next;");
    }

    /// Writes the successive structs that a function returns, as bytes.
    fn representations(&mut self, size: u64, returned: &[Returned]) {
        self.line(format_args!(
            "    static const unsigned char values[][{size}] = {{"
        ));
        for one in returned {
            let place = self.place(one.span);
            let bytes = bytes_in_c(&bytes(&one.value, size), "            ");
            self.line(format_args!("        {{ /* {place} */\n{bytes}        }},"));
        }
        self.line("    };\n    static __SIZE_TYPE__ next;");
    }

    fn object(&mut self, name: &str, (size, alignment): (u64, u64), returned: &[Returned]) {
        self.line(format_args!(
            "\nextern unsigned char {name}[{size}];\nunsigned char {name}[{size}] __attribute__((aligned({alignment})))"
        ));
        let contents = returned.first().map(|first| bytes(&first.value, size));
        match contents {
            Some(bytes) if bytes.iter().any(|&byte| byte != 0) => {
                let end = bytes
                    .iter()
                    .rposition(|&byte| byte != 0)
                    .map_or(0, |last| last + 1);
                let bytes = bytes_in_c(&bytes[..end], "    ");
                self.line(format_args!("= {{\n{bytes}}};"));
            }
            _ => {
                // The declaration above it has no line of its own to end.
                self.text.pop();
                self.line(";");
            }
        }
    }
}

/// The scalar type with which a return value of the C type is written.
fn c_type(ty: &str) -> Option<CScalar> {
    let ty = ty.trim();
    if ty.ends_with('*') {
        return Some(CScalar::Pointer);
    }
    // Widths are those of the values themselves.
    let signed = !ty.starts_with("unsigned") && ty != "_Bool";
    Some(CScalar::Integer { bits: 0, signed })
}

/// The bytes of a representation; bytes that are never read are zero.
fn bytes(contents: &Contents, size: u64) -> Vec<u8> {
    let mut bytes = vec![0u8; size as usize];
    if let Contents::Parts(parts) = contents {
        for &(start, count, bits) in parts {
            for bit in 0..count {
                let position = u64::from(start) + u64::from(bit);
                if let Some(byte) = bytes.get_mut((position / 8) as usize)
                    && bit < 128
                    && bits >> bit & 1 != 0
                {
                    *byte |= 1 << (position % 8);
                }
            }
        }
    }
    bytes
}

/// Formats bytes as initialisers, eight per line.
fn bytes_in_c(bytes: &[u8], indent: &str) -> String {
    let mut text = String::new();
    for line in bytes.chunks(8) {
        let line: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
        let _ = writeln!(text, "{indent}{},", line.join(", "));
    }
    text
}

/// Checks whether a script has too many values to be compiled in reasonable time.
pub fn is_too_long(script: &Script) -> bool {
    const MAXIMUM_VALUES: usize = 300_000;
    let parts = |one: &Returned| match &one.value {
        Contents::Scalar(Value::Array(_)) => MAXIMUM_VALUES,
        Contents::Scalar(_) => 1,
        Contents::Parts(parts) => 1 + parts.len(),
    };
    script.returned.iter().flatten().map(parts).sum::<usize>() > MAXIMUM_VALUES
}
