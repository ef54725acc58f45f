//! The strongest postcondition of an edge, conjoined to a path formula.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::PredicateCpa;
use super::abstraction::Abstraction;
use super::path_formula::{Frame, PathFormula, Values};
use crate::cpa::location::{Edge, Place};
use crate::program::block::Block;
use crate::program::{Operation, Scope, VariableId};
use crate::term::{Build, Pool, Rebuild, Symbol, TermId, TermKind};

impl<A: Abstraction> PredicateCpa<A> {
    /// Returns the edge's block as a path formula of its own, if the edge leads from one abstraction location to another: its
    /// inputs need no renaming then, and results about it can be cached.
    pub(super) fn whole_block(
        &mut self,
        edge: &Rc<Edge>,
    ) -> Option<(Rc<PathFormula>, Rc<[TermId]>)> {
        if !self.ends_block(edge.target) {
            return None;
        }
        let block = edge.block()?;
        let inputs = block.inputs.iter().map(|input| input.variable());
        let inputs: Rc<[TermId]> = inputs.collect();
        if let Some((_, known)) = self.whole_blocks.get(&Rc::as_ptr(edge)) {
            return Some((Rc::clone(known), inputs));
        }
        let mut formula = PathFormula::new(block.guard);
        for &(variable, value) in &block.updates {
            formula.values.insert(variable.0, value);
        }
        self.remove_dead_variables(&mut formula, edge.target);
        let formula = Rc::new(formula);
        let entry = (Rc::clone(edge), Rc::clone(&formula));
        self.whole_blocks.insert(Rc::as_ptr(edge), entry);
        Some((formula, inputs))
    }

    /// Evaluates a term over state variables (instance 0) at the end of the path formula.
    pub fn at_end(&self, formula: &PathFormula, term: TermId) -> TermId {
        self.rebuild(formula, &FxHashMap::default(), [term])[0]
    }

    pub(super) fn rebuild<const N: usize>(
        &self,
        formula: &PathFormula,
        inputs: &FxHashMap<(Symbol, u32), TermId>,
        terms: [TermId; N],
    ) -> [TermId; N] {
        let mut rebuild = Rebuild::new(&*self.arena, &*self.arena, |term| {
            self.substitute(formula, inputs, term)
        });
        terms.map(|term| rebuild.rebuild(term))
    }

    fn substitute(
        &self,
        formula: &PathFormula,
        inputs: &FxHashMap<(Symbol, u32), TermId>,
        term: TermId,
    ) -> Option<TermId> {
        match self.arena.kind(term) {
            TermKind::Variable {
                symbol,
                instance: 0,
            } => {
                let variable = self.blocks.variable(symbol)?;
                Some(formula.values.get(variable.0).copied().unwrap_or(term))
            }
            TermKind::Variable { symbol, instance } => inputs.get(&(symbol, instance)).copied(),
            _ => None,
        }
    }

    /// Returns variables for the block's inputs: those that another block of the state uses, or fresh ones.
    fn inputs_of(&mut self, block: &Block) -> Rc<[TermId]> {
        let variables = block.inputs.iter().map(|input| {
            let known = self.inputs.entry((input.symbol, input.instance));
            *known.or_insert_with(|| {
                let instance = self.instances.entry(input.symbol).or_insert(0);
                *instance += 1;
                self.arena.variable_at(input.symbol, *instance)
            })
        });
        variables.collect()
    }

    pub(super) fn run_block(
        &mut self,
        before: &PathFormula,
        block: &Block,
    ) -> Option<(PathFormula, Rc<[TermId]>)> {
        let fresh = self.inputs_of(block);
        let inputs = input_map(block, &fresh);
        let mut values = before.values.clone();
        let guard;
        let updates: Vec<(VariableId, TermId)>;
        {
            let mut rebuild = Rebuild::new(&*self.arena, &*self.arena, |term| {
                self.substitute(before, &inputs, term)
            });
            guard = self.arena.and2(before.guard, rebuild.rebuild(block.guard));
            if guard == TermId::FALSE {
                return None;
            }
            let run = block.updates.iter();
            updates = run
                .map(|&(variable, value)| (variable, rebuild.rebuild(value)))
                .collect();
        }
        for (variable, value) in updates {
            values.insert(variable.0, self.definitions.name(value));
        }
        let after = PathFormula {
            guard: self.definitions.name(guard),
            values,
            frames: before.frames.clone(),
        };
        Some((after, fresh))
    }

    /// Enters a function of a recursive component: assigns its parameters and saves the caller's locals.
    pub(super) fn call(&mut self, before: &PathFormula, call: &Operation) -> Option<PathFormula> {
        let Operation::Call {
            callee, arguments, ..
        } = call
        else {
            return None;
        };
        let parameters = self.program().function(*callee).parameters.clone();
        let none = FxHashMap::default();
        let arguments: Vec<TermId> = arguments
            .iter()
            .map(|&argument| self.rebuild(before, &none, [argument])[0])
            .collect();
        let mut values = before.values.clone();
        let program = self.blocks.inlined().program();
        values.retain(|variable, _| program.variable(VariableId(variable)).scope == Scope::Global);
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            values.insert(parameter.0, self.definitions.name(argument));
        }
        Some(PathFormula {
            guard: before.guard,
            values,
            frames: Some(Rc::new(Frame {
                values: before.values.clone(),
                caller: before.frames.clone(),
            })),
        })
    }

    /// Returns from such a function: keeps the globals, restores the caller's locals, and assigns the results.
    pub(super) fn return_from(
        &mut self,
        before: &PathFormula,
        call: &Operation,
    ) -> Option<PathFormula> {
        let Operation::Call {
            callee, results, ..
        } = call
        else {
            return None;
        };
        let frame = before.frames.as_ref()?;
        let program = self.blocks.inlined().program();
        let is_global =
            |variable: u32| program.variable(VariableId(variable)).scope == Scope::Global;
        let mut values = frame.values.clone();
        values.retain(|variable, _| !is_global(variable));
        for (variable, &value) in before.values.iter() {
            if is_global(variable) {
                values.insert(variable, value);
            }
        }
        for (&result, &from) in results.iter().zip(&program.function(*callee).results) {
            let value = self.arena.variable(program.variable(from).symbol);
            let value = before.values.get(from.0).copied().unwrap_or(value);
            values.insert(result.0, value);
        }
        Some(PathFormula {
            guard: before.guard,
            values,
            frames: frame.caller.clone(),
        })
    }

    /// Removes the variables that are not live at the place.
    pub(super) fn remove_dead_variables(&mut self, formula: &mut PathFormula, place: Place) {
        match place {
            Place::At(at) => {
                let blocks = &self.blocks;
                let live = self.live.entry(at).or_insert_with(|| {
                    Rc::new(blocks.state(at).into_iter().collect::<FxHashSet<_>>())
                });
                formula
                    .values
                    .retain(|variable, _| live.contains(&VariableId(variable)));
            }
            Place::Unsupported { .. } => formula.values = Values::new(),
        }
    }
}

pub(super) fn input_map(block: &Block, variables: &[TermId]) -> FxHashMap<(Symbol, u32), TermId> {
    let inputs = block.inputs.iter().zip(variables);
    inputs
        .map(|(input, &variable)| ((input.symbol, input.instance), variable))
        .collect()
}
