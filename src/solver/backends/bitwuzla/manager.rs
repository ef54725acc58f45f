//! Owners of Bitwuzla's objects: managers of terms, and instances that check them.
//!
//! Functions of Bitwuzla that may throw an exception are called through `guard.cpp`.

use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::rc::Rc;
use std::sync::Arc;

use bitwuzla_sys::*;

use super::termination::{Watch, is_over};

/// The functions of `guard.cpp`, which return even if Bitwuzla throws.
pub(super) mod guarded {
    use super::*;

    unsafe extern "C" {
        /// The result of a check, or [`INTERNAL_ERROR`].
        #[link_name = "regatta_bitwuzla_check"]
        pub fn check(
            instance: *mut Bitwuzla,
            count: u32,
            literals: *mut BitwuzlaTerm,
        ) -> BitwuzlaResult;
        /// The core, or null with the size `usize::MAX`.
        #[link_name = "regatta_bitwuzla_core"]
        pub fn core(instance: *mut Bitwuzla, size: *mut usize) -> *const BitwuzlaTerm;
        /// The value, or 0.
        #[link_name = "regatta_bitwuzla_value"]
        pub fn value(instance: *mut Bitwuzla, term: BitwuzlaTerm) -> BitwuzlaTerm;
    }

    /// The result of a check in which Bitwuzla threw an exception.
    pub const INTERNAL_ERROR: BitwuzlaResult = 1;
}

/// The owner of terms and sorts, which live until it is dropped. Used by one thread.
pub struct Manager(*mut BitwuzlaTermManager);

impl Manager {
    pub fn new() -> Self {
        // SAFETY: without arguments that could be wrong; the callback does not return.
        unsafe {
            bitwuzla_set_abort_callback(Some(misused));
            Self(bitwuzla_term_manager_new())
        }
    }

    /// Bitwuzla's pointer.
    pub fn raw(&self) -> *mut BitwuzlaTermManager {
        self.0
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        // SAFETY: made in `new`; instances and parsers, which hold on to it, are gone.
        unsafe { bitwuzla_term_manager_delete(self.0) }
    }
}

/// The callback for wrong use of Bitwuzla's interface: an error of ours. The result of the call would be undefined, so that
/// the process ends, as it does after a crash of any solver.
unsafe extern "C" fn misused(message: *const c_char) {
    // SAFETY: Bitwuzla's promise: a string.
    let message = unsafe { CStr::from_ptr(message) };
    eprint!("{}", message.to_string_lossy());
    std::process::abort();
}

/// Whether unsat cores are produced.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cores {
    With,
    Without,
}

/// Options of a new instance.
pub struct Options(*mut BitwuzlaOptions);

impl Options {
    pub fn new(cores: Cores) -> Self {
        // SAFETY: the options are alive; both options are switches.
        unsafe {
            let raw = bitwuzla_options_new();
            bitwuzla_set_option(raw, BITWUZLA_OPT_PRODUCE_MODELS, 1);
            if cores == Cores::With {
                bitwuzla_set_option(raw, BITWUZLA_OPT_PRODUCE_UNSAT_ASSUMPTIONS, 1);
            }
            Self(raw)
        }
    }

    /// Bitwuzla's pointer.
    pub fn raw(&self) -> *mut BitwuzlaOptions {
        self.0
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: made in `new`; instances have copies of what they need.
        unsafe { bitwuzla_options_delete(self.0) }
    }
}

/// An instance: assertions in scopes, and the search.
pub struct Instance {
    raw: *mut Bitwuzla,
    depth: usize,
    /// The state of the instance's termination callback.
    _watch: Arc<Watch>,
    _manager: Rc<Manager>,
}

impl Instance {
    pub fn new(manager: &Rc<Manager>, cores: Cores, watch: &Arc<Watch>) -> Self {
        let options = Options::new(cores);
        // SAFETY: manager and watch are alive for as long as the instance; the options are copied.
        let raw = unsafe {
            let raw = bitwuzla_new(manager.raw(), options.raw());
            let state = Arc::as_ptr(watch).cast::<c_void>().cast_mut();
            bitwuzla_set_termination_callback(raw, Some(is_over), state);
            raw
        };
        Self {
            raw,
            depth: 0,
            _watch: Arc::clone(watch),
            _manager: Rc::clone(manager),
        }
    }

    /// Bitwuzla's pointer.
    pub fn raw(&self) -> *mut Bitwuzla {
        self.raw
    }

    /// The number of open scopes.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn push(&mut self) {
        self.depth += 1;
        // SAFETY: the instance is alive.
        unsafe { bitwuzla_push(self.raw, 1) }
    }

    /// Closes the newest scope; there must be an open one.
    pub fn pop(&mut self) {
        self.depth -= 1;
        // SAFETY: the instance is alive and has a scope.
        unsafe { bitwuzla_pop(self.raw, 1) }
    }

    /// Asserts a Boolean term.
    pub fn assert(&mut self, formula: BitwuzlaTerm) {
        // SAFETY: both live in the manager.
        unsafe { bitwuzla_assert(self.raw, formula) }
    }

    /// Checks whether the assertions and the literals (any Boolean terms) have a model. After
    /// [`guarded::INTERNAL_ERROR`] the instance must not be used again.
    pub fn check(&mut self, literals: &[BitwuzlaTerm]) -> BitwuzlaResult {
        let mut literals = literals.to_vec();
        // SAFETY: all live in the manager; the length is the vector's.
        unsafe { guarded::check(self.raw, literals.len() as u32, literals.as_mut_ptr()) }
    }

    /// Returns the unsat core after an unsatisfiable check of an instance with cores; `None` after an internal error.
    pub(crate) fn unsat_assumptions(&self) -> Option<Vec<BitwuzlaTerm>> {
        let mut size = 0;
        // SAFETY: the instance is alive; the array has so many elements, or is null without any.
        unsafe {
            let core = guarded::core(self.raw, &mut size);
            match size {
                0 => Some(Vec::new()),
                usize::MAX => None,
                _ => Some(std::slice::from_raw_parts(core, size).to_vec()),
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: made in `new`, and its manager is alive.
        unsafe { bitwuzla_delete(self.raw) }
    }
}

/// Bitwuzla's version, such as `0.8.0`.
pub fn version() -> String {
    // SAFETY: a constant string.
    let version = unsafe { CStr::from_ptr(bitwuzla_version()) };
    version.to_string_lossy().into_owned()
}
