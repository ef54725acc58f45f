//! Lowering: translates the syntax tree into the typed intermediate representation.
//!
//! One pass visits the declarations in source order. [`state`] has the names in scope and the function under
//! construction; [`declarations`] build types and create objects with [`initializer`]; [`statements`] create basic blocks;
//! [`expressions`], [`calls`] and [`vectors`] build pure expressions and emit instructions for side effects;
//! [`environment`] is what is around the program. [`left_out`] are the parts of a program that are not modelled.
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
mod declarations;
mod environment;
mod expressions;
mod initializer;
mod left_out;
mod sequencing;
mod state;
mod statements;
mod vectors;

use std::ops::Range;
use std::rc::Rc;

use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{
    Block, BlockIndex, Devices, Expr, Function, FunctionIndex, Instruction, Leaf, Object,
    ObjectIndex, Place, ScalarType, Storage, Terminator, Unit, UnknownEffect,
};
use crate::memory::walk::scalar_bits;
use crate::parse::ParsedUnit;
use crate::position::Origin;
use crate::types::layout::LayoutError;
use crate::types::{Qualifiers, Type, TypeKind, TypeTable};
use regatta_base::diagnostic::{Error, ErrorKind, Warning};
use regatta_program::{AssumptionKind, DataModel, External, Span, Waypoint, WaypointKind};

use calls::variadic;
use declarations::{constexpr, inline, linkage, nested};
use environment::exit::{self, Late};
use expressions::fold;
use left_out::{Failing, Failure, LeftOut};
use sequencing::{Sequencing, Step};
use state::builder::{Effect, FunctionBuilder};
use state::scope::{self, Scopes};
use statements::{long_jump, statement};
use vectors::parts;

use crate::property::Specification;

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
}

/// Lowers a parsed program. The caller must run it under [`crate::parse::with_large_stack`].
///
/// # Errors
/// If something in the program is invalid or not modelled.
pub fn lower(
    parsed: &ParsedUnit,
    property: &Specification,
    options: &LowerOptions,
) -> Result<(Unit, Vec<Warning>)> {
    lower_in_parts(parsed, property, options, &|_| false)
}

/// Like [`lower`], but leaves out what is not modelled if a compiler accepts the program's text (see [`left_out`]).
///
/// # Errors
/// If something in the program is invalid.
pub fn lower_in_parts(
    parsed: &ParsedUnit,
    property: &Specification,
    options: &LowerOptions,
    is_accepted: &dyn Fn(&[u8]) -> bool,
) -> Result<(Unit, Vec<Warning>)> {
    let placed = |error: Error| match parsed.positions.place(error.span()) {
        Some(place) if error.place().is_none() => error.at(place),
        _ => error,
    };
    let mut left_out = LeftOut::default();
    loop {
        let lowered = |late, conflicts| {
            let options = options.clone();
            let left_out = left_out.clone();
            Lowerer::new(parsed, property, options, late, conflicts, left_out).lower()
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
                if !is_accepted(parsed.positions.text()) || !left_out.extend(failures) {
                    return Err(placed(error));
                }
            }
        }
    }
}

/// Checks whether a word occurs more than once in a text, apart from names of headers.
fn is_named_twice(text: &[u8], word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let places = text.windows(word.len()).enumerate();
    let places = places.filter_map(|(at, part)| (part == word).then_some(at));
    let mut found = places.filter(|&at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let after = text.get(at + word.len());
        let is_header = before == Some(&b'/') && matches!(after, Some(b'.' | b'-'));
        !before.is_some_and(is_part) && !after.is_some_and(is_part) && !is_header
    });
    found.nth(1).is_some()
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

/// The state of lowering one program.
struct Lowerer<'a> {
    property: &'a Specification,
    options: LowerOptions,
    /// The late actions found by an earlier attempt; what only they could observe is otherwise left out.
    late: Late,
    uses_streams: bool,
    parsed: &'a ParsedUnit,
    /// The source text being lowered; `None` for the verifier's own text, which has no source positions.
    origin: Option<Origin>,
    types: TypeTable,
    scopes: Scopes,
    /// The names of the verifier's own text (the prelude), kept apart from the program's.
    prelude_scopes: Scopes,
    /// The types of library functions according to the library's prototypes.
    library_types: FxHashMap<&'static str, Option<Type>>,
    /// Prelude functions that are used and not lowered yet.
    wanted_prelude: Vec<String>,
    /// Generated functions: by the suffix of their name, and their texts by name.
    generated: FxHashMap<String, String>,
    generated_texts: FxHashMap<String, String>,
    /// The library's objects that the program declares, by name.
    program_objects: FxHashMap<&'static str, scope::Symbol>,
    objects: Vec<Object>,
    /// By object: whether it is a temporary that is assigned once, before it is read.
    temporaries: Vec<bool>,
    functions: Vec<Option<Function>>,
    /// Constant values with several parts, by the objects that hold them.
    known_parts: FxHashMap<ObjectIndex, parts::KnownParts>,
    /// Objects whose contents are constant at translation time: `const` objects and literals.
    constants: FxHashSet<ObjectIndex>,
    volatile: FxHashSet<ObjectIndex>,
    /// The contents of `constexpr` objects.
    named_constants: constexpr::NamedConstants,
    /// The volatile objects of type `sig_atomic_t`.
    signalled: FxHashSet<ObjectIndex>,
    /// Whether the current declaration specifiers name `sig_atomic_t`.
    names_signal_type: bool,
    /// The functions that have a body in the program.
    defined: FxHashMap<Rc<str>, FunctionIndex>,
    /// The bodies of inline definitions, which differ from the external definitions of their names.
    inline_bodies: FxHashMap<Rc<str>, inline::Body>,
    /// The functions with internal linkage.
    internal: FxHashSet<String>,
    /// The function into which instructions are emitted.
    function: FunctionBuilder,
    /// The start function; swapped with `function` while a static object is initialised.
    start: FunctionBuilder,
    /// Whether `function` and `start` are swapped.
    in_start: bool,
    /// The control structures around the current statement.
    jumps: statement::Jumps,
    /// Whether the program contains two equal string literals.
    repeats_literals: bool,
    /// Whether the current declaration is in a system header.
    in_system_header: bool,
    /// The functions that were first declared in a system header.
    system_functions: FxHashSet<Rc<str>>,
    /// The objects that were declared in a system header.
    system_objects: FxHashSet<ObjectIndex>,
    /// String literals by contents and width.
    strings: FxHashMap<(Vec<u32>, u8), ObjectIndex>,
    /// The objects for `__func__` and its variants, by function and spelling.
    function_names: FxHashMap<String, (ObjectIndex, Type)>,
    /// Which symbol each name with linkage denotes.
    linkage: linkage::Linkage,
    /// Functions that run before and after `main`.
    lifecycle: exit::Lifecycle,
    /// The alignments that attributes give functions, in bytes.
    function_alignments: FxHashMap<Rc<str>, u64>,
    /// The symbols that the program uses and does not define.
    externals: Vec<External>,
    warnings: Vec<Warning>,
    /// The unknown attributes of the current declaration.
    ignored: Vec<&'a Warning>,
    /// The source position of the node being lowered.
    span: Span,
    /// The innermost call being lowered, as a range of the text.
    call: Option<Range<usize>>,
    dynamic_rounding: bool,
    /// Whether the expression of a witness is being lowered (see [`expressions::defined`]).
    is_watched: bool,
    /// Whether the program's text contains `errno`, or its expansion, more than once.
    names_errno: bool,
    /// Whether the program's text uses the object that points to the environment's strings (`environ`).
    names_environment: bool,
    /// Whether the assembly statement lowered last has no effect.
    assembly_goes_on: bool,
    /// Whether some assembly may access the program's symbols.
    has_assembly: bool,
    /// The compound literals in functions that are static objects, by the address of their syntax node.
    static_literals: FxHashMap<usize, (ObjectIndex, Type)>,
    /// Constructs that are not modelled and have been reported once.
    refused: FxHashSet<String>,
    sequencing: Sequencing,
    long_jumps: long_jump::LongJumps,
    argument_counts: variadic::ArgumentCounts,
    nested: nested::NestedFunctions,
    /// The declarations that are left out of the program.
    left_out: LeftOut,
    /// File-scope names of the declarations that are left out.
    unmodelled: FxHashSet<Rc<str>>,
    /// The functions whose bodies are left out.
    unmodelled_functions: Vec<(FunctionIndex, Function)>,
    failing: Failing,
    failures: Vec<Failure>,
}

/// The assumption recorded where pointers to characters are compared, if there are equal literals.
const ONE_LITERAL: &str = "equal string literals are one object";

/// The name of [`Lowerer::start`].
const START: &str = "<start>";

impl<'a> Lowerer<'a> {
    /// Checks whether the current text is C23.
    fn is_c23(&self) -> bool {
        self.origin.is_some() && self.parsed.dialect.is_c23
    }

    /// Checks whether the current text is C23 because the user selected that standard.
    fn is_c23_alone(&self) -> bool {
        self.origin.is_some() && self.parsed.dialect.is_c23_alone()
    }

    fn new(
        parsed: &'a ParsedUnit,
        property: &'a Specification,
        options: LowerOptions,
        late: Late,
        conflicts: FxHashMap<sequencing::Key, sequencing::Conflict>,
        left_out: LeftOut,
    ) -> Self {
        let start = FunctionIndex(0);
        let builder = || FunctionBuilder::new(start, START.to_owned(), Type::VOID, Span::NONE);
        let mut types = TypeTable::new(options.data_model);
        types.compares_members = parsed.dialect.is_c23;
        let mut lowerer = Self {
            property,
            late,
            uses_streams: false,
            parsed,
            origin: None,
            types,
            options,
            scopes: Scopes::new(),
            prelude_scopes: Scopes::new(),
            library_types: FxHashMap::default(),
            wanted_prelude: Vec::new(),
            generated: FxHashMap::default(),
            generated_texts: FxHashMap::default(),
            program_objects: FxHashMap::default(),
            objects: Vec::new(),
            temporaries: Vec::new(),
            functions: vec![None],
            known_parts: FxHashMap::default(),
            constants: FxHashSet::default(),
            volatile: FxHashSet::default(),
            named_constants: constexpr::NamedConstants::default(),
            signalled: FxHashSet::default(),
            names_signal_type: false,
            defined: FxHashMap::default(),
            inline_bodies: FxHashMap::default(),
            internal: FxHashSet::default(),
            function: builder(),
            start: builder(),
            in_start: false,
            jumps: statement::Jumps::default(),
            repeats_literals: false,
            in_system_header: false,
            system_functions: FxHashSet::default(),
            system_objects: FxHashSet::default(),
            strings: FxHashMap::default(),
            function_names: FxHashMap::default(),
            linkage: linkage::Linkage::default(),
            lifecycle: exit::Lifecycle::default(),
            function_alignments: FxHashMap::default(),
            externals: Vec::new(),
            warnings: Vec::new(),
            ignored: Vec::new(),
            span: Span::NONE,
            call: None,
            dynamic_rounding: false,
            is_watched: false,
            names_errno: [&b"errno"[..], b"__errno_location"]
                .iter()
                .any(|name| is_named_twice(parsed.positions.text(), name)),
            names_environment: false,
            assembly_goes_on: false,
            has_assembly: false,
            static_literals: FxHashMap::default(),
            refused: FxHashSet::default(),
            sequencing: Sequencing::new(conflicts),
            long_jumps: long_jump::LongJumps::default(),
            argument_counts: variadic::ArgumentCounts::default(),
            nested: nested::NestedFunctions::default(),
            left_out,
            unmodelled: FxHashSet::default(),
            unmodelled_functions: Vec::new(),
            failing: Failing::default(),
            failures: Vec::new(),
        };
        lowerer.declare_builtin_types();
        lowerer
    }

    fn lower(mut self) -> Result<Attempt> {
        self.declarations()?;
        if self.failures.is_empty() {
            self.complete()?;
        }
        let mut failures = std::mem::take(&mut self.failures).into_iter();
        match failures.next() {
            Some(first) => Ok(Attempt::Failed(first, failures.collect())),
            None => self.finish(),
        }
    }

    fn declarations(&mut self) -> Result<()> {
        let parsed = self.parsed;
        self.note_all_linkage();
        for declaration in &parsed.declarations {
            self.announce_function(&declaration.node.node);
        }
        self.note_file_scope_assembly();
        self.note_left_out();
        let mut unknown_attributes = self.unknown_attributes();
        for (number, declaration) in parsed.declarations.iter().enumerate() {
            self.origin = Some(declaration.origin);
            let start = declaration.node.span.start;
            self.in_system_header = parsed.positions.is_from_system(declaration.origin, start);
            self.ignored = unknown_attributes.remove(&number).unwrap_or_default();
            if self.is_left_out(&declaration.node) {
                continue;
            }
            if let Err(error) = self.external_declaration(&declaration.node) {
                self.note_failure(&declaration.node, error)?;
            }
            if !self.ignored.is_empty() {
                self.in_start(Self::note_ignored_attributes);
            }
        }
        self.origin = None;
        self.in_system_header = false;
        self.span = Span::NONE;
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

    /// The warnings about unknown attributes, by the number of the declaration that contains them.
    fn unknown_attributes(&mut self) -> FxHashMap<usize, Vec<&'a Warning>> {
        let parsed = self.parsed;
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

    /// Records the unknown attributes of the current declaration in the assumption ledger.
    fn note_ignored_attributes(&mut self) {
        let span = self.span;
        for warning in std::mem::take(&mut self.ignored) {
            self.span = warning.span;
            self.note_assumption(AssumptionKind::IgnoredAttribute, &*warning.message);
        }
        self.span = span;
    }

    fn finish(mut self) -> Result<Attempt> {
        self.span = Span::NONE;
        let sources = self.parsed.positions.source_map();
        std::mem::swap(&mut self.function, &mut self.start);
        self.call_main()?;
        let start = std::mem::replace(
            &mut self.function,
            FunctionBuilder::new(FunctionIndex(0), String::new(), Type::VOID, Span::NONE),
        );
        self.warn_about_property();
        let start_index = start.index;
        self.functions[start_index.0 as usize] = Some(start.finish());
        self.finish_exits();
        self.expose_to_assembly();
        // An announced function without a body is never called: a call would have been an error.
        let mut functions: Vec<Function> = self
            .functions
            .drain(..)
            .map(|function| function.unwrap_or_else(unreachable_function))
            .collect();
        if !self.repeats_literals {
            for block in functions
                .iter_mut()
                .flat_map(|function| &mut function.blocks)
            {
                block.instructions.retain(|(instruction, _)| {
                    !matches!(instruction, Instruction::Assumption { what, .. } if what == ONE_LITERAL)
                });
            }
        }
        self.reconcile_calls(&mut functions);
        let conflicts = self.find_conflicts(&functions);
        self.add_interrupts(&mut functions, start_index);
        let (outside, late) = self.finish_outside(&mut functions);
        self.finish_long_jumps(&mut functions, start_index);
        Ok(Attempt::Done(Box::new(Lowering {
            late,
            unit: Unit {
                sources,
                data_model: self.options.data_model,
                objects: self.objects,
                functions,
                start: start_index,
                dynamic_rounding: self.dynamic_rounding,
                outside,
                devices: self.options.devices,
                volatile: self.volatile,
                signalled: self.signalled,
                externals: self.externals,
                names: self.scopes.take_names(&self.types),
                texts: self
                    .strings
                    .into_iter()
                    .map(|((units, _), object)| (object, units))
                    .collect(),
            },
            warnings: self.warnings,
            conflicts,
        })))
    }

    // --- places and messages ---

    /// The source position at which a node begins.
    fn place_of<T>(&self, node: &Node<T>) -> Span {
        match self.origin {
            Some(origin) => self.parsed.positions.span(origin, node.span.start),
            None => Span::NONE,
        }
    }

    /// The waypoint at the position where the node begins; `None` in code that is not the user's.
    fn waypoint<T>(&mut self, kind: WaypointKind, node: &Node<T>) -> Option<Waypoint> {
        self.waypoint_at(kind, node.span.start)
    }

    fn waypoint_at(&mut self, kind: WaypointKind, offset: usize) -> Option<Waypoint> {
        let origin = self.origin.filter(|_| !self.in_system_header)?;
        let span = self.parsed.positions.statement_span(origin, offset);
        (span != Span::NONE).then(|| Waypoint {
            kind,
            time: self.scopes.tick(),
            span,
        })
    }

    /// Adds the waypoint, if there is one, to the current block.
    fn pass(&mut self, waypoint: Option<Waypoint>) {
        self.pass_in(self.function.current, waypoint);
    }

    /// Adds the waypoint, if there is one, at the end of the block.
    fn pass_in(&mut self, block: BlockIndex, waypoint: Option<Waypoint>) {
        if let Some(waypoint) = waypoint {
            self.function.pass(block, waypoint);
        }
    }

    /// A type error at the current source position.
    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Type, message).with_span(self.span)
    }

    /// An internal error: the lowering's own results contradict each other.
    fn contradiction(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Internal, message).with_span(self.span)
    }

    /// A type error at a node.
    fn error_at<T>(&self, node: &Node<T>, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Type, message).with_span(self.place_of(node))
    }

    fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(Warning {
            message: message.into(),
            span: self.span,
        });
    }

    /// Turns a layout error into a type error.
    fn laid_out<T>(&self, result: std::result::Result<T, LayoutError>) -> Result<T> {
        result.map_err(|error| self.error(error.to_string()))
    }

    fn size_of(&self, ty: Type) -> Result<u64> {
        self.laid_out(self.types.size_of(ty))
    }

    fn alignment_of(&self, ty: Type) -> Result<u64> {
        self.laid_out(self.types.alignment_of(ty))
    }

    /// The value of `_Alignof` for a type.
    fn member_alignment_of(&self, ty: Type) -> Result<u64> {
        self.laid_out(self.types.member_alignment_of(ty))
    }

    /// The value of `__alignof__` for a type.
    fn preferred_alignment_of(&self, ty: Type) -> Result<u64> {
        self.laid_out(self.types.preferred_alignment_of(ty))
    }

    // --- instructions ---

    fn emit(&mut self, instruction: Instruction) {
        self.log_instruction(&instruction);
        self.function.emit(instruction, Effect::Visible, self.span);
    }

    /// Emits an instruction that cannot change anything that an expression has read before.
    fn emit_fresh(&mut self, instruction: Instruction) {
        self.log_instruction(&instruction);
        self.function.emit(instruction, Effect::Fresh, self.span);
    }

    /// Records an assumption in the ledger from here on; it has no effect in the program.
    fn note_assumption(&mut self, kind: AssumptionKind, what: impl Into<String>) {
        self.emit_fresh(Instruction::Assumption {
            kind,
            what: what.into(),
        });
    }

    /// Records that the program compares pointers of the type, which may point to string literals.
    fn note_pointer_comparison(&mut self, pointer: Type, operands: &[&Expr]) {
        let mut operands = operands.iter();
        if let (Some(target), true) = (self.types.pointee(pointer), self.span.line != 0)
            && self.types.is_integer(target)
            && operands.all(|operand| fold::evaluate(operand).is_none())
        {
            self.note_assumption(AssumptionKind::Layout, ONE_LITERAL);
        }
    }

    /// Emits a construct that is not modelled; lowering continues behind it.
    fn unsupported(&mut self, what: impl Into<String>) {
        let what = what.into();
        self.emit(Instruction::Unsupported(what));
    }

    /// Ends the path here.
    fn end_path(&mut self, terminator: Terminator) {
        match terminator {
            Terminator::End => self.log_step(Step::End),
            Terminator::Error => self.log_step(Step::Error),
            _ => {}
        }
        self.function.end_path(terminator, self.span);
    }

    /// Runs `act` with the start function as the current function.
    fn in_start<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        if std::mem::replace(&mut self.in_start, true) {
            return act(self);
        }
        std::mem::swap(&mut self.function, &mut self.start);
        let result = act(self);
        std::mem::swap(&mut self.function, &mut self.start);
        self.in_start = false;
        result
    }

    /// Checks whether instructions go to the start function.
    fn is_in_start(&self) -> bool {
        self.in_start
    }

    /// Lowers an unevaluated operand: only its type or its constant value is needed.
    fn unevaluated<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let index = self.function.index;
        let name = self.function.name.clone();
        let mut scratch = FunctionBuilder::new(index, name, self.function.result_type, self.span);
        scratch.variable_arguments = self.function.variable_arguments;
        scratch.result = self.function.result;
        scratch.temporaries = self.function.temporaries;
        let saved = std::mem::replace(&mut self.function, scratch);
        let jumps = std::mem::take(&mut self.jumps);
        let log = self.sequencing.suspend();
        let result = act(self);
        self.sequencing.resume(log);
        self.jumps = jumps;
        let scratch = std::mem::replace(&mut self.function, saved);
        self.function.temporaries = self.function.temporaries.max(scratch.temporaries);
        result
    }

    // --- objects ---

    fn add_object(
        &mut self,
        name: String,
        ty: Type,
        storage: Storage,
        span: Span,
    ) -> Result<ObjectIndex> {
        let (size, alignment) = if self.types.is_complete(ty) {
            (self.size_of(ty)?, self.alignment_of(ty)?)
        } else {
            (0, 1)
        };
        let leaves = self.types.leaves(ty);
        let mut element = ty;
        while let TypeKind::Array { element: inner, .. } = *self.types.kind(element) {
            element = inner.qualified(element.qualifiers);
        }
        let is_const = element.qualifiers.contains(Qualifiers::CONST);
        let is_volatile = element.qualifiers.contains(Qualifiers::VOLATILE);
        let object = self.push_object(Object {
            name,
            size,
            alignment,
            storage,
            constant: is_const && !is_volatile,
            leaves,
            blocks: Vec::new(),
            span,
        });
        if is_const {
            self.constants.insert(object);
        }
        if is_volatile {
            self.volatile.insert(object);
            if self.names_signal_type && self.types.is_integer(element) {
                self.signalled.insert(object);
            }
        }
        Ok(object)
    }

    fn push_object(&mut self, mut object: Object) -> ObjectIndex {
        if matches!(object.storage, Storage::Automatic(_)) {
            object.blocks = self.scopes.blocks();
        }
        self.objects.push(object);
        self.temporaries.push(false);
        ObjectIndex(self.objects.len() as u32 - 1)
    }

    /// Creates a scalar temporary of the current function.
    fn temporary(&mut self, scalar: ScalarType) -> ObjectIndex {
        let (size, alignment) = self.scalar_layout(scalar);
        let bits = scalar_bits(scalar, self.options.data_model.pointer_bits());
        let index = self.push_object(Object {
            name: self.temporary_name(),
            size,
            alignment,
            storage: Storage::Automatic(self.function.index),
            constant: false,
            leaves: vec![Leaf {
                bit_offset: 0,
                bits,
                scalar,
                count: 1,
                stride: u64::from(bits),
            }],
            blocks: Vec::new(),
            span: self.span,
        });
        self.temporaries[index.0 as usize] = true;
        self.function.temporaries += 1;
        index
    }

    fn temporary_object(&mut self, ty: Type) -> Result<ObjectIndex> {
        let name = self.temporary_name();
        self.function.temporaries += 1;
        let storage = Storage::Automatic(self.function.index);
        self.add_object(name, ty, storage, self.span)
    }

    fn temporary_name(&self) -> String {
        format!("{}::#{}", self.function.name, self.function.temporaries)
    }

    fn scalar_layout(&self, scalar: ScalarType) -> (u64, u64) {
        use regatta_term::FloatFormat;
        let ilp32 = self.options.data_model == DataModel::Ilp32;
        let (size, alignment): (u64, u64) = match scalar {
            ScalarType::Bool => (1, 1),
            ScalarType::Integer { bits, .. } => {
                let size = u64::from(bits).div_ceil(8).next_power_of_two();
                (size, size)
            }
            ScalarType::Float(FloatFormat::F16) => (2, 2),
            ScalarType::Float(FloatFormat::F32) => (4, 4),
            ScalarType::Float(FloatFormat::F64) => (8, 8),
            ScalarType::Float(FloatFormat::F80) if ilp32 => (12, 4),
            ScalarType::Float(FloatFormat::F80 | FloatFormat::F128) => (16, 16),
            ScalarType::Pointer => {
                let size = u64::from(self.options.data_model.pointer_bits()) / 8;
                (size, size)
            }
        };
        (size, if ilp32 { alignment.min(4) } else { alignment })
    }

    fn object_place(&self, object: ObjectIndex, scalar: ScalarType) -> Place {
        Place::new(Expr::ObjectAddress(object), scalar)
    }

    fn load_object(&self, object: ObjectIndex, scalar: ScalarType) -> Expr {
        Expr::Load(self.object_place(object, scalar))
    }

    /// The signed integer type as wide as a pointer.
    fn offset_scalar(&self) -> ScalarType {
        ScalarType::Integer {
            bits: self.options.data_model.pointer_bits(),
            signed: true,
        }
    }

    fn size_scalar(&self) -> ScalarType {
        ScalarType::Integer {
            bits: self.options.data_model.pointer_bits(),
            signed: false,
        }
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
