//! The front end reads printed C expressions as the same terms: random terms over variables of all scalar types and
//! bit-fields are printed as C, used as a condition in a program, lowered, and compared with the originals for all values of
//! the variables.

use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::frontend::preprocess::Preprocessed;
use crate::frontend::{LoadOptions, load_preprocessed};
use crate::program::{
    BlockEnd, Blocks, DataModel, InlinedProgram, InputKind, InputSource, Program,
};
use crate::solver::{Answer, CheckLimit, SolverConfig, new_solver};
use crate::term::random::{Language, RandomTerms, seeds};
use crate::term::{
    Build, CType, CVariable, FloatFormat, Sort, Symbol, TermId, instantiate, store, to_c, to_smtlib,
};

/// A variable of the program, to which the result of a call is assigned.
struct Variable {
    symbol: Symbol,
    declared: CVariable,
    /// The called function's name.
    call: String,
    /// The declarations of the function and of the variable.
    declaration: String,
}

fn type_name(c_type: CType, model: DataModel) -> &'static str {
    match (c_type, model) {
        (CType::Signed(8), _) => "signed char",
        (CType::Signed(16), _) => "short",
        (CType::Signed(..=32), _) => "int",
        (CType::Signed(_), DataModel::Lp64) => "long",
        (CType::Signed(_), DataModel::Ilp32) => "long long",
        (CType::Unsigned(8), _) => "unsigned char",
        (CType::Unsigned(16), _) => "unsigned short",
        (CType::Unsigned(..=32), _) => "unsigned",
        (CType::Unsigned(_), DataModel::Lp64) => "unsigned long",
        (CType::Unsigned(_), DataModel::Ilp32) => "unsigned long long",
        (CType::Bool, _) => "_Bool",
        (CType::Float(FloatFormat::F32), _) => "float",
        (CType::Float(_), _) => "double",
        (CType::Pointer, _) => "char *",
    }
}

/// Two variables of the sort, a signed one first.
fn variables(sort: Sort, model: DataModel) -> Vec<Variable> {
    let types = match sort {
        Sort::BitVec(width) => vec![CType::Signed(width), CType::Unsigned(width)],
        Sort::Float(format) => vec![CType::Float(format)],
        _ => vec![CType::Bool],
    };
    let variables = types.into_iter().map(|c_type| {
        let kind = match c_type {
            CType::Unsigned(_) => 'u',
            _ => 's',
        };
        let own = format!("{kind}{sort}").replace(|c: char| !c.is_ascii_alphanumeric(), "");
        let call = format!("any_{own}");
        let name = type_name(c_type, model);
        let field = match c_type {
            CType::Signed(bits) | CType::Unsigned(bits) if !matches!(bits, 8 | 16 | 32 | 64) => {
                format!(" : {bits}")
            }
            _ => String::new(),
        };
        let (place, variable) = match field.is_empty() {
            true => (own.clone(), format!("{name} {own}")),
            false => (
                format!("s_{own}.f"),
                format!("struct {{ {name} f{field}; }} s_{own}"),
            ),
        };
        Variable {
            symbol: Symbol::new(&format!("c_terms::{own}"), sort),
            // The calls could change a variable that is not static.
            declaration: format!("{name} {call}(void); static {variable};\n"),
            declared: CVariable {
                name: place,
                c_type,
            },
            call,
        }
    });
    variables.collect()
}

/// A program that violates the property if the condition holds.
fn program(variables: &[Variable], condition: &str, model: DataModel) -> Program {
    let mut text = "extern void reach_error(void);\n".to_owned();
    for variable in variables {
        let _ = write!(text, "extern {}", variable.declaration);
    }
    text.push_str("int main(void) {\n");
    for variable in variables {
        let _ = writeln!(text, "  {} = {}();", variable.declared.name, variable.call);
    }
    let _ = writeln!(text, "  if ({condition}) reach_error();\n  return 0;\n}}");
    let options = LoadOptions {
        data_model: model,
        ..LoadOptions::default()
    };
    let source = Preprocessed::from_text("terms.c", text.as_str());
    match load_preprocessed(source, &options) {
        Ok(loaded) => loaded.program,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// The condition under which the program violates the property, as a formula over the variables.
fn failure(variables: &[Variable], program: Program) -> TermId {
    let blocks = Blocks::new(Arc::new(InlinedProgram::new(Arc::new(program))));
    let program = blocks.inlined().program();
    let mut failure = TermId::FALSE;
    let all = blocks.from(blocks.inlined().entry());
    for block in all.iter() {
        assert!(matches!(block.end, BlockEnd::CutPoint(_)), "{block:?}");
        if !blocks.is_target(block) {
            continue;
        }
        let values = |symbol: Symbol, instance: u32| {
            let mut inputs = block.inputs.iter();
            let input =
                inputs.find(|input| input.symbol == symbol && input.instance == instance)?;
            let InputSource::Input(id) = input.source else {
                return None;
            };
            let InputKind::Nondet(call) = &program.input(id).kind else {
                return None;
            };
            let variable = variables.iter().find(|variable| variable.call == *call)?;
            Some(as_returned(variable, symbol.sort()))
        };
        failure = store().or2(failure, instantiate(store(), block.guard, values));
    }
    failure
}

/// The value returned by the variable's call, as a term over the variable.
fn as_returned(variable: &Variable, sort: Sort) -> TermId {
    let pool = store();
    let value = pool.variable(variable.symbol);
    match (variable.symbol.sort(), sort) {
        (own, sort) if own == sort => value,
        (Sort::Bool, Sort::BitVec(width)) => pool.ite(value, pool.bv(width, 1), pool.bv(width, 0)),
        (Sort::BitVec(own), Sort::BitVec(width)) if own < width => pool.zero_extend(value, width),
        (own, sort) => panic!("{own} as {sort}"),
    }
}

/// Whether the terms are equal for all values; `None` if the solver does not decide it.
fn are_equal(a: TermId, b: TermId) -> Option<bool> {
    let difference = store().ne(a, b);
    if difference == TermId::FALSE {
        return Some(true);
    }
    let mut solver = new_solver(SolverConfig::default(), Rc::default()).expect("a solver");
    solver.set_limit(CheckLimit {
        resource: None,
        time: Some(Duration::from_secs(2)),
    });
    solver.assert(difference);
    match solver.check(&[]) {
        Answer::Satisfiable => Some(false),
        Answer::Unsatisfiable => Some(true),
        Answer::Unknown(_) => None,
    }
}

/// The sorts of the terms for a seed. Bit-fields have widths that no integer type has.
fn language(number: u64) -> Language {
    let widths = [
        vec![32],
        vec![8, 32],
        vec![16, 64],
        vec![3, 32],
        vec![40, 64],
        vec![7, 8, 16],
    ];
    let formats = match number % 4 {
        0 => vec![FloatFormat::F32, FloatFormat::F64],
        _ => Vec::new(),
    };
    Language {
        widths: widths[number as usize % widths.len()].clone(),
        formats,
        ..Language::default()
    }
}

fn read_back(model: DataModel) {
    let (mut printed, mut decided) = (0, 0);
    for number in 0..seeds(250) {
        let language = language(number);
        let sorts = language.widths.iter().map(|&width| Sort::BitVec(width));
        let sorts = sorts.chain(language.formats.iter().map(|&format| Sort::Float(format)));
        let all: Vec<Variable> = sorts
            .chain([Sort::Bool])
            .flat_map(|sort| variables(sort, model))
            .collect();
        let of_sort = |sort: Sort, choice: u64| {
            let fitting: Vec<_> = all.iter().filter(|one| one.symbol.sort() == sort).collect();
            let chosen = fitting.get(choice as usize % fitting.len().max(1))?;
            Some(store().variable(chosen.symbol))
        };
        let choices = Xoshiro256PlusPlus::seed_from_u64(number);
        let mut random = RandomTerms::new(store(), choices, language, of_sort);
        random.odd_widths = true;
        let term = random.boolean(3 + number as u32 % 3);
        let declared = |symbol: Symbol, _| {
            let mut all = all.iter();
            Some(all.find(|one| one.symbol == symbol)?.declared.clone())
        };
        let Some(text) = to_c(store(), term, &declared).filter(|text| text.len() < 3000) else {
            continue;
        };
        printed += 1;
        let read = failure(&all, program(&all, &text, model));
        let equal = are_equal(read, term);
        assert!(
            equal != Some(false),
            "seed {number}: {text}\nwas  {}\nread {}",
            to_smtlib(store(), term),
            to_smtlib(store(), read)
        );
        decided += u32::from(equal.is_some());
    }
    assert!(
        printed > 100 && decided * 10 > printed * 9,
        "{printed}, {decided}"
    );
}

#[test]
fn printed_terms_are_read_as_the_same_ilp32() {
    read_back(DataModel::Ilp32);
}

#[test]
fn printed_terms_are_read_as_the_same_lp64() {
    read_back(DataModel::Lp64);
}
