//! Compiles a program with a harness and runs it.
//!
//! If the program itself defines the error function, its definition is replaced: the program is compiled to assembly, and a
//! jump to our function is inserted at the begin of the error function. (A linker's `--wrap` would miss calls within the same
//! file, a weak definition would not help with a `static` function, and a macro would rename both.) The run ends there and
//! reports that over a pipe that the program does not use.
//!
//! The compiler and the program each run in a process group of their own, which is killed at the end, die with this process,
//! and leave no core file. The program has an empty environment, no input and no output.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::harness::{Command, HOOK, REACHED, SourceFile};
use crate::alarm::limits::{
    MAXIMUM_ADDRESS_SPACE, MAXIMUM_FILE_SIZE, MAXIMUM_MARK_LENGTH, MAXIMUM_STACK, POLL_INTERVAL,
};

/// A program to compile and run.
#[derive(Clone, Debug)]
pub struct NativeRun<'a> {
    pub command: &'a Command,
    /// The text of the harness.
    pub harness: &'a str,
    /// The functions whose calls violate the property.
    pub errors: &'a [String],
    /// Folder for the files.
    pub folder: &'a Path,
    /// Maximum wall time of the compiler and the program together.
    pub time: Duration,
}

/// The end of a native run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeEnd {
    /// The program has reached the error.
    Reached,
    /// The program has ended otherwise, as described.
    Elsewhere(String),
    /// The program did not end in time.
    TimeLimit,
    /// The program could not be run, or its end is inconclusive, for the reason.
    Open(String),
}

/// File descriptor over which the program reports its end; chosen so that programs do not use it by chance.
const MARK_DESCRIPTOR: RawFd = 198;

/// Compiles and runs the program.
pub fn run(run: &NativeRun<'_>) -> NativeEnd {
    let deadline = Instant::now() + run.time;
    let end = compile(run, deadline).and_then(|(program, linked)| {
        let end = execute(&program, run, deadline)?;
        Ok(match (end, linked) {
            // The run may have called an undefined function.
            (NativeEnd::Elsewhere(end), Linked::InPart) => NativeEnd::Open(format!(
                "the program uses something that is not defined; {end}"
            )),
            (end, _) => end,
        })
    });
    end.unwrap_or_else(|end| end)
}

/// Whether all symbols of a program are defined.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Linked {
    /// All symbols are defined.
    Whole,
    /// Some symbols may be undefined.
    InPart,
}

fn cannot(what: &str) -> impl Fn(std::io::Error) -> NativeEnd + '_ {
    move |error| NativeEnd::Open(format!("{what}: {error}"))
}

/// Compiles the program and returns its path.
fn compile(run: &NativeRun<'_>, deadline: Instant) -> Result<(PathBuf, Linked), NativeEnd> {
    let compilation = Compilation { run, deadline };
    compilation.write("harness.c", run.harness.as_bytes())?;
    compilation.write("mark.c", include_bytes!("mark.c"))?;
    let mark = b"_Noreturn void regatta_mark(const char *text);\n";
    compilation.write("mark.h", mark)?;
    // Programs from before C99 use `inline` in another sense. In the last attempt, undefined functions are permitted, since
    // the run may not call them.
    let lenient = ["-Wl,--unresolved-symbols=ignore-all", "-Wl,-z,lazy"];
    for (dialect, more, linked) in [
        (&[][..], &[][..], Linked::Whole),
        (&["-fgnu89-inline"], &[], Linked::Whole),
        (&[], &lenient[..], Linked::InPart),
    ] {
        compilation.assemble_all(dialect)?;
        match compilation.link(more) {
            Err(NativeEnd::Open(_)) if linked == Linked::Whole => {}
            other => return other.map(|program| (program, linked)),
        }
    }
    Err(NativeEnd::Open("the program is not linked".to_owned()))
}

/// The compilation of a program.
struct Compilation<'r> {
    run: &'r NativeRun<'r>,
    deadline: Instant,
}

impl Compilation<'_> {
    fn file(&self, name: &str) -> PathBuf {
        self.run.folder.join(name)
    }

    fn write(&self, name: &str, text: &[u8]) -> Result<(), NativeEnd> {
        std::fs::write(self.file(name), text).map_err(cannot("a file cannot be written"))
    }

    /// Makes the assembly of all files.
    fn assemble_all(&self, more: &[&str]) -> Result<(), NativeEnd> {
        let mut files = self.run.command.files.iter().enumerate();
        files.try_for_each(|(number, file)| self.assemble(number, file, more))
    }

    /// Makes the assembly of a file.
    fn assemble(&self, number: usize, file: &SourceFile, more: &[&str]) -> Result<(), NativeEnd> {
        let command = self.run.command;
        let source = std::path::absolute(&file.path).map_err(cannot("the file is not found"))?;
        let assembly = self.file(&assembly_name(number));
        let compile = |standard: &[&str]| {
            let mut compiler = compiler(self.run.folder);
            compiler
                .args(COMMON_OPTIONS)
                .args(standard)
                .args(command.flags(file));
            compiler
                .args(LENIENT_OPTIONS)
                .args(more)
                .args(["-S", "-o"])
                .arg(&assembly)
                .arg(&source);
            finish(compiler, self.deadline)
        };
        let compiled = compile(&[]);
        // If no standard is given, the program may have been read as C23.
        match file.standard.or(command.standard) {
            None if compiled.is_err() => compile(&["-std=gnu2x"])?,
            _ => compiled?,
        }
        let text = std::fs::read(&assembly).map_err(cannot("the assembly cannot be read"))?;
        let text = with_jumps(&text, self.run.errors);
        self.write(&assembly_name(number), &text)
    }

    fn link(&self, more: &[&str]) -> Result<PathBuf, NativeEnd> {
        let program = self.file("program");
        let mut compiler = compiler(self.run.folder);
        compiler
            .args(self.run.command.machine_flags())
            .args(self.run.command.memory_flags())
            .args(COMMON_OPTIONS);
        if self.run.command.ends_at_leak {
            compiler.arg("-DLOOK_FOR_LEAKS");
        }
        compiler.arg(format!("-DMARK_DESCRIPTOR={MARK_DESCRIPTOR}"));
        compiler.arg(format!("-DMARK_REACHED=\"{REACHED}\""));
        compiler.arg(format!("-D{HOOK}(text)=regatta_mark(text)"));
        compiler.arg("-include").arg(self.file("mark.h"));
        let assembly = (0..self.run.command.files.len()).map(assembly_name);
        let ours = ["harness.c", "mark.c"].map(str::to_owned);
        let files = assembly.chain(ours).map(|name| self.file(&name));
        compiler.args(files).args(more);
        compiler.args(["-lm", "-o"]).arg(&program);
        finish(compiler, self.deadline)?;
        Ok(program)
    }
}

/// The name of the assembly of one of the program's files.
fn assembly_name(number: usize) -> String {
    format!("program{number}.s")
}

/// Options for all compilations.
const COMMON_OPTIONS: [&str; 3] = ["-std=gnu17", "-w", "-pthread"];

/// Options for older programs, parts of which newer compilers refuse.
const LENIENT_OPTIONS: [&str; 5] = [
    "-Wno-error",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
];

/// The user's compiler, the same as for preprocessing.
fn compiler(folder: &Path) -> process::Command {
    let compiler = std::env::var_os("CC").filter(|value| !value.is_empty());
    let mut command = process::Command::new(compiler.as_deref().unwrap_or(OsStr::new("cc")));
    // Its temporary files are deleted with ours if it is killed.
    command.env("TMPDIR", folder);
    command
}

/// Runs a compiler to its end.
fn finish(mut compiler: process::Command, deadline: Instant) -> Result<(), NativeEnd> {
    compiler
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    isolate(&mut compiler, Vec::new(), None);
    let mut child = compiler.spawn().map_err(cannot("cc does not run"))?;
    let messages = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        // Longer messages are not reported anyway.
        let _ = messages.map(|messages| messages.take(1 << 16).read_to_string(&mut text));
        text
    });
    let status = wait(child, deadline)?;
    let text = reader.join().unwrap_or_default();
    if status.success() {
        return Ok(());
    }
    let errors = |line: &&str| line.contains("error") || line.contains("undefined");
    let line = text.lines().find(errors).or(text.lines().next());
    Err(NativeEnd::Open(format!(
        "cc: {}",
        line.unwrap_or("failed without a message").trim()
    )))
}

/// Runs the program and returns its end.
fn execute(program: &Path, run: &NativeRun<'_>, deadline: Instant) -> Result<NativeEnd, NativeEnd> {
    let no_pipe = |error: nix::errno::Errno| NativeEnd::Open(format!("no pipe: {error}"));
    let (reader, writer) = nix::unistd::pipe2(OFlag::O_CLOEXEC).map_err(no_pipe)?;
    // Nonblocking, since a process that has outlived the run may hold the other end.
    fcntl(&reader, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(no_pipe)?;
    let mut command = process::Command::new(program);
    command.env_clear().current_dir(run.folder);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut limits = vec![
        (libc::RLIMIT_STACK, MAXIMUM_STACK),
        (libc::RLIMIT_FSIZE, MAXIMUM_FILE_SIZE),
    ];
    if run.command.watches_memory() {
        // It reserves terabytes of addresses for what it knows of memory.
        command.env("ASAN_OPTIONS", "detect_stack_use_after_return=1");
    } else {
        limits.push((libc::RLIMIT_AS, MAXIMUM_ADDRESS_SPACE));
    }
    isolate(&mut command, limits, Some(writer.as_raw_fd()));
    let child = command
        .spawn()
        .map_err(cannot("the program does not run"))?;
    drop(writer);
    let status = wait(child, deadline)?;
    let mark = read_mark(reader);
    Ok(match mark.as_str() {
        REACHED => NativeEnd::Reached,
        "" if is_from_outside(status) => NativeEnd::Open(describe(status)),
        "" => NativeEnd::Elsewhere(describe(status)),
        text => NativeEnd::Elsewhere(text.to_owned()),
    })
}

fn read_mark(reader: OwnedFd) -> String {
    let mut text = Vec::new();
    let mut file = std::fs::File::from(reader).take(MAXIMUM_MARK_LENGTH as u64);
    while let Err(error) = file.read_to_end(&mut text) {
        if error.kind() != ErrorKind::Interrupted {
            break;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Checks whether the run was ended from outside, by a limit of the system.
fn is_from_outside(status: ExitStatus) -> bool {
    let signals = [libc::SIGKILL, libc::SIGXFSZ, libc::SIGXCPU, libc::SIGTERM];
    status
        .signal()
        .is_some_and(|signal| signals.contains(&signal))
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ends with exit code {code}"),
        (None, Some(signal)) => match Signal::try_from(signal) {
            Ok(signal) => format!("it is ended by {signal}"),
            Err(_) => format!("it is ended by signal {signal}"),
        },
        (None, None) => "it ends".to_owned(),
    }
}

/// Isolates a process: its own group, no core file, an end with this process; soft limits as far as the hard ones permit.
fn isolate(
    command: &mut process::Command,
    limits: Vec<(libc::__rlimit_resource_t, u64)>,
    mark: Option<RawFd>,
) {
    command.process_group(0);
    let parent = nix::unistd::getpid();
    let before_start = move || {
        let _ = nix::sys::prctl::set_pdeathsig(Some(Signal::SIGKILL));
        if nix::unistd::getppid() != parent {
            return Err(ErrorKind::Interrupted.into());
        }
        // SAFETY: plain system calls with pointers to locals; what fails leaves things as they were.
        unsafe {
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            for &(resource, limit) in &limits {
                let mut now = none;
                if libc::getrlimit(resource, &mut now) == 0 {
                    now.rlim_cur = limit.min(now.rlim_max);
                    libc::setrlimit(resource, &now);
                }
            }
            if let Some(mark) = mark
                && libc::dup2(mark, MARK_DESCRIPTOR) < 0
            {
                return Err(std::io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec it makes system calls only, and allocates nothing.
    unsafe { command.pre_exec(before_start) };
}

/// Waits for the process, and kills the rest of its group.
fn wait(mut child: Child, deadline: Instant) -> Result<ExitStatus, NativeEnd> {
    let group = Pid::from_raw(child.id().cast_signed());
    let end = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL_INTERVAL),
            Ok(None) => break Err(NativeEnd::TimeLimit),
            Err(error) => break Err(NativeEnd::Open(format!("no end is seen: {error}"))),
        }
    };
    let _ = killpg(group, Signal::SIGKILL);
    if end.is_err() {
        let _ = child.wait();
    }
    end
}

/// Inserts a jump to the mark at the begin of each of the functions.
fn with_jumps(assembly: &[u8], functions: &[String]) -> Vec<u8> {
    let jump = if cfg!(target_arch = "aarch64") {
        "b"
    } else {
        "jmp"
    };
    let mut result = Vec::with_capacity(assembly.len() + 64);
    for line in assembly.split_inclusive(|&byte| byte == b'\n') {
        result.extend_from_slice(line);
        let label = line.trim_ascii().strip_suffix(b":");
        if label.is_some_and(|label| functions.iter().any(|name| name.as_bytes() == label)) {
            let mut text = String::new();
            let _ = writeln!(text, "\t{jump}\tregatta_error");
            result.extend_from_slice(text.as_bytes());
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_begin_with_a_jump() {
        let text = b"main:\n\tcall\tf\nf:\n.LFB0:\n\tret\n\t.string \"f:\"\n";
        let changed = with_jumps(text, &["f".to_owned(), "g".to_owned()]);
        let expected =
            "main:\n\tcall\tf\nf:\n\tjmp\tregatta_error\n.LFB0:\n\tret\n\t.string \"f:\"\n";
        assert_eq!(
            String::from_utf8(changed).unwrap(),
            expected.replace(
                "jmp",
                if cfg!(target_arch = "aarch64") {
                    "b"
                } else {
                    "jmp"
                }
            )
        );
    }
}
