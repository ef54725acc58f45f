//! From Z3's nodes to terms: what SPACER answers.

use rustc_hash::FxHashMap;
use z3_sys::*;

use super::context::{Context, text};
use crate::term::{Arena, Build, Pool, ScalarSort, Sort, Symbol, TermId};

type Result<T> = std::result::Result<T, String>;

/// Reads nodes of a context.
struct ReadBack<'r> {
    context: &'r Context,
    arena: &'r Arena,
    /// What bound variables stand for, by their indices.
    bound: FxHashMap<u32, TermId>,
    known: FxHashMap<Z3_ast, TermId>,
}

impl<'r> ReadBack<'r> {
    /// A reader for formulas with these bound variables.
    fn new(context: &'r Context, arena: &'r Arena, bound: FxHashMap<u32, TermId>) -> Self {
        Self {
            context,
            arena,
            bound,
            known: FxHashMap::default(),
        }
    }

    /// The term. The node must live as long as the reader.
    ///
    /// # Errors
    /// If it has no term.
    fn term(&mut self, ast: Z3_ast) -> Result<TermId> {
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
        let (raw, arena) = (self.context.raw(), self.arena);
        // SAFETY (for the block): the node is alive, and each question fits its kind.
        unsafe {
            match Z3_get_ast_kind(raw, ast) {
                AstKind::Var => {
                    let index = Z3_get_index_value(raw, ast);
                    self.bound
                        .get(&index)
                        .copied()
                        .ok_or_else(|| "an unknown variable".into())
                }
                AstKind::Numeral => {
                    let digits = text(Z3_get_numeral_string(raw, ast));
                    match sort(self.context, ast)? {
                        Sort::Int => Ok(arena.int_big(digits.parse().map_err(|_| digits)?)),
                        Sort::BitVec(width) => {
                            Ok(arena.bv(width, digits.parse().map_err(|_| digits)?))
                        }
                        other => Err(format!("a number of the sort {other}")),
                    }
                }
                AstKind::App => {
                    let application = self.context.required(Z3_to_app(raw, ast))?;
                    let declaration = self.context.required(Z3_get_app_decl(raw, application))?;
                    let parameter = |number| {
                        u8::try_from(Z3_get_decl_int_parameter(raw, declaration, number))
                            .map_err(|error| error.to_string())
                    };
                    self.application(ast, Z3_get_decl_kind(raw, declaration), a, &parameter)
                }
                _ => Err("a quantifier".into()),
            }
        }
    }

    fn application(
        &self,
        ast: Z3_ast,
        kind: DeclKind,
        a: &[TermId],
        parameter: &dyn Fn(u32) -> Result<u8>,
    ) -> Result<TermId> {
        let t = self.arena;
        let chain = |operator: &dyn Fn(TermId, TermId) -> TermId| {
            let result = a.iter().copied().reduce(operator);
            result.ok_or_else(|| format!("{kind:?} of nothing"))
        };
        let width = || t.sort(a[0]).width().unwrap_or(0) as u8;
        Ok(match (kind, a) {
            (DeclKind::True, []) => TermId::TRUE,
            (DeclKind::False, []) => TermId::FALSE,
            (DeclKind::Not, &[x]) => t.not(x),
            (DeclKind::And, _) => t.and(a.iter().copied()),
            (DeclKind::Or, _) => t.or(a.iter().copied()),
            (DeclKind::Eq | DeclKind::Iff, &[x, y]) => t.eq(x, y),
            (DeclKind::Distinct, &[x, y]) => t.ne(x, y),
            (DeclKind::Xor, _) => chain(&|x, y| t.xor(x, y))?,
            (DeclKind::Implies, &[x, y]) => t.implies(x, y),
            (DeclKind::Ite, &[x, y, z]) => t.ite(x, y, z),
            (DeclKind::Le, &[x, y]) => t.int_le(x, y),
            (DeclKind::Lt, &[x, y]) => t.int_lt(x, y),
            (DeclKind::Ge, &[x, y]) => t.int_le(y, x),
            (DeclKind::Gt, &[x, y]) => t.int_lt(y, x),
            (DeclKind::Add, _) => chain(&|x, y| t.int_add(x, y))?,
            (DeclKind::Sub, _) => chain(&|x, y| t.int_sub(x, y))?,
            (DeclKind::Mul, _) => chain(&|x, y| t.int_mul(x, y))?,
            (DeclKind::Uminus, &[x]) => t.int_neg(x),
            // By zero, Z3 answers anything.
            (DeclKind::Idiv, &[x, y]) if self.is_number(y) => t.int_div(x, y),
            (DeclKind::Mod, &[x, y]) if self.is_number(y) => t.int_mod(x, y),
            (DeclKind::Bneg, &[x]) => t.neg(x),
            (DeclKind::Bnot, &[x]) => t.bvnot(x),
            (DeclKind::Badd, _) => chain(&|x, y| t.add(x, y))?,
            (DeclKind::Bsub, _) => chain(&|x, y| t.sub(x, y))?,
            (DeclKind::Bmul, _) => chain(&|x, y| t.mul(x, y))?,
            (DeclKind::Budiv | DeclKind::BudivI, &[x, y]) => t.udiv(x, y),
            (DeclKind::Burem | DeclKind::BuremI, &[x, y]) => t.urem(x, y),
            (DeclKind::Bsdiv | DeclKind::BsdivI, &[x, y]) => t.sdiv(x, y),
            (DeclKind::Bsrem | DeclKind::BsremI, &[x, y]) => t.srem(x, y),
            (DeclKind::Band, _) => chain(&|x, y| t.bvand(x, y))?,
            (DeclKind::Bor, _) => chain(&|x, y| t.bvor(x, y))?,
            (DeclKind::Bxor, _) => chain(&|x, y| t.bvxor(x, y))?,
            (DeclKind::Bshl, &[x, y]) => t.shl(x, y),
            (DeclKind::Blshr, &[x, y]) => t.lshr(x, y),
            (DeclKind::Bashr, &[x, y]) => t.ashr(x, y),
            (DeclKind::Uleq, &[x, y]) => t.ule(x, y),
            (DeclKind::Ult, &[x, y]) => t.ult(x, y),
            (DeclKind::Ugeq, &[x, y]) => t.uge(x, y),
            (DeclKind::Ugt, &[x, y]) => t.ugt(x, y),
            (DeclKind::Sleq, &[x, y]) => t.sle(x, y),
            (DeclKind::Slt, &[x, y]) => t.slt(x, y),
            (DeclKind::Sgeq, &[x, y]) => t.sge(x, y),
            (DeclKind::Sgt, &[x, y]) => t.sgt(x, y),
            (DeclKind::Concat, _) => chain(&|x, y| t.concat(x, y))?,
            (DeclKind::Extract, &[x]) => t.extract(x, parameter(0)?, parameter(1)?),
            (DeclKind::ZeroExt, &[x]) => t.zero_extend(x, width() + parameter(0)?),
            (DeclKind::SignExt, &[x]) => t.sign_extend(x, width() + parameter(0)?),
            (DeclKind::Bit2bool, &[x]) => {
                let bit = parameter(0)?;
                t.eq(t.extract(x, bit, bit), t.bv(1, 1))
            }
            (DeclKind::Bv2int, &[x]) => t.bv_to_nat(x),
            (DeclKind::Sbv2int, &[x]) => t.bv_to_int(x),
            (DeclKind::Int2bv, &[x]) => t.int_to_bv(x, parameter(0)?),
            (DeclKind::Select, &[x, y]) => t.select(x, y),
            (DeclKind::Store, &[x, y, z]) => t.store(x, y, z),
            (DeclKind::ConstArray, &[x]) => match sort(self.context, ast)? {
                Sort::Array { index, .. } => t.const_array(index, x),
                other => return Err(format!("a constant array of the sort {other}")),
            },
            _ => return Err(format!("{kind:?} has no term")),
        })
    }

    /// Whether a term is a number other than zero.
    fn is_number(&self, term: TermId) -> bool {
        let value = self.arena.int_constant(term);
        value.is_some_and(|value| *value != num_bigint::BigInt::ZERO)
    }
}

/// The conjunction that a definition is, with fresh variables for those that its conjuncts quantify universally; `fresh`
/// counts them.
///
/// # Errors
/// If it has no term, or quantifiers elsewhere.
pub fn matrix(
    context: &Context,
    arena: &Arena,
    definition: Z3_ast,
    bound: &FxHashMap<u32, TermId>,
    fresh: &mut u32,
) -> Result<TermId> {
    let raw = context.raw();
    let mut conjuncts = Vec::new();
    let mut stack = vec![definition];
    while let Some(top) = stack.pop() {
        // SAFETY (for the block): the definition keeps its parts alive, and each question fits its kind.
        unsafe {
            if Z3_get_ast_kind(raw, top) == AstKind::App {
                let application = context.required(Z3_to_app(raw, top))?;
                let declaration = context.required(Z3_get_app_decl(raw, application))?;
                if Z3_get_decl_kind(raw, declaration) == DeclKind::And {
                    stack.extend(arguments(context, top)?);
                    continue;
                }
            }
            let mut reader = ReadBack::new(context, arena, bound.clone());
            let mut body = top;
            if Z3_is_quantifier_forall(raw, top) {
                let count = Z3_get_quantifier_num_bound(raw, top);
                let outer = bound.iter().map(|(index, &term)| (index + count, term));
                reader.bound = outer.collect();
                for number in 0..count {
                    let sort = Z3_get_quantifier_bound_sort(raw, top, number);
                    let sort = sort_of(context, context.required(sort)?)?;
                    *fresh += 1;
                    let variable = Symbol::new("spacer::bound", sort);
                    // The last one has the index 0.
                    let variable = arena.variable_at(variable, *fresh);
                    reader.bound.insert(count - 1 - number, variable);
                }
                body = context.required(Z3_get_quantifier_body(raw, top))?;
            }
            conjuncts.push(reader.term(body)?);
        }
    }
    Ok(arena.and(conjuncts))
}

/// The operands of an application; of other nodes none.
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
    sort_of(
        context,
        context.required(unsafe { Z3_get_sort(context.raw(), ast) })?,
    )
}

/// The sort of terms that a sort of Z3's is.
fn sort_of(context: &Context, sort: Z3_sort) -> Result<Sort> {
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
                let width = u8::try_from(Z3_get_bv_sort_size(raw, sort));
                ScalarSort::BitVec(width.map_err(|error| error.to_string())?)
            }
            other => return Err(format!("{other:?} is no sort of terms")),
        })
    }
}
