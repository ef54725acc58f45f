//! Functions: their interfaces, blocks and control flow.

use super::super::walk;
use super::calls::{Interface, Passing};
use super::*;
use crate::ir::{Block, BlockIndex, Instruction, Terminator};
use regatta_program::{Function, Property};

impl Emitter<'_, '_> {
    /// Declares all functions with their parameters and results, so that calls can refer to them.
    pub fn declare_functions(&mut self) {
        for index in 0..self.unit.functions.len() {
            let Some(id) = self.function_ids[index] else {
                self.interfaces.push(None);
                continue;
            };
            let data = &self.unit.functions[index];
            self.function = id;
            self.index = FunctionIndex(index as u32);
            let parameters: Vec<_> = data
                .parameters
                .iter()
                .map(|&object| (object, self.passing(object)))
                .collect();
            let result = data.result.map(|object| (object, self.passing(object)));
            let entry = self.builder.location(id, data.span, None);
            let exit = self.builder.location(id, data.span, None);
            let function = Function {
                name: data.name.clone(),
                parameters: parameters
                    .iter()
                    .flat_map(|entry| entry.1.variables())
                    .collect(),
                results: result
                    .iter()
                    .flat_map(|entry| entry.1.variables())
                    .collect(),
                entry,
                exit,
                span: data.span,
            };
            self.program().functions.push(function);
            self.interfaces.push(Some(Interface { parameters, result }));
        }
        match self.function_ids[self.unit.start.0 as usize] {
            Some(start) => self.program().start = start,
            None => self.contradict("the start function cannot run"),
        }
    }

    /// Emits a function.
    pub fn emit_function(&mut self, index: FunctionIndex) {
        let (Some(id), Some(interface)) = (
            self.function_ids[index.0 as usize],
            self.interfaces[index.0 as usize].clone(),
        ) else {
            return;
        };
        let data = &self.unit.functions[index.0 as usize];
        self.index = index;
        self.function = id;
        self.span = data.span;
        self.sink = None;
        self.errors.clear();
        self.temporaries.clear();
        self.taken.clear();
        let function = &self.builder.program.functions[id.index()];
        let (entry, exit) = (function.entry, function.exit);

        let reached = reachable_blocks(&data.blocks);
        let locations: Vec<Option<LocationId>> = data
            .blocks
            .iter()
            .enumerate()
            .map(|(number, block)| {
                reached[number].then(|| {
                    let mut instructions = block.instructions.iter();
                    let first = instructions.find(|entry| !is_waypoint(entry));
                    let span = first.map_or(block.span, |entry| entry.1);
                    self.builder.location(id, span, block.label.clone())
                })
            })
            .collect();
        self.begin(entry);
        if index == self.unit.start {
            self.begin_program();
        }
        self.prologue(&interface, &data.blocks);
        match self.location_of(BlockIndex(0), &locations) {
            Some(first) => self.finish(first),
            None => self.end(),
        }
        for (number, block) in data.blocks.iter().enumerate() {
            let Some(location) = locations[number] else {
                continue;
            };
            self.begin(location);
            for (position, (instruction, span)) in block.instructions.iter().enumerate() {
                self.span = *span;
                self.instruction(BlockIndex(number as u32), position, instruction);
            }
            self.span = block.span;
            let end = self.terminator(block, &interface, &locations, exit);
            self.place_waypoints(block, location, end);
        }
    }

    /// Gives the local objects in memory their addresses, and parameters in memory their values.
    fn prologue(&mut self, interface: &Interface, blocks: &[Block]) {
        if self.planner.calls.recursive[self.index.0 as usize] || self.index != self.unit.start {
            let declared_first = |object: ObjectIndex| {
                blocks[0].instructions.iter().any(
                    |entry| matches!(&entry.0, Instruction::Declare(other) if *other == object),
                )
            };
            let passed_by_address: Vec<ObjectIndex> = interface
                .parameters
                .iter()
                .filter(|entry| matches!(entry.1, Passing::Address(..)))
                .map(|entry| entry.0)
                .collect();
            for (object, id, variable) in self.dynamic_locals() {
                if !passed_by_address.contains(&object) && !declared_first(object) {
                    self.renew(object, id, variable);
                    self.check_trouble();
                    self.taken.clear();
                }
            }
        }
        for (object, passing) in &interface.parameters {
            if let Passing::Value(variable, scalar) = passing {
                let bits = walk::scalar_bits(*scalar, self.semantics.pointer_bits);
                let form = self.form(*scalar, bits);
                let spot = self.object_spot(*object);
                let value = self.builder.term(*variable);
                self.store(&spot, 0, bits, form, value);
                self.check_trouble();
            }
        }
    }

    /// Ends the local objects with observable addresses, so that later objects may have their addresses. The result's
    /// object remains until the caller has read it.
    fn end_locals(&mut self, interface: &Interface) {
        let result = interface.result.as_ref().map(|entry| entry.0);
        for (object, id, variable) in self.dynamic_locals() {
            if Some(object) != result && self.plan.class_by_id(id).observable {
                let address = self.builder.term(variable);
                self.forget(address);
                self.push(Operation::Free {
                    address,
                    lifetime: regatta_program::Lifetime::Automatic,
                });
            }
        }
    }

    fn dynamic_locals(&self) -> Vec<(ObjectIndex, ClassId, VariableId)> {
        self.locals_of[self.index.0 as usize]
            .iter()
            .filter_map(|&object| match self.home(object) {
                Home::Dynamic(id, variable) => Some((object, id, variable)),
                _ => None,
            })
            .collect()
    }

    fn terminator(
        &mut self,
        block: &Block,
        interface: &Interface,
        locations: &[Option<LocationId>],
        exit: LocationId,
    ) -> Option<LocationId> {
        let turns = |number: u32| {
            let turns = block.turns.iter().filter(move |turn| turn.target == number);
            turns.map(|turn| turn.waypoint)
        };
        match &block.terminator {
            Terminator::Goto(block) => match self.location_of(*block, locations) {
                Some(target) => {
                    self.finish(target);
                    return Some(target);
                }
                None => self.end(),
            },
            Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            } => {
                let condition = self.condition(condition);
                self.check_trouble();
                let fork = self.cut()?;
                let negated = pool().not(condition);
                let ways = [(*then, condition), (*otherwise, negated)];
                for (number, (target, condition)) in (0..).zip(ways) {
                    let Some(target) = self.location_of(target, locations) else {
                        continue;
                    };
                    if self.branch(fork, target, condition) {
                        self.turn(turns(number));
                    }
                    for waypoint in turns(number) {
                        self.builder.waypoints.add_place(waypoint, Some(target));
                    }
                }
                self.current = None;
                return Some(fork);
            }
            Terminator::Switch {
                value,
                scalar,
                cases,
                default,
            } => {
                let value = self.value(value);
                self.check_trouble();
                let fork = self.cut()?;
                for turn in &block.turns {
                    let target = cases.get(turn.target as usize);
                    let target = target.map_or(*default, |case| case.2);
                    let location = locations[target.0 as usize];
                    self.builder.waypoints.add_place(turn.waypoint, location);
                }
                self.switch(fork, (value, *scalar), (cases, *default), locations, block);
                self.current = None;
                return Some(fork);
            }
            Terminator::Return => {
                self.end_locals(interface);
                if let Some((object, Passing::Value(variable, scalar))) = &interface.result {
                    let bits = walk::scalar_bits(*scalar, self.semantics.pointer_bits);
                    let form = self.form(*scalar, bits);
                    let spot = self.object_spot(*object);
                    let value = self.load(&spot, 0, bits, form);
                    self.assign(*variable, value);
                    self.check_trouble();
                }
                self.finish(exit);
            }
            Terminator::End => self.end(),
            Terminator::Error => {
                let error = match self.errors.get(&self.span) {
                    Some(&error) => error,
                    None => {
                        let error = self.location();
                        self.program().add_error(error, Property::UnreachCall);
                        self.errors.insert(self.span, error);
                        error
                    }
                };
                self.finish(error);
            }
            Terminator::Unreachable => {
                self.operations.clear();
                self.current = None;
            }
        }
        None
    }

    /// Records the locations of the block's waypoints: those before its first instruction at its beginning, those after
    /// its last one at its end.
    fn place_waypoints(&mut self, block: &Block, begin: LocationId, end: Option<LocationId>) {
        let instructions = &block.instructions;
        let leading = instructions.iter().take_while(|entry| is_waypoint(entry));
        let leading = leading.count();
        let trailing = instructions
            .iter()
            .rev()
            .take_while(|entry| is_waypoint(entry));
        let trailing = instructions.len() - trailing.count();
        for (number, (instruction, span)) in instructions.iter().enumerate() {
            if let &Instruction::Waypoint { kind, time } = instruction {
                let span = *span;
                let location = match number {
                    number if number < leading => Some(begin),
                    number if number >= trailing => end,
                    _ => None,
                };
                let waypoint = Waypoint { kind, time, span };
                self.builder.waypoints.add_place(waypoint, location);
            }
        }
    }

    /// The location at the beginning of a reachable block.
    fn location_of(
        &mut self,
        block: BlockIndex,
        locations: &[Option<LocationId>],
    ) -> Option<LocationId> {
        let location = locations[block.0 as usize];
        if location.is_none() {
            self.contradict("a jump to a block that is not reached");
        }
        location
    }

    /// Ends the path.
    pub(super) fn end(&mut self) {
        let sink = self.sink();
        self.finish(sink);
    }

    fn switch(
        &mut self,
        fork: LocationId,
        (value, scalar): (TermId, ScalarType),
        (cases, default): (&[(i128, i128, BlockIndex)], BlockIndex),
        locations: &[Option<LocationId>],
        block: &Block,
    ) {
        // The waypoints on the way to a target, if only one case leads there.
        let only_way = |target: BlockIndex| {
            let targets = cases.iter().map(|case| case.2).chain([default]);
            let mut ways = (0..).zip(targets).filter(|&(_, other)| other == target);
            let number = ways.next().filter(|_| ways.next().is_none());
            let turns = block.turns.iter();
            turns
                .filter(move |turn| {
                    number.is_some_and(|(number, _): (u32, _)| turn.target == number)
                })
                .map(|turn| turn.waypoint)
        };
        use crate::ir::BinaryOp;
        let mut by_target: Vec<(BlockIndex, Vec<TermId>)> = Vec::new();
        let mut position: FxHashMap<BlockIndex, usize> = FxHashMap::default();
        let mut others = Vec::new();
        for &(low, high, target) in cases {
            let low_term = self.semantics.constant(low, scalar);
            let condition = if low == high {
                self.semantics
                    .compare(BinaryOp::Equal, [value, low_term], scalar)
            } else {
                let high_term = self.semantics.constant(high, scalar);
                pool().and2(
                    self.semantics
                        .compare(BinaryOp::LessEqual, [low_term, value], scalar),
                    self.semantics
                        .compare(BinaryOp::LessEqual, [value, high_term], scalar),
                )
            };
            others.push(pool().not(condition));
            if target == default {
                continue;
            }
            let index = *position.entry(target).or_insert_with(|| {
                by_target.push((target, Vec::new()));
                by_target.len() - 1
            });
            by_target[index].1.push(condition);
        }
        for (target, conditions) in by_target {
            if let Some(target_location) = self.location_of(target, locations) {
                let condition = pool().or(conditions.iter().copied());
                if self.branch(fork, target_location, condition) {
                    self.turn(only_way(target));
                }
            }
        }
        // A case that leads to the default target is not excluded.
        let excluded = cases
            .iter()
            .zip(others)
            .filter(|(case, _)| case.2 != default)
            .map(|entry| entry.1);
        let condition = pool().and(excluded);
        if let Some(target) = self.location_of(default, locations)
            && self.branch(fork, target, condition)
        {
            self.turn(only_way(default));
        }
    }
}

const fn is_waypoint(entry: &(Instruction, Span)) -> bool {
    matches!(entry.0, Instruction::Waypoint { .. })
}

/// Whether each block can be reached from the first.
fn reachable_blocks(blocks: &[Block]) -> Vec<bool> {
    let mut reached = vec![false; blocks.len()];
    let mut stack = vec![0_u32];
    while let Some(block) = stack.pop() {
        if std::mem::replace(&mut reached[block as usize], true) {
            continue;
        }
        stack.extend(walk::successors(&blocks[block as usize].terminator));
    }
    reached
}
