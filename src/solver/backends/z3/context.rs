//! A context of Z3, which owns all Z3 objects.

use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use z3_sys::*;

use crate::{CheckLimit, Interrupt};

/// A context, used by the thread that made it.
pub struct Context {
    raw: Z3_context,
    handle: Arc<Handle>,
}

/// A handle by which other threads interrupt a context as long as it lives.
pub struct Handle {
    context: Mutex<Option<Z3_context>>,
    /// Whether the running check was interrupted. Z3 reports that like a limit.
    interrupted: AtomicBool,
}

// SAFETY: the only thing done with the pointer is `Z3_interrupt`, which may be called from any thread; the lock keeps
// the context alive meanwhile.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Interrupt for Handle {
    fn interrupt(&self) {
        if let Some(context) = *self.context.lock() {
            self.interrupted.store(true, Ordering::Relaxed);
            // SAFETY: the context is alive while the lock is held.
            unsafe { Z3_interrupt(context) }
        }
    }
}

impl Handle {
    /// Returns and resets whether a check was interrupted.
    pub(crate) fn take_interrupted(&self) -> bool {
        self.interrupted.swap(false, Ordering::Relaxed)
    }
}

/// An error handler without effect: errors are read from return values; Z3's default handler would end the process.
unsafe extern "C" fn ignore_error(_: Z3_context, _: ErrorCode) {}

impl Context {
    /// A context with our settings.
    ///
    /// # Errors
    /// When Z3 cannot make one.
    pub fn new() -> Result<Self, String> {
        // SAFETY: the configuration lives until it is deleted here.
        let raw = unsafe {
            let config = Z3_mk_config().ok_or("Z3 made no configuration")?;
            Z3_set_param_value(config, c"auto_config".as_ptr(), c"true".as_ptr());
            let raw = Z3_mk_context_rc(config);
            Z3_del_config(config);
            raw.ok_or("Z3 made no context")?
        };
        // SAFETY: the context is alive.
        unsafe { Z3_set_error_handler(raw, Some(ignore_error)) };
        Ok(Self {
            raw,
            handle: Arc::new(Handle {
                context: Mutex::new(Some(raw)),
                interrupted: AtomicBool::new(false),
            }),
        })
    }

    /// Z3's pointer.
    pub fn raw(&self) -> Z3_context {
        self.raw
    }

    /// The handle for other threads.
    pub fn handle(&self) -> Arc<Handle> {
        Arc::clone(&self.handle)
    }

    /// Z3's message for the last error.
    pub fn error(&self) -> String {
        // SAFETY: the context is alive; the string is its own.
        unsafe {
            let code = Z3_get_error_code(self.raw);
            text(Z3_get_error_msg(self.raw, code))
        }
    }

    /// Turns a missing result into Z3's error.
    pub fn required<T>(&self, result: Option<T>) -> Result<T, String> {
        result.ok_or_else(|| self.error())
    }

    /// Checks a node as [`Self::required`] does and keeps it until the context is dropped: without a reference of ours,
    /// the next call may free it.
    pub fn keep(&self, result: Option<Z3_ast>) -> Result<Z3_ast, String> {
        let ast = self.required(result)?;
        // SAFETY: just made.
        unsafe { Z3_inc_ref(self.raw, ast) };
        Ok(ast)
    }

    pub fn symbol(&self, name: &str) -> Result<Z3_symbol, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        // SAFETY: the context is alive; the string is copied.
        self.required(unsafe { Z3_mk_string_symbol(self.raw, name.as_ptr()) })
    }

    /// Makes a solver, for one logic or for all; the caller owns a reference to it.
    pub fn new_solver(&self, logic: Option<&CStr>) -> Result<Z3_solver, String> {
        // SAFETY: the context is alive.
        let solver = unsafe {
            match logic {
                None => Z3_mk_simple_solver(self.raw),
                Some(logic) => {
                    let symbol = self.required(Z3_mk_string_symbol(self.raw, logic.as_ptr()))?;
                    Z3_mk_solver_for_logic(self.raw, symbol)
                }
            }
        };
        let solver = self.required(solver)?;
        // SAFETY: just made.
        unsafe { Z3_solver_inc_ref(self.raw, solver) };
        Ok(solver)
    }

    /// Why the last check of the solver was unknown.
    pub(crate) fn reason_unknown(&self, solver: Z3_solver) -> String {
        // SAFETY: both are alive; the string is the context's.
        unsafe { text(Z3_solver_get_reason_unknown(self.raw, solver)) }
    }

    /// The solver's unsat core.
    pub fn unsat_core(&self, solver: Z3_solver) -> Vec<Z3_ast> {
        // SAFETY: both are alive; the vector lives until its reference is given back.
        unsafe {
            let Some(vector) = Z3_solver_get_unsat_core(self.raw, solver) else {
                return Vec::new();
            };
            Z3_ast_vector_inc_ref(self.raw, vector);
            let core = (0..Z3_ast_vector_size(self.raw, vector))
                .filter_map(|index| Z3_ast_vector_get(self.raw, vector, index))
                .collect();
            Z3_ast_vector_dec_ref(self.raw, vector);
            core
        }
    }

    /// Limits the solver's checks from here on.
    pub fn set_limit(&self, solver: Z3_solver, limit: CheckLimit) {
        // "Unlimited" is zero for the resource limit, and for the timeout zero or the greatest number.
        let resource = limit.resource.unwrap_or(0);
        let milliseconds = limit.time.map_or(u32::MAX, |time| {
            u32::try_from(time.as_millis()).map_or(u32::MAX, |time| time.max(1))
        });
        // SAFETY: everything lives in the context; the parameters until their reference is given back.
        unsafe {
            let (Some(parameters), Ok(resource_name), Ok(time_name)) = (
                Z3_mk_params(self.raw),
                self.symbol("rlimit"),
                self.symbol("timeout"),
            ) else {
                return;
            };
            Z3_params_inc_ref(self.raw, parameters);
            Z3_params_set_uint(self.raw, parameters, resource_name, resource);
            Z3_params_set_uint(self.raw, parameters, time_name, milliseconds);
            Z3_solver_set_params(self.raw, solver, parameters);
            Z3_params_dec_ref(self.raw, parameters);
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        *self.handle.context.lock() = None;
        // SAFETY: nothing that lives in it is used any more: solvers and translators go before it.
        unsafe { Z3_del_context(self.raw) }
    }
}

/// A copy of a string of Z3's.
///
/// # Safety
/// The pointer is null or a string that is alive.
pub unsafe fn text(string: Z3_string) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(string) }
        .to_string_lossy()
        .into_owned()
}
