//! The SMT solvers: libraries ([`z3`], Yices, Bitwuzla), and separate programs ([`external`]).

#[cfg(feature = "bitwuzla")]
pub mod bitwuzla;
pub mod external;
#[cfg(feature = "yices2")]
pub mod yices;
pub mod z3;

#[cfg(any(feature = "bitwuzla", feature = "yices2"))]
use regatta_term::{Arena, Evaluator, Sort, Symbol, TermId, Value};

/// Evaluates the term from a model's values of variables. A variable that the solver does not know is zero; if the model does
/// not tell the value of one that it knows, there is no value.
#[cfg(any(feature = "bitwuzla", feature = "yices2"))]
fn value_in_model<V>(
    arena: &Arena,
    term: TermId,
    known: impl Fn(Symbol, u32) -> Option<V>,
    value: impl Fn(V, Sort) -> Option<Value>,
) -> Option<Value> {
    let has_failed = std::cell::Cell::new(false);
    let assignment = |symbol: Symbol, instance| {
        let Some(variable) = known(symbol, instance) else {
            return Some(Value::zero(symbol.sort()));
        };
        let value = value(variable, symbol.sort());
        has_failed.set(has_failed.get() || value.is_none());
        value
    };
    let value = Evaluator::new(arena, &assignment).evaluate(term).ok();
    value.filter(|_| !has_failed.get())
}
