//! Terms of the shared store from Z3's nodes, for what an answer is made of: Booleans, integers, bit vectors, arrays.
//!
//! Operators are told by their names, which are SMT-LIB's but for a few of Z3's own.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use z3_sys::*;

use super::context::{Context, text};
use crate::term::{BitVecValue, Build, Pool, Store, TermId, Value, store};

/// Reads nodes in which the free variables (de Bruijn's numbers) stand for given terms.
pub struct Reader<'c> {
    context: &'c Context,
    variables: &'c [TermId],
    done: FxHashMap<Z3_ast, TermId>,
}

type Result<T> = std::result::Result<T, String>;

impl<'c> Reader<'c> {
    /// The n-th free variable becomes the n-th term.
    pub fn new(context: &'c Context, variables: &'c [TermId]) -> Self {
        Self {
            context,
            variables,
            done: FxHashMap::default(),
        }
    }

    /// The node as a term.
    ///
    /// # Errors
    /// When it has something that terms do not have, a quantifier for instance.
    pub fn read(&mut self, ast: Z3_ast) -> Result<TermId> {
        if let Some(&done) = self.done.get(&ast) {
            return Ok(done);
        }
        let raw = self.context.raw();
        // SAFETY: the node is alive, as part of one that the caller keeps.
        let term = unsafe {
            match Z3_get_ast_kind(raw, ast) {
                AstKind::Numeral => self.numeral(ast)?,
                AstKind::Var => {
                    let number = Z3_get_index_value(raw, ast) as usize;
                    let variable = self.variables.get(number).copied();
                    variable.ok_or_else(|| format!("there is no variable {number}"))?
                }
                AstKind::App => self.application(ast)?,
                _ => return Err("an answer with a quantifier".to_owned()),
            }
        };
        self.done.insert(ast, term);
        Ok(term)
    }

    fn numeral(&self, ast: Z3_ast) -> Result<TermId> {
        let raw = self.context.raw();
        // SAFETY: as above; the string is the context's.
        let digits = unsafe { text(Z3_get_numeral_string(raw, ast)) };
        let number: BigInt = digits
            .parse()
            .map_err(|_| format!("a number that is no integer: {digits}"))?;
        // SAFETY: as above.
        unsafe {
            let sort = self.context.required(Z3_get_sort(raw, ast))?;
            match Z3_get_sort_kind(raw, sort) {
                SortKind::Int => Ok(store().int_big(number)),
                SortKind::Bv => {
                    let width = u8::try_from(Z3_get_bv_sort_size(raw, sort))
                        .map_err(|_| "a bit vector that is too wide".to_owned())?;
                    Ok(store().value(&Value::BitVec(BitVecValue::from_int(width, &number))))
                }
                _ => Err("a number of an unknown sort".to_owned()),
            }
        }
    }

    fn application(&mut self, ast: Z3_ast) -> Result<TermId> {
        let raw = self.context.raw();
        // SAFETY (for the block): as above.
        let (name, parameters, arguments) = unsafe {
            let application = self.context.required(Z3_to_app(raw, ast))?;
            let declaration = self.context.required(Z3_get_app_decl(raw, application))?;
            let symbol = self.context.required(Z3_get_decl_name(raw, declaration))?;
            let name = text(Z3_get_symbol_string(raw, symbol));
            let parameters: Vec<i32> = match name.as_str() {
                "extract" | "zero_extend" | "sign_extend" => (0..2)
                    .take(if name == "extract" { 2 } else { 1 })
                    .map(|number| Z3_get_decl_int_parameter(raw, declaration, number))
                    .collect(),
                _ => Vec::new(),
            };
            let mut arguments = Vec::new();
            for number in 0..Z3_get_app_num_args(raw, application) {
                let argument = Z3_get_app_arg(raw, application, number);
                arguments.push(self.context.required(argument)?);
            }
            (name, parameters, arguments)
        };
        let arguments: Vec<TermId> = arguments
            .into_iter()
            .map(|argument| self.read(argument))
            .collect::<Result<_>>()?;
        build(&name, &parameters, &arguments).ok_or_else(|| format!("an answer with `{name}`"))
    }
}

/// The application of the operator with the name.
fn build(name: &str, parameters: &[i32], a: &[TermId]) -> Option<TermId> {
    let s = store();
    let fold = |combine: fn(&Store, TermId, TermId) -> TermId| {
        let first = *a.first()?;
        Some(
            a[1..]
                .iter()
                .fold(first, |sum, &next| combine(s, sum, next)),
        )
    };
    let binary = |combine: fn(&Store, TermId, TermId) -> TermId| match a {
        &[one, other] => Some(combine(s, one, other)),
        _ => None,
    };
    let width = || a.first().and_then(|&first| s.sort(first).width());
    let extended = || {
        let more = u32::try_from(*parameters.first()?).ok()?;
        u8::try_from(width()? + more).ok().filter(|&all| all <= 128)
    };
    match (name, a) {
        ("true", []) => Some(TermId::TRUE),
        ("false", []) => Some(TermId::FALSE),
        ("not", &[one]) => Some(s.not(one)),
        ("and", _) => Some(s.and(a.iter().copied())),
        ("or", _) => Some(s.or(a.iter().copied())),
        ("=>", &[one, other]) => Some(s.implies(one, other)),
        ("xor", &[one, other]) => Some(s.xor(one, other)),
        ("=" | "iff", &[one, other]) => Some(s.eq(one, other)),
        ("distinct", &[one, other]) => Some(s.ne(one, other)),
        ("if" | "ite", &[condition, one, other]) => Some(s.ite(condition, one, other)),
        ("<=", _) => binary(Store::int_le),
        ("<", _) => binary(Store::int_lt),
        (">=", _) => binary(Store::int_ge),
        (">", _) => binary(Store::int_gt),
        ("+", _) => fold(Store::int_add),
        ("-", &[one]) => Some(s.int_neg(one)),
        ("-", _) => fold(Store::int_sub),
        ("*", _) => fold(Store::int_mul),
        // By zero it means something else to Z3.
        ("div" | "mod", &[one, other]) => {
            let divisor = s.int_constant(other)?;
            if *divisor == BigInt::ZERO {
                return None;
            }
            Some(match name {
                "div" => s.int_div(one, other),
                _ => s.int_mod(one, other),
            })
        }
        ("bvneg", &[one]) => Some(s.neg(one)),
        ("bvnot", &[one]) => Some(s.bvnot(one)),
        ("bvadd", _) => fold(Store::add),
        ("bvsub", _) => fold(Store::sub),
        ("bvmul", _) => fold(Store::mul),
        ("bvand", _) => fold(Store::bvand),
        ("bvor", _) => fold(Store::bvor),
        ("bvxor", _) => fold(Store::bvxor),
        ("bvudiv", _) => binary(Store::udiv),
        ("bvurem", _) => binary(Store::urem),
        ("bvsdiv", _) => binary(Store::sdiv),
        ("bvsrem", _) => binary(Store::srem),
        ("bvshl", _) => binary(Store::shl),
        ("bvlshr", _) => binary(Store::lshr),
        ("bvashr", _) => binary(Store::ashr),
        ("bvult", _) => binary(Store::ult),
        ("bvule", _) => binary(Store::ule),
        ("bvugt", _) => binary(Store::ugt),
        ("bvuge", _) => binary(Store::uge),
        ("bvslt", _) => binary(Store::slt),
        ("bvsle", _) => binary(Store::sle),
        ("bvsgt", _) => binary(Store::sgt),
        ("bvsge", _) => binary(Store::sge),
        ("concat", _) => fold(Store::concat),
        ("extract", &[one]) => {
            let &[high, low] = parameters else {
                return None;
            };
            Some(s.extract(one, u8::try_from(high).ok()?, u8::try_from(low).ok()?))
        }
        ("zero_extend", &[one]) => Some(s.zero_extend(one, extended()?)),
        ("sign_extend", &[one]) => Some(s.sign_extend(one, extended()?)),
        ("select", _) => binary(Store::select),
        ("store", &[array, index, element]) => Some(s.store(array, index, element)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sort, Symbol};

    #[test]
    fn operators_are_told_by_their_names() {
        let s = store();
        let x = s.variable(Symbol::new("x", Sort::BitVec(8)));
        let bound = s.bv(16, 300);
        let wide = build("sign_extend", &[8], &[x]).unwrap();
        assert_eq!(s.sort(wide), Sort::BitVec(16));
        assert_eq!(
            build("bvsle", &[], &[wide, bound]),
            Some(s.sle(wide, bound))
        );
        assert_eq!(build("extract", &[3, 0], &[x]), Some(s.extract(x, 3, 0)));
        assert_eq!(build("a function of Z3's own", &[], &[x]), None);
        // What SMT-LIB leaves open is not read.
        let n = s.variable(Symbol::new("n", Sort::Int));
        assert_eq!(build("div", &[], &[n, s.int(0)]), None);
        assert_eq!(
            build("mod", &[], &[n, s.int(2)]),
            Some(s.int_mod(n, s.int(2)))
        );
    }
}
