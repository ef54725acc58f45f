//! Compilation of terms.
//!
//! A term is computed once for each edge: its register is cached until a variable in it is written. Operands that may fault
//! are computed only where their guard holds ([`Op::Ite`], [`Op::And`], [`Op::Or`]); terms that were cached under a guard
//! are removed from the cache after it. Traversal is iterative, except for nested guards; beyond
//! [`MAXIMUM_GUARD_DEPTH`] all operands are computed, which at worst records a spurious fault.

use rustc_hash::FxHashMap;

use super::assembler::{Assembler, Label};
use super::facts::{FactTable, VariableFilter};
use crate::interpreter::code::bytecode::{General, Instruction, IntegerRelation, Place, Register};
use crate::interpreter::limits::{MAXIMUM_GUARD_DEPTH, MAXIMUM_GUARDED_INSTRUCTIONS};
use crate::interpreter::state::bit_pattern::Class;
use crate::{Program, VariableId};
use regatta_term::{Constant, Op, Pool, Sort, TermId, TermKind, Value, store};

/// The description of a term that the machine cannot compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotCompiled(pub(crate) String);

/// The result of compiling a part of an edge.
pub(crate) type Compiled<T> = Result<T, NotCompiled>;

/// The compiler of terms; the compiler of edges adds the effects.
pub(crate) struct Expressions {
    pub(crate) assembler: Assembler,
    pub(crate) facts: FactTable,
    /// The register of each variable.
    pub(crate) places: Vec<Place>,
    pub(crate) general: Vec<General>,
    /// Variables whose new value is in a temporary, not in the variable's register yet.
    pub(crate) renamed: FxHashMap<VariableId, Place>,
    /// The registers of computed terms, with the variables that the values depend on.
    remembered: FxHashMap<TermId, (Place, VariableFilter)>,
    /// The keys of `remembered`, in the order of insertion.
    trail: Vec<TermId>,
    guards: u32,
    edge_start: usize,
}

pub(crate) fn narrow(place: Place) -> Compiled<Register> {
    match place {
        Place::Narrow(register) => Ok(register),
        other => Err(NotCompiled(format!(
            "a value of up to 64 bits was expected in {other:?}"
        ))),
    }
}

fn integer(place: Place) -> Compiled<Register> {
    match place {
        Place::Integer(register) => Ok(register),
        other => Err(NotCompiled(format!("an integer was expected in {other:?}"))),
    }
}

impl Expressions {
    /// Creates a compiler without code.
    pub(crate) fn new(program: &Program, assembler: Assembler, places: Vec<Place>) -> Self {
        Self {
            assembler,
            facts: FactTable::new(program),
            places,
            general: Vec::new(),
            renamed: FxHashMap::default(),
            remembered: FxHashMap::default(),
            trail: Vec::new(),
            guards: 0,
            edge_start: 0,
        }
    }

    /// Starts an edge, with an empty cache.
    pub(crate) fn start_edge(&mut self) {
        self.remembered.clear();
        self.trail.clear();
        self.renamed.clear();
        self.guards = 0;
        self.edge_start = self.assembler.code.len();
        self.assembler.release_temporaries();
    }

    /// Removes the terms that depend on a changed variable from the cache.
    pub(crate) fn changed(&mut self, variable: VariableId) {
        let changed = VariableFilter::of(variable);
        self.remembered
            .retain(|_, (_, variables)| !variables.may_meet(changed));
    }

    /// Records that the variable holds the term's value now.
    pub(crate) fn remember_in_variable(
        &mut self,
        term: TermId,
        variable: VariableId,
        place: Place,
    ) {
        let filter = self.facts.get(term).variables;
        if !filter.may_meet(VariableFilter::of(variable)) {
            self.remember(term, place, filter.or(VariableFilter::of(variable)));
        }
    }

    fn remember(&mut self, term: TermId, place: Place, variables: VariableFilter) {
        self.remembered.insert(term, (place, variables));
        self.trail.push(term);
    }

    /// Starts a part of the code that is executed conditionally.
    fn enter_guard(&mut self) -> usize {
        self.guards += 1;
        self.trail.len()
    }

    /// Ends a conditional part: the terms computed in it are removed from the cache.
    fn leave_guard(&mut self, start: usize) {
        self.guards -= 1;
        for term in self.trail.drain(start..) {
            self.remembered.remove(&term);
        }
    }

    /// Whether the limits allow further guards.
    fn guards_allowed(&self) -> bool {
        self.guards < MAXIMUM_GUARD_DEPTH
            && self.assembler.code.len() - self.edge_start < MAXIMUM_GUARDED_INSTRUCTIONS
    }

    /// Whether one of the terms may fault and needs its guard.
    fn guarded(&mut self, terms: &[TermId]) -> bool {
        self.guards_allowed() && terms.iter().any(|term| self.facts.get(*term).may_fault)
    }

    /// The register of the term's value, if no code is needed to compute it.
    pub(crate) fn known(&mut self, term: TermId) -> Compiled<Option<Place>> {
        if let Some((place, _)) = self.remembered.get(&term) {
            return Ok(Some(*place));
        }
        match store().kind(term) {
            TermKind::Constant(constant) => Ok(Some(self.assembler.constant(&constant.to_value()))),
            TermKind::Variable { symbol, .. } => match self.facts.variable(symbol) {
                Some(variable) => Ok(Some(self.place(variable))),
                None => Err(NotCompiled(format!(
                    "no variable of the program is called {symbol}"
                ))),
            },
            TermKind::Apply { .. } => Ok(None),
        }
    }

    /// The register of the variable's current value.
    pub(crate) fn place(&self, variable: VariableId) -> Place {
        match self.renamed.get(&variable) {
            Some(place) => *place,
            None => self.places[variable.index()],
        }
    }

    /// Emits code that computes the term; returns the register of the value.
    pub(crate) fn value(&mut self, root: TermId) -> Compiled<Place> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.known(term)?.is_some() {
                stack.pop();
                continue;
            }
            let Some((op, arguments)) = store().as_application(term) else {
                stack.pop();
                continue;
            };
            let needed = stack.len();
            for operand in self.operands_first(term, op, arguments) {
                if self.known(operand)?.is_none() {
                    stack.push(operand);
                }
            }
            if stack.len() > needed {
                continue;
            }
            stack.pop();
            let place = self.apply(term, op, arguments)?;
            let variables = self.facts.get(term).variables;
            self.remember(term, place, variables);
        }
        match self.known(root)? {
            Some(place) => Ok(place),
            None => Err(NotCompiled("a term without a value".to_owned())),
        }
    }

    /// The operands that must be computed before [`Self::apply`]; it computes the others itself.
    fn operands_first(&mut self, term: TermId, op: Op, arguments: &[TermId]) -> Vec<TermId> {
        match (op, arguments) {
            (Op::Ite, &[_, then, otherwise])
                if store().sort(term).is_array() || self.guarded(&[then, otherwise]) =>
            {
                Vec::new()
            }
            (Op::And | Op::Or, _) if self.guarded(arguments) => Vec::new(),
            (Op::Select, &[_, index]) => vec![index],
            (Op::Concat, _) => match self.byte_run(term) {
                Some(run) => run.index_operands(),
                None => arguments.to_vec(),
            },
            (Op::Eq, &[left, _]) if store().sort(left).is_array() => Vec::new(),
            (Op::BvAdd | Op::IntAdd, &[left, right]) => match negated(right) {
                Some(subtrahend) => vec![left, subtrahend],
                None => match negated(left) {
                    Some(subtrahend) => vec![right, subtrahend],
                    None => vec![left, right],
                },
            },
            (Op::Store | Op::ConstArray, _) => Vec::new(),
            _ => arguments.to_vec(),
        }
    }

    /// The register of an operand's value.
    fn operand(&mut self, term: TermId) -> Compiled<Place> {
        match self.known(term)? {
            Some(place) => Ok(place),
            None => self.value(term),
        }
    }

    pub(crate) fn narrow_operand(&mut self, term: TermId) -> Compiled<Register> {
        narrow(self.operand(term)?)
    }

    pub(crate) fn integer_operand(&mut self, term: TermId) -> Compiled<Register> {
        integer(self.operand(term)?)
    }

    /// Emits an application's code. The operands of [`Self::operands_first`] have been computed.
    fn apply(&mut self, term: TermId, op: Op, arguments: &[TermId]) -> Compiled<Place> {
        let sort = store().sort(term);
        match (op, arguments) {
            (Op::Ite, &[condition, then, otherwise]) => {
                self.conditional(sort, condition, then, otherwise)
            }
            (Op::And | Op::Or, _) => self.connective(term, op, arguments),
            (Op::Select, &[array, index]) => {
                let index = self.operand(index)?;
                self.select(array, index, sort)
            }
            (Op::Concat, _) if self.byte_run(term).is_some() => self.load_bytes(term),
            (Op::Store | Op::ConstArray, _) => {
                let array = self.temporary_array(term)?;
                Ok(Place::Array(array))
            }
            (Op::Eq, &[left, right]) if store().sort(left).is_array() => {
                let left = Place::Array(self.temporary_array(left)?);
                let right = Place::Array(self.temporary_array(right)?);
                let array = store().sort(arguments[0]);
                self.general_on(op, sort, vec![(left, array), (right, array)])
            }
            _ => match self.scalar(op, sort, arguments)? {
                Some(place) => Ok(place),
                None => {
                    let mut places = Vec::with_capacity(arguments.len());
                    for argument in arguments {
                        places.push((self.operand(*argument)?, store().sort(*argument)));
                    }
                    self.general_on(op, sort, places)
                }
            },
        }
    }

    /// Emits the application of an operator without an instruction of its own.
    fn general_on(&mut self, op: Op, sort: Sort, arguments: Vec<(Place, Sort)>) -> Compiled<Place> {
        let Some(scalar) = sort.scalar() else {
            return Err(NotCompiled(format!("{op:?} makes an array")));
        };
        let to = self.assembler.temporary(Class::of(scalar));
        let site = self.general.len() as u32;
        self.general.push(General {
            op,
            sort,
            arguments,
            to,
        });
        self.assembler.emit(Instruction::General { site });
        Ok(to)
    }

    fn conditional(
        &mut self,
        sort: Sort,
        condition: TermId,
        then: TermId,
        otherwise: TermId,
    ) -> Compiled<Place> {
        let Some(scalar) = sort.scalar() else {
            return Err(NotCompiled(
                "a choice between arrays as a scalar".to_owned(),
            ));
        };
        if !self.guarded(&[then, otherwise]) {
            let condition = self.narrow_operand(condition)?;
            let (then, otherwise) = (self.operand(then)?, self.operand(otherwise)?);
            let to = self.assembler.temporary(Class::of(scalar));
            self.assembler.copy(to, otherwise);
            self.assembler.emit(match (to, then) {
                (Place::Narrow(to), Place::Narrow(from)) => Instruction::MoveIf {
                    to,
                    condition,
                    from,
                },
                (Place::Wide(to), Place::Wide(from)) => Instruction::WideMoveIf {
                    to,
                    condition,
                    from,
                },
                (Place::Integer(to), Place::Integer(from)) => Instruction::IntegerMoveIf {
                    to,
                    condition,
                    from,
                },
                _ => return Err(NotCompiled("a choice between sorts".to_owned())),
            });
            return Ok(to);
        }
        let to = self.assembler.temporary(Class::of(scalar));
        let (else_label, end) = (self.assembler.label(), self.assembler.label());
        let start = self.enter_guard();
        self.jump(condition, Truth::False, else_label)?;
        let value = self.value(then)?;
        self.assembler.copy(to, value);
        self.assembler.emit(Instruction::Jump { target: end });
        self.leave_guard(start);
        let start = self.enter_guard();
        self.assembler.place(else_label);
        let value = self.value(otherwise)?;
        self.assembler.copy(to, value);
        self.leave_guard(start);
        self.assembler.place(end);
        Ok(to)
    }

    fn connective(&mut self, term: TermId, op: Op, arguments: &[TermId]) -> Compiled<Place> {
        if self.guarded(arguments) {
            let to = self.assembler.narrow_temporary();
            let (unless, end) = (self.assembler.label(), self.assembler.label());
            let start = self.enter_guard();
            self.jump(term, Truth::False, unless)?;
            let (one, zero) = (
                narrow(self.assembler.constant(&Value::Bool(true)))?,
                narrow(self.assembler.constant(&Value::Bool(false)))?,
            );
            self.assembler.emit(Instruction::Move { to, from: one });
            self.assembler.emit(Instruction::Jump { target: end });
            self.assembler.place(unless);
            self.assembler.emit(Instruction::Move { to, from: zero });
            self.assembler.place(end);
            self.leave_guard(start);
            return Ok(Place::Narrow(to));
        }
        let mut result: Option<Place> = None;
        for argument in arguments {
            let b = self.narrow_operand(*argument)?;
            result = Some(match result {
                None => Place::Narrow(b),
                Some(Place::Narrow(a)) => self.assembler.emit_fresh(Class::Narrow, |to| match op {
                    Op::And => Instruction::And { to, a, b },
                    _ => Instruction::Or { to, a, b },
                }),
                Some(other) => other,
            });
        }
        result.ok_or_else(|| NotCompiled("a connective without operands".to_owned()))
    }

    /// Emits a jump to the label that is taken if the term has the truth value.
    pub(crate) fn jump(&mut self, term: TermId, when: Truth, target: Label) -> Compiled<()> {
        if self.remembered.contains_key(&term) || !self.guards_allowed() {
            return self.jump_on_value(term, when, target);
        }
        match store().kind(term) {
            TermKind::Constant(Constant::Bool(value)) => {
                if value == (when == Truth::True) {
                    self.assembler.emit(Instruction::Jump { target });
                }
                Ok(())
            }
            TermKind::Apply {
                op: Op::Not,
                arguments,
            } => self.jump(arguments[0], when.negated(), target),
            TermKind::Apply {
                op: op @ (Op::And | Op::Or),
                arguments,
            } => self.jump_on_connective(op, arguments, when, target),
            TermKind::Apply {
                op:
                    op
                    @ (Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe),
                arguments: &[a, b],
            } if !store().sort(a).is_array() => {
                self.jump_on_comparison(term, op, a, b, when, target)
            }
            _ => self.jump_on_value(term, when, target),
        }
    }

    fn jump_on_value(&mut self, term: TermId, when: Truth, target: Label) -> Compiled<()> {
        let condition = narrow(self.value(term)?)?;
        self.assembler.emit(match when {
            Truth::True => Instruction::JumpUnlessZero { condition, target },
            Truth::False => Instruction::JumpIfZero { condition, target },
        });
        Ok(())
    }

    /// Emits the jump for a connective. The operands are evaluated from left to right, those that may fault last.
    fn jump_on_connective(
        &mut self,
        op: Op,
        arguments: &[TermId],
        when: Truth,
        target: Label,
    ) -> Compiled<()> {
        let mut ordered = arguments.to_vec();
        ordered.sort_by_key(|argument| self.facts.get(*argument).may_fault);
        let decisive = if op == Op::And {
            Truth::False
        } else {
            Truth::True
        };
        self.guards += 1;
        if when == decisive {
            for argument in ordered {
                self.jump(argument, when, target)?;
            }
        } else {
            let start = self.enter_guard();
            let skip = self.assembler.label();
            let last = ordered.pop();
            for argument in ordered {
                self.jump(argument, decisive, skip)?;
            }
            if let Some(last) = last {
                self.jump(last, when, target)?;
            }
            self.assembler.place(skip);
            self.leave_guard(start);
        }
        self.guards -= 1;
        Ok(())
    }

    fn jump_on_comparison(
        &mut self,
        term: TermId,
        op: Op,
        a: TermId,
        b: TermId,
        when: Truth,
        target: Label,
    ) -> Compiled<()> {
        let sort = store().sort(a);
        let (left, right) = (self.value(a)?, self.value(b)?);
        let instruction = match (left, right) {
            (Place::Narrow(a), Place::Narrow(b)) => {
                let shift = 64 - sort.width().unwrap_or(64) as u8;
                // A jump if the relation holds is a jump unless the converse relation holds.
                let (op, a, b) = match (op, when) {
                    (Op::BvUle, Truth::True) => (Op::BvUlt, b, a),
                    (Op::BvUlt, Truth::True) => (Op::BvUle, b, a),
                    (Op::BvSle, Truth::True) => (Op::BvSlt, b, a),
                    (Op::BvSlt, Truth::True) => (Op::BvSle, b, a),
                    _ => (op, a, b),
                };
                match (op, when) {
                    (Op::Eq, Truth::True) => Instruction::JumpIfEqual { a, b, target },
                    (Op::Eq, Truth::False) => Instruction::JumpUnlessEqual { a, b, target },
                    (Op::BvUlt, _) => Instruction::JumpUnlessUnsignedLess { a, b, target },
                    (Op::BvUle, _) => Instruction::JumpUnlessUnsignedLessEqual { a, b, target },
                    (Op::BvSlt, _) => Instruction::JumpUnlessSignedLess {
                        shift,
                        a,
                        b,
                        target,
                    },
                    (Op::BvSle, _) => Instruction::JumpUnlessSignedLessEqual {
                        shift,
                        a,
                        b,
                        target,
                    },
                    _ => return self.jump_on_value(term, when, target),
                }
            }
            (Place::Integer(a), Place::Integer(b)) => {
                let relation = match op {
                    Op::IntLt => IntegerRelation::Less,
                    Op::IntLe => IntegerRelation::LessEqual,
                    _ => IntegerRelation::Equal,
                };
                match when {
                    Truth::True => Instruction::JumpIfInteger {
                        relation,
                        a,
                        b,
                        target,
                    },
                    Truth::False => Instruction::JumpUnlessInteger {
                        relation,
                        a,
                        b,
                        target,
                    },
                }
            }
            _ => return self.jump_on_value(term, when, target),
        };
        self.assembler.emit(instruction);
        Ok(())
    }

    /// Emits a jump that is taken unless the two values, of one class, are equal.
    pub(crate) fn jump_unless_equal(
        &mut self,
        left: Place,
        right: Place,
        target: Label,
    ) -> Compiled<()> {
        self.assembler.emit(match (left, right) {
            (Place::Narrow(a), Place::Narrow(b)) => Instruction::JumpUnlessEqual { a, b, target },
            (Place::Integer(a), Place::Integer(b)) => Instruction::JumpUnlessInteger {
                relation: IntegerRelation::Equal,
                a,
                b,
                target,
            },
            _ => return Err(NotCompiled("a comparison of long indices".to_owned())),
        });
        Ok(())
    }

    /// Compiles code that is executed conditionally.
    pub(crate) fn under_guard<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Compiled<T>,
    ) -> Compiled<T> {
        let start = self.enter_guard();
        let result = body(self);
        self.leave_guard(start);
        result
    }
}

/// The truth value on which a jump is taken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    False,
    True,
}

impl Truth {
    fn negated(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::True => Self::False,
        }
    }
}

/// The operand of an arithmetic negation, for a subtraction.
pub(crate) fn negated(term: TermId) -> Option<TermId> {
    match store().as_application(term) {
        Some((Op::BvNeg | Op::IntNeg, arguments)) => Some(arguments[0]),
        _ => None,
    }
}
