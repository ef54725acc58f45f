//! Lowering: translates the syntax tree into the typed intermediate representation.
//!
//! One pass visits the declarations of each file in source order. [`state`] has the names in scope and the function under
//! construction; [`declarations`] build types and create objects with [`initializer`]; [`statements`] create basic blocks;
//! [`expressions`], [`calls`] and [`vectors`] build pure expressions and emit instructions for side effects; [`checks`] emit
//! the conditions under which operations are defined, where the property asks for them;
//! [`environment`] is what is around the program. [`unmodelled_parts`] are the parts of a program that are not modelled.
//!
//! # State
//! [`Lowerer`] is made of parts with private fields: each part is a struct in a file of its own, with the methods that read
//! and change it. Most are in [`state`]; what a single topic writes is with that topic (`sequencing`, `nested`,
//! `long_jumps`, `lifecycle`, `control`). A function of lowering that needs one part only is a method of that part.
//!
//! # Order of evaluation
//! Operands, arguments and the two sides of an assignment are evaluated from left to right where the order makes no
//! difference. An operand is copied to a temporary if something after it has a side effect (see [`state::builder`]). Where C
//! leaves the order unspecified and it could matter, each order becomes a path ([`sequencing`]).
//!
//! # Branches and expressions
//! `&&`, `||` and `?:` become branches only if an operand has a side effect or could fault (a read through a pointer or
//! at a variable index, a division or shift by a variable). Otherwise they stay expressions, which keeps the graph
//! small.

mod calls;
mod checks;
mod declarations;
mod environment;
mod expressions;
mod initializer;
mod limits;
mod sequencing;
mod state;
mod statements;
mod unmodelled_parts;
mod vectors;

use rustc_hash::FxHashMap;

use crate::ir::{
    Block, Devices, Function, FunctionIndex, Instruction, Terminator, Unit, UnknownEffect,
};
use crate::parse::ParsedUnit;
use crate::property::Specification;
use crate::types::{Type, TypeTable};
use regatta_base::diagnostic::{Error, ErrorKind, Place, Warning};
use regatta_program::{AssumptionKind, DataModel, SourceMap, Span};

use calls::variadic::ArgumentCounts;
pub use environment::entry::EntryOptions;

use declarations::constexpr::NamedConstants;
use declarations::nested::NestedFunctions;
use environment::exit::{Late, Lifecycle};
use sequencing::Sequencing;
use state::builder::FunctionBuilder;
use state::cursor::Cursor;
use state::diagnostics::Diagnostics;
use state::functions::Functions;
use state::input::Input;
use state::linkage::Linkage;
use state::literals::Literals;
use state::objects::Objects;
use state::own_text::OwnText;
use state::scope::Scopes;
use state::start::StartFunction;
use state::symbols::Symbols;
use state::uses::Uses;
use statements::control::Control;
use statements::long_jump::LongJumps;
use unmodelled_parts::{Failure, LeftOut, Omissions};

/// The result of any step that may find an error in the program.
type Result<T> = std::result::Result<T, Error>;

/// Options of the command that affect the meaning of programs.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// Sizes of C's types.
    pub data_model: DataModel,
    /// What a call of a function without a body may modify.
    pub unknown_calls: UnknownEffect,
    /// Which objects may change without a write by the program.
    pub devices: Devices,
    /// The function with which the program begins, if that is not `main`.
    pub entry: Option<EntryOptions>,
}

/// Lowers the parsed files of a program. The caller must run it under [`crate::parse::with_large_stack`].
///
/// # Errors
/// If something in the program is invalid or not modelled.
pub fn lower(
    units: &[ParsedUnit],
    property: &Specification,
    options: &LowerOptions,
) -> Result<(Unit, Vec<Warning>)> {
    lower_in_parts(units, property, options, &|_| false)
}

/// Like [`lower`], but leaves out what is not modelled if a compiler accepts the texts (see [`unmodelled_parts`]).
///
/// # Errors
/// If something in the program is invalid.
pub fn lower_in_parts(
    units: &[ParsedUnit],
    property: &Specification,
    options: &LowerOptions,
    is_accepted: &dyn Fn(&[u8]) -> bool,
) -> Result<(Unit, Vec<Warning>)> {
    let placed = |error: Error| error.located(|span| place_of(units, span));
    let are_accepted = || {
        let mut texts = units.iter().map(|unit| unit.positions.text());
        texts.all(is_accepted)
    };
    let Some(first) = units.first() else {
        return Err(Error::new(ErrorKind::Unreadable, "a program without files"));
    };
    let mut left_out = LeftOut::default();
    loop {
        let lowered = |late, conflicts| {
            let input = Input::new(units, property, options, late);
            Lowerer::new(input, first, conflicts, left_out.clone()).lower()
        };
        let result = lowered(Late::default(), FxHashMap::default()).and_then(|mut attempt| {
            let Some(late) = attempt.late() else {
                return Ok(attempt);
            };
            if late.any() {
                attempt = lowered(late, FxHashMap::default())?;
            }
            match attempt {
                Attempt::Done(lowering) if !lowering.conflicts.is_empty() => {
                    lowered(late, lowering.conflicts)
                }
                other => Ok(other),
            }
        });
        match result.map_err(placed)? {
            Attempt::Done(lowering) => return Ok((lowering.unit, lowering.warnings)),
            Attempt::Failed(first, more) => {
                let error = first.error.clone();
                let failures = std::iter::once(first).chain(more);
                if !are_accepted() || !left_out.extend(failures) {
                    return Err(placed(error));
                }
            }
        }
    }
}

/// The place of a span, with its source line.
fn place_of(units: &[ParsedUnit], span: Span) -> Option<Place> {
    let mut all = units.iter().map(|unit| &unit.positions);
    let own = all.find(|positions| positions.covers(span));
    own.or(units.last().map(|unit| &unit.positions))?
        .place(span)
}

/// The outcome of one attempt to lower a program.
enum Attempt {
    Done(Box<Lowering>),
    /// At least one failure.
    Failed(Failure, Vec<Failure>),
}

impl Attempt {
    /// The late actions found in the program, once it has been lowered.
    fn late(&self) -> Option<Late> {
        match self {
            Self::Done(lowering) => Some(lowering.late),
            Self::Failed(..) => None,
        }
    }
}

/// A program that has been lowered.
struct Lowering {
    unit: Unit,
    warnings: Vec<Warning>,
    /// Operations whose result may depend on the order of evaluation, apart from those given to this attempt.
    conflicts: FxHashMap<sequencing::Key, sequencing::Conflict>,
    /// The late actions found in the program.
    late: Late,
}

/// The state of lowering one program: one part for each kind of thing that lowering writes.
struct Lowerer<'a> {
    input: Input<'a>,
    /// The place in the text that is being lowered.
    cursor: Cursor<'a>,
    diagnostics: Diagnostics<'a>,
    omissions: Omissions,
    types: TypeTable,
    /// The names that are visible.
    scopes: Scopes,
    /// Which symbol each name with linkage denotes.
    linkage: Linkage,
    /// What is learnt of these names while lowering.
    symbols: Symbols,
    objects: Objects,
    literals: Literals,
    /// The contents of `constexpr` objects.
    named_constants: NamedConstants,
    functions: Functions,
    /// The function into which instructions are emitted.
    function: FunctionBuilder,
    start: StartFunction,
    /// The control structures around the current statement.
    control: Control,
    sequencing: Sequencing,
    own_text: OwnText,
    uses: Uses,
    /// Functions that run before and after `main`.
    lifecycle: Lifecycle,
    long_jumps: LongJumps,
    argument_counts: ArgumentCounts,
    nested: NestedFunctions,
    /// What the inputs of a generated entry are, from the last to the first.
    entry_inputs: Vec<String>,
    /// The entry as a C file.
    entry_text: Option<String>,
}

/// The assumption recorded where pointers to characters are compared, if there are equal literals.
const ONE_LITERAL: &str = "equal string literals are one object";

/// The name of the start function.
const START: &str = "<start>";

impl<'a> Lowerer<'a> {
    fn new(
        input: Input<'a>,
        first: &'a ParsedUnit,
        conflicts: FxHashMap<sequencing::Key, sequencing::Conflict>,
        left_out: LeftOut,
    ) -> Self {
        let builder =
            || FunctionBuilder::new(Functions::START, START.to_owned(), Type::VOID, Span::NONE);
        let types = TypeTable::new(input.data_model());
        let linkage = Linkage::new(input.units());
        let cursor = Cursor::new(first);
        let mut lowerer = Self {
            input,
            cursor,
            diagnostics: Diagnostics::default(),
            omissions: Omissions::new(left_out),
            types,
            scopes: Scopes::new(),
            linkage,
            symbols: Symbols::default(),
            objects: Objects::default(),
            literals: Literals::default(),
            named_constants: NamedConstants::default(),
            functions: Functions::new(),
            function: builder(),
            start: StartFunction::new(builder()),
            control: Control::default(),
            sequencing: Sequencing::new(conflicts),
            own_text: OwnText::new(),
            uses: Uses::default(),
            lifecycle: Lifecycle::default(),
            long_jumps: LongJumps::default(),
            argument_counts: ArgumentCounts::default(),
            nested: NestedFunctions::default(),
            entry_inputs: Vec::new(),
            entry_text: None,
        };
        lowerer.declare_builtin_types();
        lowerer
    }

    fn lower(mut self) -> Result<Attempt> {
        self.declarations()?;
        if !self.omissions.has_failures() {
            self.complete()?;
        }
        let mut failures = self.omissions.take_failures().into_iter();
        match failures.next() {
            Some(first) => Ok(Attempt::Failed(first, failures.collect())),
            None => self.finish(),
        }
    }

    fn declarations(&mut self) -> Result<()> {
        self.note_all_linkage()?;
        let units = self.input.units();
        for (file, unit) in units.iter().enumerate() {
            self.enter_file(file);
            for declaration in &unit.declarations {
                self.announce_function(&declaration.node.node);
            }
            self.note_file_scope_assembly(unit);
            self.note_left_out(unit);
        }
        let first_names = self.scopes.first_names();
        let entry_file = self.file_of_entry()?;
        let mut entry_names = None;
        for (file, unit) in units.iter().enumerate() {
            self.enter_file(file);
            self.declare_left_out();
            self.declarations_of(unit)?;
            if entry_file == Some(file) {
                entry_names = Some(self.scopes.first_names());
            }
            if units.len() > 1 {
                self.link_file()?;
                self.scopes.begin_file(&first_names);
            }
        }
        if units.len() > 1 {
            self.scopes.linked = std::mem::take(&mut self.scopes.other_files);
        }
        if let (Some(file), Some(names)) = (entry_file, entry_names)
            && !self.omissions.has_failures()
        {
            self.enter_file(file);
            self.scopes.begin_file(&names);
            self.lower_entry(&units[file])?;
        }
        self.linkage.files.leave();
        Ok(())
    }

    /// Goes to a file of the program.
    fn enter_file(&mut self, file: usize) {
        self.linkage.files.enter(file);
        if let Some(unit) = self.input.units().get(file) {
            self.cursor.enter_file(unit);
            self.types.compares_members = unit.dialect.is_c23;
        }
    }

    /// Lowers the declarations of a file.
    fn declarations_of(&mut self, parsed: &'a ParsedUnit) -> Result<()> {
        let mut unknown_attributes = unknown_attributes(parsed);
        for (number, declaration) in parsed.declarations.iter().enumerate() {
            let start = declaration.node.span.start;
            self.cursor.enter_declaration(declaration.origin, start);
            let ignored = unknown_attributes.remove(&number).unwrap_or_default();
            self.diagnostics.set_ignored(ignored);
            if self.is_left_out(&declaration.node) {
                continue;
            }
            if let Err(error) = self.external_declaration(&declaration.node) {
                self.note_failure(&declaration.node, error)?;
            }
            if self.diagnostics.has_ignored() {
                self.in_start(Self::note_ignored_attributes);
            }
        }
        self.cursor.leave_text();
        Ok(())
    }

    /// Lowers what follows the program's own text.
    fn complete(&mut self) -> Result<()> {
        self.finish_unmodelled_functions();
        self.finish_nested();
        self.note_library_objects();
        self.lower_prelude()?;
        self.want_exit_functions()?;
        self.finish_globals()?;
        self.initialise_library_objects()
    }

    /// Records the unknown attributes of the current declaration in the assumption ledger.
    fn note_ignored_attributes(&mut self) {
        let span = self.cursor.span();
        for warning in self.diagnostics.take_ignored() {
            self.cursor.set_span(warning.span);
            self.note_assumption(AssumptionKind::IgnoredAttribute, &*warning.message);
        }
        self.cursor.set_span(span);
    }

    fn finish(mut self) -> Result<Attempt> {
        self.cursor.leave_text();
        let last = self.input.units().last();
        let sources = last.map_or_else(SourceMap::default, |last| last.positions.source_map());
        self.start.exchange(&mut self.function);
        self.call_main()?;
        let rest = FunctionBuilder::new(Functions::START, String::new(), Type::VOID, Span::NONE);
        let start = std::mem::replace(&mut self.function, rest);
        self.warn_about_property();
        self.functions.finish(Functions::START, start.finish());
        self.finish_exits();
        self.expose_to_assembly();
        // An announced function without a body is never called: a call would have been an error.
        let functions = self.functions.take_all().into_iter();
        let mut functions: Vec<Function> = functions
            .map(|function| function.unwrap_or_else(unreachable_function))
            .collect();
        if !self.literals.has_equal_strings() {
            forget_one_literal(&mut functions);
        }
        self.reconcile_calls(&mut functions);
        let conflicts = self.find_conflicts(&functions);
        self.add_interrupts(&mut functions, Functions::START)?;
        let (outside, late) = self.finish_outside(&mut functions);
        self.finish_long_jumps(&mut functions, Functions::START);
        self.finish_flags(&mut functions);
        let objects = self.objects.finish();
        Ok(Attempt::Done(Box::new(Lowering {
            late,
            unit: Unit {
                sources,
                data_model: self.input.data_model(),
                objects: objects.objects,
                functions,
                start: Functions::START,
                dynamic_rounding: self.uses.rounding(),
                outside,
                devices: self.input.devices().clone(),
                volatile: objects.volatile,
                signalled: objects.signalled,
                externals: self.symbols.into_externals(),
                names: self.scopes.take_names(&self.types),
                texts: self.literals.into_texts(),
                entry: self.entry_text,
            },
            warnings: self.diagnostics.into_warnings(),
            conflicts,
        })))
    }
}

/// The warnings about unknown attributes, by the number of the declaration that contains them.
fn unknown_attributes(parsed: &ParsedUnit) -> FxHashMap<usize, Vec<&Warning>> {
    let mut result: FxHashMap<usize, Vec<&Warning>> = FxHashMap::default();
    if parsed.warnings.is_empty() {
        return result;
    }
    let declarations = parsed.declarations.iter().map(|declaration| {
        let start = declaration.node.span.start;
        parsed.positions.span(declaration.origin, start)
    });
    let starts: Vec<Span> = declarations.collect();
    for warning in &parsed.warnings {
        let place = |span: Span| (span.line, span.column);
        let before = starts.iter().enumerate().filter(|(_, start)| {
            start.file == warning.span.file && place(**start) <= place(warning.span)
        });
        let inside = before.max_by_key(|(_, start)| place(**start));
        let number = inside.map_or(0, |(number, _)| number);
        result.entry(number).or_default().push(warning);
    }
    result
}

/// Removes the assumptions about equal string literals from a program that has none.
fn forget_one_literal(functions: &mut [Function]) {
    let blocks = functions
        .iter_mut()
        .flat_map(|function| &mut function.blocks);
    for block in blocks {
        block.instructions.retain(|(instruction, _)| {
            !matches!(instruction, Instruction::Assumption { what, .. } if what == ONE_LITERAL)
        });
    }
}

fn unreachable_function() -> Function {
    FunctionBuilder::new(FunctionIndex(0), String::new(), Type::VOID, Span::NONE).finish()
}

/// A block of generated code, without source positions.
fn block(instructions: Vec<Instruction>, terminator: Terminator) -> Block {
    let instructions = instructions.into_iter();
    Block {
        label: None,
        instructions: instructions.map(|one| (one, Span::NONE)).collect(),
        terminator,
        span: Span::NONE,
        turns: Vec::new(),
    }
}
