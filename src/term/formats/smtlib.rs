//! Prints terms as SMT-LIB 2.7.
//!
//! Where the standard leaves a result open and [`Op`] fixes it, the text has a guard (around `div` by zero and conversions of
//! floats out of range), so that a solver answers about our terms. Two constructs are not in the standard: `fp.to_ieee_bv`
//! of Z3 and MathSAT, and `(as const …)`, which all solvers have. [`standard_script`] avoids the first.

use std::fmt::Write;

use num_bigint::{BigInt, Sign};
use num_traits::Zero;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Constant, FloatFormat, FloatValue, Op, Pool, RoundingMode, Sort, Symbol, TermId, TermKind,
    for_each_subterm,
};

/// Prints the term as an expression; subterms that occur several times are bound by `let`. Variables are free in it, by the names
pub fn to_smtlib(pool: &(impl Pool + ?Sized), term: TermId) -> String {
    let mut printer = Printer::new(pool, &[term]);
    let shared = printer.shared.clone();
    for (number, bound) in shared.iter().enumerate() {
        let _ = write!(printer.text, "(let (($t{number} ");
        printer.print(*bound);
        printer.text.push_str(")) ");
        printer.names.insert(*bound, format!("$t{number}"));
    }
    printer.print(term);
    printer.text.extend(std::iter::repeat_n(')', shared.len()));
    printer.text
}

/// Prints a script that declares the variables and asserts the terms, without `check-sat` and logic. Shared subterms are
/// definitions, so that nothing nests deeply unless the terms do.
pub fn smtlib_script(pool: &(impl Pool + ?Sized), assertions: &[TermId]) -> String {
    script(Printer::new(pool, assertions), assertions)
}

/// Like [`smtlib_script`], with constructs of the standard only: the bits of a float are a declared constant, asserted to convert
/// to the float. (Exception: x87's floats, which hardly any solver has.)
pub fn standard_script(pool: &(impl Pool + ?Sized), assertions: &[TermId]) -> String {
    let mut printer = Printer::new(pool, assertions);
    printer.names_bits = true;
    script(printer, assertions)
}

/// Returns the float and its format if the term is the bits of a float.
fn float_with_bits(pool: &(impl Pool + ?Sized), term: TermId) -> Option<(TermId, FloatFormat)> {
    let (op, arguments) = pool.as_application(term)?;
    match (op, pool.sort(*arguments.first()?)) {
        (Op::FpToBits, Sort::Float(format)) if format != FloatFormat::F80 => {
            Some((arguments[0], format))
        }
        _ => None,
    }
}

fn script<P: Pool + ?Sized>(mut printer: Printer<'_, P>, assertions: &[TermId]) -> String {
    if printer.names_bits {
        printer.share_bits(assertions);
    }
    for (symbol, instance) in printer.variables.clone() {
        let _ = writeln!(
            printer.text,
            "(declare-const {} {})",
            printer.variable_names[&(symbol, instance)],
            symbol.sort()
        );
    }
    printer.declare_prefix_sums(assertions);
    for (number, bound) in printer.shared.clone().into_iter().enumerate() {
        let sort = printer.pool.sort(bound);
        if printer.names.contains_key(&bound) {
            continue;
        }
        if printer.names_bits
            && let Some((float, format)) = float_with_bits(printer.pool, bound)
        {
            printer.define_bits(number, sort, float, format);
        } else {
            let _ = write!(printer.text, "(define-fun $t{number} () {sort} ");
            printer.print(bound);
            printer.text.push_str(")\n");
        }
        printer.names.insert(bound, format!("$t{number}"));
    }
    for assertion in assertions {
        printer.text.push_str("(assert ");
        printer.print(*assertion);
        printer.text.push_str(")\n");
    }
    printer.text
}

/// Pieces of text and terms, in the order in which they are written.
enum Piece {
    Text(String),
    Fixed(&'static str),
    Term(TermId),
    /// A term that is a rounding mode.
    Mode(TermId),
}

struct Printer<'p, P: ?Sized> {
    pool: &'p P,
    text: String,
    variables: Vec<(Symbol, u32)>,
    variable_names: FxHashMap<(Symbol, u32), String>,
    /// Applications that occur more than once, arguments first.
    shared: Vec<TermId>,
    /// Names of shared terms whose definitions have been printed.
    names: FxHashMap<TermId, String>,
    stack: Vec<Piece>,
    /// Whether the bits of floats are declared constants.
    names_bits: bool,
}

impl<'p, P: Pool + ?Sized> Printer<'p, P> {
    fn new(pool: &'p P, roots: &[TermId]) -> Self {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut variables = Vec::new();
        for_each_subterm(pool, roots.iter().copied(), |term, kind| match kind {
            TermKind::Apply { op, arguments } => {
                order.push(term);
                for argument in arguments {
                    // The dividend of a remainder is written twice.
                    *uses.entry(*argument).or_default() +=
                        1 + u32::from(matches!(op, Op::IntDiv | Op::IntMod));
                }
            }
            TermKind::Variable { symbol, instance } => variables.push((symbol, instance)),
            TermKind::Constant(_) => {}
        });
        order.retain(|term| uses.get(term).is_some_and(|count| *count > 1));
        let mut printer = Self {
            pool,
            text: String::new(),
            variable_names: FxHashMap::default(),
            variables,
            shared: order,
            names: FxHashMap::default(),
            stack: Vec::new(),
            names_bits: false,
        };
        printer.name_variables();
        printer
    }

    fn name_variables(&mut self) {
        let mut taken = FxHashSet::default();
        for &(symbol, instance) in &self.variables {
            let base = quoted(symbol.name(), instance, None);
            let mut name = base;
            let mut number = 1;
            // Two symbols may differ in the sort only.
            while !taken.insert(name.clone()) {
                number += 1;
                name = quoted(symbol.name(), instance, Some(number));
            }
            self.variable_names.insert((symbol, instance), name);
        }
    }

    /// Adds the terms that are bits of a float to the shared ones, so that each has a definition.
    fn share_bits(&mut self, roots: &[TermId]) {
        let shared: FxHashSet<TermId> = self.shared.drain(..).collect();
        for_each_subterm(self.pool, roots.iter().copied(), |term, _| {
            if shared.contains(&term) || float_with_bits(self.pool, term).is_some() {
                self.shared.push(term);
            }
        });
    }

    /// Declares a constant for each sum of elements below an index, for which SMT-LIB has no notation.
    fn declare_prefix_sums(&mut self, roots: &[TermId]) {
        for_each_subterm(self.pool, roots.iter().copied(), |term, kind| {
            if let TermKind::Apply {
                op: Op::PrefixSum, ..
            } = kind
            {
                let name = format!("$s{}", self.names.len());
                let _ = writeln!(self.text, "(declare-const {name} {})", self.pool.sort(term));
                self.names.insert(term, name);
            }
        });
    }

    /// Declares the bits of a float and defines the term with the number, which they are unless the float is NaN.
    fn define_bits(&mut self, number: usize, sort: Sort, float: TermId, format: FloatFormat) {
        let to_fp = to_fp(format);
        let _ = write!(
            self.text,
            "(declare-const $b{number} {sort})\n(assert (= ({to_fp} $b{number}) "
        );
        self.print(float);
        let _ = write!(
            self.text,
            "))\n(define-fun $t{number} () {sort} (ite (fp.isNaN "
        );
        self.print(float);
        self.text.push_str(") ");
        write_bits(
            &mut self.text,
            format.storage_bits() as u8,
            FloatValue::nan(format).bits(),
        );
        let _ = writeln!(self.text, " $b{number}))");
    }

    fn print(&mut self, term: TermId) {
        self.stack.push(Piece::Term(term));
        while let Some(piece) = self.stack.pop() {
            match piece {
                Piece::Text(text) => self.text.push_str(&text),
                Piece::Fixed(text) => self.text.push_str(text),
                Piece::Term(term) => self.open(term),
                Piece::Mode(term) => self.mode(term),
            }
        }
    }

    fn mode(&mut self, term: TermId) {
        match self.pool.bit_vec_constant(term) {
            Some(value) => self
                .text
                .push_str(match RoundingMode::from_bits(value.bits()) {
                    RoundingMode::NearestEven => "RNE",
                    RoundingMode::Downward => "RTN",
                    RoundingMode::Upward => "RTP",
                    RoundingMode::TowardZero => "RTZ",
                }),
            None => {
                self.text.push_str("(let (($m ");
                self.stack.push(Piece::Fixed(
                    ")) (ite (= $m #b00) RNE (ite (= $m #b01) RTN (ite (= $m #b10) RTP RTZ))))",
                ));
                self.stack.push(Piece::Term(term));
            }
        }
    }

    /// Writes the beginning of a term, and pushes the rest on the stack.
    fn open(&mut self, term: TermId) {
        if let Some(name) = self.names.get(&term) {
            self.text.push_str(name);
            return;
        }
        match self.pool.kind(term) {
            TermKind::Constant(constant) => write_constant(&mut self.text, constant),
            TermKind::Variable { symbol, instance } => self
                .text
                .push_str(&self.variable_names[&(symbol, instance)]),
            TermKind::Apply { op, arguments } => {
                let pieces = self.pieces(op, self.pool.sort(term), arguments);
                self.stack.extend(pieces.into_iter().rev());
            }
        }
    }

    fn pieces(&self, op: Op, sort: Sort, arguments: &[TermId]) -> Vec<Piece> {
        use Piece::{Fixed, Mode, Term, Text};
        match (op, arguments) {
            (Op::IntDiv | Op::IntMod, &[a, b]) => {
                let name = if op == Op::IntDiv { "(div " } else { "(mod " };
                let quotient = [Fixed(name), Term(a), Fixed(" "), Term(b), Fixed(")")];
                if self
                    .pool
                    .int_constant(b)
                    .is_some_and(|divisor| !divisor.is_zero())
                {
                    return quotient.into();
                }
                let by_zero = if op == Op::IntDiv {
                    Fixed("0")
                } else {
                    Term(a)
                };
                let guard = [
                    Fixed("(ite (= "),
                    Term(b),
                    Fixed(" 0) "),
                    by_zero,
                    Fixed(" "),
                ];
                guard
                    .into_iter()
                    .chain(quotient)
                    .chain([Fixed(")")])
                    .collect()
            }
            (Op::FpToSbv(width), &[mode, a]) => {
                self.to_bit_vector("fp.to_sbv", width, -1, width - 1, mode, a)
            }
            (Op::FpToUbv(width), &[mode, a]) => {
                self.to_bit_vector("fp.to_ubv", width, 0, width, mode, a)
            }
            (Op::UbvToFp(format) | Op::SbvToFp(format), &[mode, a])
                if self
                    .pool
                    .sort(a)
                    .width()
                    .is_some_and(|width| rounds_wrongly(width, format)) =>
            {
                let extended = match op {
                    Op::SbvToFp(_) => " ((_ sign_extend 2) ",
                    _ => " ((_ zero_extend 2) ",
                };
                vec![
                    Fixed("("),
                    self.operator(op, sort, arguments),
                    Fixed(" "),
                    Mode(mode),
                    Fixed(extended),
                    Term(a),
                    Fixed("))"),
                ]
            }
            (Op::FpToInt, &[mode, a]) => vec![
                Fixed("(let (($a (fp.roundToIntegral "),
                Mode(mode),
                Fixed(" "),
                Term(a),
                Fixed(
                    "))) (ite (or (fp.isNaN $a) (fp.isInfinite $a)) 0 (to_int (fp.to_real $a))))",
                ),
            ],
            (Op::IntToFp(format), &[mode, a]) => vec![
                Text(format!("({} ", to_fp(format))),
                Mode(mode),
                Fixed(" (to_real "),
                Term(a),
                Fixed("))"),
            ],
            (Op::FpToBits, &[a]) => self.to_ieee_bits(a),
            (Op::FpFromBits(FloatFormat::F80), &[a]) => vec![
                Fixed("(let (($a "),
                Term(a),
                Text(format!(
                    ")) (ite (= ((_ extract 63 63) $a) (ite (= ((_ extract 78 64) $a) #b{zeros}) #b0 #b1)) \
                     ({to_fp} (concat ((_ extract 79 64) $a) ((_ extract 62 0) $a))) \
                     (ite (= ((_ extract 63 63) $a) #b0) (_ NaN 15 64) \
                     ({to_fp} (concat ((_ extract 79 79) $a) (concat #b{zeros_but_one} ((_ extract 62 0) $a)))))))",
                    zeros = "0".repeat(15),
                    zeros_but_one = "000000000000001",
                    to_fp = to_fp(FloatFormat::F80),
                )),
            ],
            _ => self.application(op, sort, arguments),
        }
    }

    /// The operator's name, then its operands.
    fn application(&self, op: Op, sort: Sort, arguments: &[TermId]) -> Vec<Piece> {
        let rounds = matches!(
            op,
            Op::FpAdd
                | Op::FpSub
                | Op::FpMul
                | Op::FpDiv
                | Op::FpFma
                | Op::FpSqrt
                | Op::FpRoundToIntegral
                | Op::FpToFp(_)
                | Op::SbvToFp(_)
                | Op::UbvToFp(_)
        );
        let mut pieces = vec![Piece::Fixed("("), self.operator(op, sort, arguments)];
        for (position, argument) in arguments.iter().enumerate() {
            pieces.push(Piece::Fixed(" "));
            pieces.push(if rounds && position == 0 {
                Piece::Mode(*argument)
            } else {
                Piece::Term(*argument)
            });
        }
        pieces.push(Piece::Fixed(")"));
        pieces
    }

    fn operator(&self, op: Op, sort: Sort, arguments: &[TermId]) -> Piece {
        let extension = |width: u8| {
            let before = arguments
                .first()
                .and_then(|argument| self.pool.sort(*argument).width())
                .unwrap_or(0);
            u32::from(width).saturating_sub(before)
        };
        Piece::Text(match op {
            Op::Extract { high, low } => format!("(_ extract {high} {low})"),
            Op::ZeroExtend(width) => format!("(_ zero_extend {})", extension(width)),
            Op::SignExtend(width) => format!("(_ sign_extend {})", extension(width)),
            Op::IntToBv(width) => format!("(_ int_to_bv {width})"),
            Op::FpToFp(format) | Op::SbvToFp(format) | Op::FpFromBits(format) => to_fp(format),
            Op::UbvToFp(format) => {
                format!(
                    "(_ to_fp_unsigned {} {})",
                    format.exponent_bits(),
                    format.significand_bits()
                )
            }
            Op::ConstArray => format!("(as const {sort})"),
            _ => return Piece::Fixed(name(op)),
        })
    }

    /// `fp.to_sbv` and `fp.to_ubv`, guarded: 0 unless the rounded value is in [least · 2^bits, 2^bits).
    fn to_bit_vector(
        &self,
        name: &str,
        width: u8,
        least: i32,
        bits: u8,
        mode: TermId,
        a: TermId,
    ) -> Vec<Piece> {
        let Sort::Float(format) = self.pool.sort(a) else {
            return Vec::new();
        };
        let bound = |factor: i32| {
            let integer = BigInt::from(factor) << bits;
            let value = FloatValue::from_int(format, RoundingMode::NearestEven, &integer);
            let mut text = String::new();
            write_constant(&mut text, Constant::Float(value));
            text
        };
        // A bound that is not in the format is rounded to an infinity: then it holds for all finite values.
        let (low, high) = (bound(least), bound(1));
        if width == 1 {
            // Not all solvers have such narrow conversions. One value becomes 1: that of the range which is not zero.
            let mut one = low;
            if least == 0 {
                one.clear();
                let value = FloatValue::from_int(format, RoundingMode::NearestEven, &1.into());
                write_constant(&mut one, Constant::Float(value));
            }
            return vec![
                Piece::Fixed("(ite (fp.eq (fp.roundToIntegral "),
                Piece::Mode(mode),
                Piece::Fixed(" "),
                Piece::Term(a),
                Piece::Text(format!(") {one}) #b1 #b0)")),
            ];
        }
        vec![
            Piece::Fixed("(let (($a (fp.roundToIntegral "),
            Piece::Mode(mode),
            Piece::Fixed(" "),
            Piece::Term(a),
            Piece::Text(format!(
                "))) (ite (and (fp.leq {low} $a) (fp.lt $a {high}) (not (fp.isInfinite $a))) \
                 ((_ {name} {width}) RTZ $a) (_ bv0 {width})))"
            )),
        ]
    }

    fn to_ieee_bits(&self, a: TermId) -> Vec<Piece> {
        let Sort::Float(format) = self.pool.sort(a) else {
            return Vec::new();
        };
        let mut nan = String::new();
        write_bits(
            &mut nan,
            format.storage_bits() as u8,
            FloatValue::nan(format).bits(),
        );
        let bits = match format {
            FloatFormat::F80 => format!(
                "(let (($b (fp.to_ieee_bv $a))) (concat ((_ extract 78 63) $b) \
                 (concat (ite (= ((_ extract 77 63) $b) #b{}) #b0 #b1) ((_ extract 62 0) $b))))",
                "0".repeat(15)
            ),
            _ => "(fp.to_ieee_bv $a)".to_owned(),
        };
        vec![
            Piece::Fixed("(let (($a "),
            Piece::Term(a),
            Piece::Text(format!(")) (ite (fp.isNaN $a) {nan} {bits}))")),
        ]
    }
}

/// Checks whether the conversion of a bit vector of the width to a float must be written as that of a wider one: SymFPU (of
/// 2019), used by solvers, rounds wrongly if the width equals the significand's or exceeds it by one.
pub fn rounds_wrongly(width: u32, format: FloatFormat) -> bool {
    let significand = format.significand_bits();
    (significand..=significand + 1).contains(&width)
}

fn to_fp(format: FloatFormat) -> String {
    format!(
        "(_ to_fp {} {})",
        format.exponent_bits(),
        format.significand_bits()
    )
}

/// The names of operators without parameters.
fn name(op: Op) -> &'static str {
    match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::BvNeg => "bvneg",
        Op::BvNot => "bvnot",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUlt => "bvult",
        Op::BvUle => "bvule",
        Op::BvSlt => "bvslt",
        Op::BvSle => "bvsle",
        Op::Concat => "concat",
        Op::IntNeg => "-",
        Op::IntAdd => "+",
        Op::IntMul => "*",
        Op::IntDiv => "div",
        Op::IntMod => "mod",
        Op::IntLt => "<",
        Op::IntLe => "<=",
        Op::BvToNat => "ubv_to_int",
        Op::BvToInt => "sbv_to_int",
        Op::FpNeg => "fp.neg",
        Op::FpAbs => "fp.abs",
        Op::FpAdd => "fp.add",
        Op::FpSub => "fp.sub",
        Op::FpMul => "fp.mul",
        Op::FpDiv => "fp.div",
        Op::FpFma => "fp.fma",
        Op::FpSqrt => "fp.sqrt",
        Op::FpRem => "fp.rem",
        Op::FpRoundToIntegral => "fp.roundToIntegral",
        Op::FpLt => "fp.lt",
        Op::FpLe => "fp.leq",
        Op::FpEq => "fp.eq",
        Op::FpIsNan => "fp.isNaN",
        Op::FpIsInfinite => "fp.isInfinite",
        Op::FpIsZero => "fp.isZero",
        Op::FpIsNormal => "fp.isNormal",
        Op::FpIsSubnormal => "fp.isSubnormal",
        Op::FpIsNegative => "fp.isNegative",
        Op::FpToBits => "fp.to_ieee_bv",
        Op::FpToInt => "fp.to_int",
        Op::Select => "select",
        Op::Store => "store",
        Op::PrefixSum => "prefix-sum",
        Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_)
        | Op::IntToBv(_)
        | Op::FpToFp(_)
        | Op::SbvToFp(_)
        | Op::UbvToFp(_)
        | Op::IntToFp(_)
        | Op::FpToSbv(_)
        | Op::FpToUbv(_)
        | Op::FpFromBits(_)
        | Op::ConstArray => "",
    }
}

fn write_bits(text: &mut String, width: u8, bits: u128) {
    let _ = if width.is_multiple_of(4) {
        write!(text, "#x{bits:0digits$x}", digits = usize::from(width / 4))
    } else {
        write!(text, "#b{bits:0digits$b}", digits = usize::from(width))
    };
}

fn write_constant(text: &mut String, constant: Constant<'_>) {
    let _ = match constant {
        Constant::Bool(value) => write!(text, "{value}"),
        Constant::BitVec(value) => {
            write_bits(text, value.width(), value.bits());
            Ok(())
        }
        Constant::Int(value) if value.sign() == Sign::Minus => {
            write!(text, "(- {})", value.magnitude())
        }
        Constant::Int(value) => write!(text, "{value}"),
        Constant::Float(value) => {
            let (exponent, significand) = (
                value.format().exponent_bits(),
                value.format().significand_bits(),
            );
            let sign = if value.sign_bit() { '-' } else { '+' };
            if value.is_nan() {
                write!(text, "(_ NaN {exponent} {significand})")
            } else if value.is_infinite() {
                write!(text, "(_ {sign}oo {exponent} {significand})")
            } else {
                let bits = value.bits();
                let field = value.format().storage_bits() - 1 - exponent;
                text.push_str("(fp ");
                write_bits(text, 1, bits >> (value.format().storage_bits() - 1));
                text.push(' ');
                let biased = bits >> field & ((1 << exponent) - 1);
                let _ = write!(text, "#b{biased:0digits$b} ", digits = exponent as usize);
                let fraction = bits & ((1 << (significand - 1)) - 1);
                write!(
                    text,
                    "#b{fraction:0digits$b})",
                    digits = significand as usize - 1
                )
            }
        }
    };
}

/// Returns the name of a variable as a symbol of SMT-LIB: `x@0`, `|main::x@3|`. The instance is always there: it distinguishes
/// variables called `and` or `select` from SMT-LIB's names. Characters that a quoted symbol cannot contain, `%`, and a `$` in
/// front (such names are reserved for definitions) become `%` and two hexadecimal digits.
fn quoted(name: &str, instance: u32, number: Option<u32>) -> String {
    let mut result = String::new();
    for (position, character) in name.char_indices() {
        match character {
            '|' | '\\' | '%' => {
                let _ = write!(result, "%{:02x}", u32::from(character));
            }
            '$' if position == 0 => result.push_str("%24"),
            _ => result.push(character),
        }
    }
    let _ = write!(result, "@{instance}");
    if let Some(number) = number {
        let _ = write!(result, "%{number}");
    }
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_@%".contains(character);
    let starts_well =
        result.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_');
    let safe = starts_well && result.chars().all(is_plain);
    if safe { result } else { format!("|{result}|") }
}
