//! Translation of Z3's nodes to terms, for the sorts in SPACER's answers: Booleans, integers, bit vectors, arrays.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use z3_sys::*;

use super::context::{Context, text};
use regatta_term::{BitVecValue, Build, Pool, ScalarSort, Sort, TermId, Value};

type Result<T> = std::result::Result<T, String>;

/// Maximum width of bit vectors (bits).
const MAXIMUM_WIDTH: u32 = 128;

/// Reads nodes of a context as terms of a pool.
pub struct Reader<'r, P: Pool> {
    context: &'r Context,
    pool: &'r P,
    /// The terms for bound variables, by their de Bruijn indices.
    bound: FxHashMap<u32, TermId>,
    known: FxHashMap<Z3_ast, TermId>,
}

impl<'r, P: Pool> Reader<'r, P> {
    /// A reader for formulas with these bound variables.
    pub fn new(context: &'r Context, pool: &'r P, bound: FxHashMap<u32, TermId>) -> Self {
        Self {
            context,
            pool,
            bound,
            known: FxHashMap::default(),
        }
    }

    /// Translates the node, which must live as long as the reader.
    ///
    /// # Errors
    /// When the node contains something that has no term, a quantifier for instance.
    pub fn term(&mut self, ast: Z3_ast) -> Result<TermId> {
        let mut stack = vec![ast];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let arguments = arguments(self.context, top)?;
            let depth = stack.len();
            let open = arguments.iter().filter(|ast| !self.known.contains_key(ast));
            stack.extend(open);
            if stack.len() > depth {
                continue;
            }
            let arguments: Vec<_> = arguments.iter().map(|ast| self.known[ast]).collect();
            let term = self.node(top, &arguments)?;
            self.known.insert(top, term);
            stack.pop();
        }
        Ok(self.known[&ast])
    }

    fn node(&self, ast: Z3_ast, a: &[TermId]) -> Result<TermId> {
        let raw = self.context.raw();
        // SAFETY (for the block): the node is alive, and each question fits its kind.
        unsafe {
            match Z3_get_ast_kind(raw, ast) {
                AstKind::Var => {
                    let index = Z3_get_index_value(raw, ast);
                    let known = self.bound.get(&index).copied();
                    known.ok_or_else(|| format!("there is no variable {index}"))
                }
                AstKind::Numeral => {
                    let digits = text(Z3_get_numeral_string(raw, ast));
                    let number: std::result::Result<BigInt, _> = digits.parse();
                    match (number, sort(self.context, ast)?) {
                        (Ok(number), Sort::Int) => Ok(self.pool.int_big(number)),
                        (Ok(number), Sort::BitVec(width)) => {
                            let value = BitVecValue::from_int(width, &number);
                            Ok(self.pool.value(&Value::BitVec(value)))
                        }
                        (_, other) => Err(format!("{digits} as a number of the sort {other}")),
                    }
                }
                AstKind::App => {
                    let application = self.context.required(Z3_to_app(raw, ast))?;
                    let declaration = self.context.required(Z3_get_app_decl(raw, application))?;
                    let parameter = |number| {
                        u8::try_from(Z3_get_decl_int_parameter(raw, declaration, number))
                            .map_err(|error| error.to_string())
                    };
                    self.application(
                        Z3_get_decl_kind(raw, declaration),
                        a,
                        sort(self.context, ast)?,
                        &parameter,
                    )
                }
                _ => Err("a quantifier".into()),
            }
        }
    }

    /// Translates an application of the given sort.
    fn application(
        &self,
        kind: DeclKind,
        a: &[TermId],
        sort: Sort,
        parameter: &dyn Fn(u32) -> Result<u8>,
    ) -> Result<TermId> {
        let t = self.pool;
        let chain = |operator: &dyn Fn(TermId, TermId) -> TermId| {
            let result = a.iter().copied().reduce(operator);
            result.ok_or_else(|| format!("{kind:?} of nothing"))
        };
        Ok(match (kind, a, sort) {
            (DeclKind::True, [], _) => TermId::TRUE,
            (DeclKind::False, [], _) => TermId::FALSE,
            (DeclKind::Not, &[x], _) => t.not(x),
            (DeclKind::And, _, _) => t.and(a.iter().copied()),
            (DeclKind::Or, _, _) => t.or(a.iter().copied()),
            (DeclKind::Eq | DeclKind::Iff, &[x, y], _) => t.eq(x, y),
            (DeclKind::Distinct, &[x, y], _) => t.ne(x, y),
            (DeclKind::Xor, _, _) => chain(&|x, y| t.xor(x, y))?,
            (DeclKind::Implies, &[x, y], _) => t.implies(x, y),
            (DeclKind::Ite, &[x, y, z], _) => t.ite(x, y, z),
            (DeclKind::Le, &[x, y], _) => t.int_le(x, y),
            (DeclKind::Lt, &[x, y], _) => t.int_lt(x, y),
            (DeclKind::Ge, &[x, y], _) => t.int_le(y, x),
            (DeclKind::Gt, &[x, y], _) => t.int_lt(y, x),
            (DeclKind::Add, _, _) => chain(&|x, y| t.int_add(x, y))?,
            (DeclKind::Sub, _, _) => chain(&|x, y| t.int_sub(x, y))?,
            (DeclKind::Mul, _, _) => chain(&|x, y| t.int_mul(x, y))?,
            (DeclKind::Uminus, &[x], _) => t.int_neg(x),
            // Z3 divides by zero in another way.
            (DeclKind::Idiv, &[x, y], _) if self.is_number(y) => t.int_div(x, y),
            (DeclKind::Mod, &[x, y], _) if self.is_number(y) => t.int_mod(x, y),
            (DeclKind::Bneg, &[x], _) => t.neg(x),
            (DeclKind::Bnot, &[x], _) => t.bvnot(x),
            (DeclKind::Badd, _, _) => chain(&|x, y| t.add(x, y))?,
            (DeclKind::Bsub, _, _) => chain(&|x, y| t.sub(x, y))?,
            (DeclKind::Bmul, _, _) => chain(&|x, y| t.mul(x, y))?,
            (DeclKind::Budiv | DeclKind::BudivI, &[x, y], _) => t.udiv(x, y),
            (DeclKind::Burem | DeclKind::BuremI, &[x, y], _) => t.urem(x, y),
            (DeclKind::Bsdiv | DeclKind::BsdivI, &[x, y], _) => t.sdiv(x, y),
            (DeclKind::Bsrem | DeclKind::BsremI, &[x, y], _) => t.srem(x, y),
            (DeclKind::Band, _, _) => chain(&|x, y| t.bvand(x, y))?,
            (DeclKind::Bor, _, _) => chain(&|x, y| t.bvor(x, y))?,
            (DeclKind::Bxor, _, _) => chain(&|x, y| t.bvxor(x, y))?,
            (DeclKind::Bshl, &[x, y], _) => t.shl(x, y),
            (DeclKind::Blshr, &[x, y], _) => t.lshr(x, y),
            (DeclKind::Bashr, &[x, y], _) => t.ashr(x, y),
            (DeclKind::Uleq, &[x, y], _) => t.ule(x, y),
            (DeclKind::Ult, &[x, y], _) => t.ult(x, y),
            (DeclKind::Ugeq, &[x, y], _) => t.uge(x, y),
            (DeclKind::Ugt, &[x, y], _) => t.ugt(x, y),
            (DeclKind::Sleq, &[x, y], _) => t.sle(x, y),
            (DeclKind::Slt, &[x, y], _) => t.slt(x, y),
            (DeclKind::Sgeq, &[x, y], _) => t.sge(x, y),
            (DeclKind::Sgt, &[x, y], _) => t.sgt(x, y),
            (DeclKind::Concat, _, _) => chain(&|x, y| t.concat(x, y))?,
            (DeclKind::Extract, &[x], _) => t.extract(x, parameter(0)?, parameter(1)?),
            (DeclKind::ZeroExt, &[x], Sort::BitVec(width)) => t.zero_extend(x, width),
            (DeclKind::SignExt, &[x], Sort::BitVec(width)) => t.sign_extend(x, width),
            (DeclKind::Bit2bool, &[x], _) => {
                let bit = parameter(0)?;
                t.eq(t.extract(x, bit, bit), t.bv(1, 1))
            }
            (DeclKind::Bv2int, &[x], _) => t.bv_to_nat(x),
            (DeclKind::Sbv2int, &[x], _) => t.bv_to_int(x),
            (DeclKind::Int2bv, &[x], Sort::BitVec(width)) => t.int_to_bv(x, width),
            (DeclKind::Select, &[x, y], _) => t.select(x, y),
            (DeclKind::Store, &[x, y, z], _) => t.store(x, y, z),
            (DeclKind::ConstArray, &[x], Sort::Array { index, .. }) => t.const_array(index, x),
            _ => return Err(format!("{kind:?} has no term")),
        })
    }

    /// Checks whether a term is a constant other than zero.
    fn is_number(&self, term: TermId) -> bool {
        let value = self.pool.int_constant(term);
        value.is_some_and(|value| *value != BigInt::ZERO)
    }
}

/// Returns the operands of an application; none for other nodes.
pub fn arguments(context: &Context, ast: Z3_ast) -> Result<Vec<Z3_ast>> {
    let raw = context.raw();
    // SAFETY (for the block): the node is alive, and an application where its operands are asked for.
    unsafe {
        if Z3_get_ast_kind(raw, ast) != AstKind::App {
            return Ok(Vec::new());
        }
        let application = context.required(Z3_to_app(raw, ast))?;
        (0..Z3_get_app_num_args(raw, application))
            .map(|number| context.required(Z3_get_app_arg(raw, application, number)))
            .collect()
    }
}

fn sort(context: &Context, ast: Z3_ast) -> Result<Sort> {
    // SAFETY: the node is alive.
    let sort = unsafe { Z3_get_sort(context.raw(), ast) };
    sort_of(context, context.required(sort)?)
}

/// Translates a sort of Z3.
pub fn sort_of(context: &Context, sort: Z3_sort) -> Result<Sort> {
    let raw = context.raw();
    // SAFETY (for the block): the sort is alive, and each question fits its kind.
    unsafe {
        match scalar(context, sort) {
            Ok(scalar) => Ok(scalar.into()),
            Err(_) if Z3_get_sort_kind(raw, sort) == SortKind::Array => {
                let index = context.required(Z3_get_array_sort_domain(raw, sort))?;
                let element = context.required(Z3_get_array_sort_range(raw, sort))?;
                Ok(Sort::Array {
                    index: scalar(context, index)?,
                    element: scalar(context, element)?,
                })
            }
            Err(error) => Err(error),
        }
    }
}

fn scalar(context: &Context, sort: Z3_sort) -> Result<ScalarSort> {
    let raw = context.raw();
    // SAFETY (for the block): the sort is alive, and each question fits its kind.
    unsafe {
        Ok(match Z3_get_sort_kind(raw, sort) {
            SortKind::Bool => ScalarSort::Bool,
            SortKind::Int => ScalarSort::Int,
            SortKind::Bv => {
                let width = Z3_get_bv_sort_size(raw, sort);
                if width > MAXIMUM_WIDTH {
                    return Err(format!("a bit vector of {width} bits"));
                }
                ScalarSort::BitVec(width as u8)
            }
            other => return Err(format!("{other:?} is no sort of terms")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::translate::Translator;
    use super::*;
    use regatta_term::{Symbol, store};

    /// The node of the term over x and n as bound variables: n has the index 0, x the index 1.
    fn node(context: &Context, term: TermId, bound: [TermId; 2]) -> Z3_ast {
        let mut translator = Translator::default();
        let mut translated = |term| translator.translate(context, store(), term).unwrap();
        let (ast, constants) = (translated(term), bound.map(&mut translated));
        let raw = context.raw();
        // SAFETY (for the block): everything lives in the context.
        unsafe {
            let constants = constants.map(|ast| Z3_to_app(raw, ast).unwrap());
            let holds = context.keep(Z3_mk_eq(raw, ast, ast)).unwrap();
            let patterns = std::ptr::null();
            let closed = Z3_mk_forall_const(raw, 0, 2, constants.as_ptr(), 0, patterns, holds);
            let closed = context.keep(closed).unwrap();
            let body = context.keep(Z3_get_quantifier_body(raw, closed)).unwrap();
            arguments(context, body).unwrap()[0]
        }
    }

    #[test]
    fn translated_terms_are_read_back() {
        let s = store();
        let x = s.variable(Symbol::new("read::x", Sort::BitVec(8)));
        let n = s.variable(Symbol::new("read::n", Sort::Int));
        let context = Context::new().unwrap();
        let wide = s.sign_extend(x, 128);
        for term in [
            s.sle(s.sign_extend(x, 16), s.bv(16, 300)),
            s.slt(wide, s.bv(128, u128::MAX / 3)),
            s.eq(s.extract(x, 3, 0), s.bv(4, 5)),
            s.ule(s.concat(x, s.zero_extend(x, 9)), s.bv(17, 77)),
            s.int_le(s.int_mod(n, s.int(2)), s.int_div(n, s.int(3))),
            s.or2(s.int_lt(s.int(4), n), s.ult(x, s.bv(8, 3))),
            s.ite(s.ult(x, s.bv(8, 9)), n, s.int(-4)),
        ] {
            let ast = node(&context, term, [x, n]);
            let bound = [(0, n), (1, x)].into_iter().collect();
            let read = Reader::new(&context, s, bound).term(ast);
            assert_eq!(read, Ok(term), "{:?}", s.kind(term));
        }
    }

    #[test]
    fn nodes_without_a_term_are_refused() {
        let s = store();
        let x = s.variable(Symbol::new("read::w", Sort::BitVec(100)));
        let n = s.variable(Symbol::new("read::n", Sort::Int));
        let context = Context::new().unwrap();
        let raw = context.raw();
        let refused = |ast: Z3_ast| {
            let bound = [(0, n), (1, x)].into_iter().collect();
            Reader::new(&context, s, bound).term(ast).unwrap_err()
        };
        // SAFETY (for the block): everything lives in the context.
        unsafe {
            let ast = node(&context, x, [x, n]);
            let wide = context.keep(Z3_mk_concat(raw, ast, ast)).unwrap();
            assert_eq!(refused(wide), "a bit vector of 200 bits");
            let wide = context.keep(Z3_mk_sign_ext(raw, 200, ast)).unwrap();
            assert_eq!(refused(wide), "a bit vector of 300 bits");
            let n = node(&context, n, [x, n]);
            let divided = context.keep(Z3_mk_div(raw, n, n)).unwrap();
            assert!(refused(divided).contains("Idiv"));
            let sort = context.required(Z3_get_sort(raw, n)).unwrap();
            let unknown = context.keep(Z3_mk_bound(raw, 7, sort)).unwrap();
            assert_eq!(refused(unknown), "there is no variable 7");
        }
    }
}
