//! Questions to Bitwuzla as SMT-LIB text.
//!
//! Like [`crate::backends::z3::text`], for the proof checker: [`super::translate`] is not used here. Scripts that Bitwuzla
//! does not support (mathematical integers, x87 floats, `fp.to_ieee_bv`) are answered unknown;
//! [`standard_script`](regatta_term::standard_script) writes the last without that operator.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::rc::Rc;
use std::time::Duration;

use bitwuzla_sys::*;
use parking_lot::Mutex;

use super::manager::{Cores, Manager, Options, guarded};
use super::termination::{Stop, Watch, is_over};
use crate::CheckLimit;
use crate::backends::z3::text::TextAnswer;

/// Bitwuzla's parser, which the bindings leave out.
mod ffi {
    use super::*;

    #[repr(C)]
    pub struct BitwuzlaParser {
        _unused: [u8; 0],
    }

    unsafe extern "C" {
        pub fn bitwuzla_parser_new(
            manager: *mut BitwuzlaTermManager,
            options: *mut BitwuzlaOptions,
            language: *const c_char,
            base: u8,
            outfile_name: *const c_char,
        ) -> *mut BitwuzlaParser;
        pub fn bitwuzla_parser_delete(parser: *mut BitwuzlaParser);
        /// Defined in `guard.cpp`.
        pub fn regatta_bitwuzla_read(
            parser: *mut BitwuzlaParser,
            input: *const c_char,
            error_message: *mut *const c_char,
        );
        pub fn bitwuzla_parser_parse_term(
            parser: *mut BitwuzlaParser,
            input: *const c_char,
            error_message: *mut *const c_char,
        ) -> BitwuzlaTerm;
        pub fn bitwuzla_parser_get_bitwuzla(parser: *mut BitwuzlaParser) -> *mut Bitwuzla;
    }
}

/// Serialises the construction of parsers, which sets the number format of the standard output, a global.
static PARSER_CONSTRUCTION: Mutex<()> = Mutex::new(());

/// Checks whether the script's assertions have a model. If so, returns its values of the Boolean constants with the given
/// names (as the script writes them). The script consists of declarations, definitions and assertions.
pub fn check(script: &str, names: &[String], timeout: Duration) -> TextAnswer {
    answer(script, names, timeout).unwrap_or_else(TextAnswer::Unknown)
}

fn answer(script: &str, names: &[String], timeout: Duration) -> Result<TextAnswer, String> {
    let manager = Rc::new(Manager::new());
    let reader = Reader::new(&manager);
    let watch = Watch::default();
    // An empty script counts as misuse.
    let script = CString::new(format!("{script}\n")).map_err(|error| error.to_string())?;
    let instance = reader.read(&script)?;
    watch.begin(CheckLimit {
        time: Some(timeout),
        resource: None,
    });
    // SAFETY: the instance lives as long as its reader, the watch longer than the check, the callback is not called later.
    let found = unsafe {
        let state = (&raw const watch).cast::<c_void>().cast_mut();
        bitwuzla_set_termination_callback(instance, Some(is_over), state);
        guarded::check(instance, 0, std::ptr::null_mut())
    };
    match (found, watch.end()) {
        (BITWUZLA_UNSAT, _) => Ok(TextAnswer::Unsatisfiable),
        (BITWUZLA_SAT, _) => {
            let values = names.iter().map(|name| reader.truth_value(instance, name));
            Ok(TextAnswer::Satisfiable(values.collect::<Result<_, _>>()?))
        }
        (guarded::INTERNAL_ERROR, _) => Err("an internal error of Bitwuzla".to_owned()),
        (_, Some(Stop::Deadline)) => Err("timeout".to_owned()),
        _ => Err("Bitwuzla does not know".to_owned()),
    }
}

/// A parser with the instance that it fills.
struct Reader {
    raw: *mut ffi::BitwuzlaParser,
    _options: Options,
    _manager: Rc<Manager>,
}

impl Reader {
    fn new(manager: &Rc<Manager>) -> Self {
        let options = Options::new(Cores::Without);
        let _one_at_a_time = PARSER_CONSTRUCTION.lock();
        // SAFETY: manager and options are alive and stay so; the strings are read during the call.
        let raw = unsafe {
            ffi::bitwuzla_parser_new(
                manager.raw(),
                options.raw(),
                c"smt2".as_ptr(),
                2,
                c"<stdout>".as_ptr(),
            )
        };
        Self {
            raw,
            _options: options,
            _manager: Rc::clone(manager),
        }
    }

    /// Parses the script and returns the instance with its assertions.
    fn read(&self, script: &CStr) -> Result<*mut Bitwuzla, String> {
        let mut message = std::ptr::null();
        // SAFETY: reader and script are alive; a message is the reader's.
        unsafe {
            ffi::regatta_bitwuzla_read(self.raw, script.as_ptr(), &mut message);
            failure(message)?;
            Ok(ffi::bitwuzla_parser_get_bitwuzla(self.raw))
        }
    }

    fn truth_value(&self, instance: *mut Bitwuzla, name: &str) -> Result<bool, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let mut message = std::ptr::null();
        // SAFETY: reader, instance and name are alive; the instance's last check was satisfiable.
        unsafe {
            let term = ffi::bitwuzla_parser_parse_term(self.raw, name.as_ptr(), &mut message);
            failure(message)?;
            if !bitwuzla_term_is_bool(term) {
                return Err("not a truth value".to_owned());
            }
            match guarded::value(instance, term) {
                0 => Err("an internal error of Bitwuzla".to_owned()),
                value => Ok(bitwuzla_term_value_get_bool(value)),
            }
        }
    }
}

/// # Safety
/// The message is null or a string that is alive.
unsafe fn failure(message: *const c_char) -> Result<(), String> {
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
    Err(message.chars().take(300).collect())
}

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: made in `new`; its instance is not used any more.
        unsafe { ffi::bitwuzla_parser_delete(self.raw) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn answers() {
        let declared =
            "(declare-const |a b| Bool)(declare-const c Bool)(assert (and |a b| (not c)))\n";
        let names = ["|a b|".to_owned(), "c".to_owned()];
        let values = TextAnswer::Satisfiable(vec![true, false]);
        assert_eq!(check(declared, &names, SECOND), values);
        let contradiction = format!("{declared}(assert c)\n");
        let unsatisfiable = TextAnswer::Unsatisfiable;
        assert_eq!(check(&contradiction, &names, SECOND), unsatisfiable);
    }

    #[test]
    fn a_script_without_assertions_has_a_model() {
        let answer = check("", &[], SECOND);
        assert_eq!(answer, TextAnswer::Satisfiable(Vec::new()));
    }

    #[test]
    fn neither_an_error_nor_a_timeout_is_an_answer() {
        for broken in [
            "(assert (and c undeclared))\n(assert false)\n",
            "(assert (> 3 4))\n",
            "(declare-const x (_ FloatingPoint 15 64))(assert (fp.isNaN x))(assert false)\n",
            "(assert false",
            "(declare-const f (_ FloatingPoint 8 24))(assert (= (fp.to_ieee_bv f) #x00000000))\n",
        ] {
            let answer = check(broken, &[], SECOND);
            assert!(matches!(answer, TextAnswer::Unknown(_)), "{answer:?}");
        }
        let hard = "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))\n\
            (assert (= (bvmul ((_ zero_extend 64) a) ((_ zero_extend 64) b)) #x71f0c6a3b9d2e5480123456789abcdef))\n\
            (assert (bvult #x0000000000000001 a))(assert (bvult a b))\n";
        let answer = check(hard, &[], Duration::from_millis(20));
        assert_eq!(answer, TextAnswer::Unknown("timeout".to_owned()));
    }
}
