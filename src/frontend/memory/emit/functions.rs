//! Functions: their interfaces, blocks and control flow.

use super::super::walk;
use super::calls::{Interface, Passing};
use super::*;
use crate::ir::{Block, BlockIndex, Instruction, Terminator};
use crate::memory::analysis::endless::Checks;
use regatta_program::{Function, Lifetime, Property};

impl Emitter<'_, '_> {
    /// Declares all functions with their parameters and results, so that calls can refer to them.
    pub fn declare_functions(&mut self) {
        let mut interfaces = Vec::with_capacity(self.tables.unit.functions.len());
        for index in 0..self.tables.unit.functions.len() {
            let Some(id) = self.tables.function_ids[index] else {
                interfaces.push(None);
                continue;
            };
            let data = &self.tables.unit.functions[index];
            self.body.enter(FunctionIndex(index as u32), id, &data.name);
            let parameters: Vec<_> = data
                .parameters
                .iter()
                .map(|&object| (object, self.passing(object)))
                .collect();
            let result = data.result.map(|object| (object, self.passing(object)));
            let entry = self.body.builder.location(id, data.span, None);
            let exit = self.body.builder.location(id, data.span, None);
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
            self.body.program().functions.push(function);
            interfaces.push(Some(Interface { parameters, result }));
        }
        self.tables.interfaces = interfaces;
        match self.tables.function_ids[self.tables.unit.start.0 as usize] {
            Some(start) => self.body.program().start = start,
            None => self.contradict("the start function cannot run"),
        }
    }

    /// Emits a function.
    pub fn emit_function(&mut self, index: FunctionIndex) {
        let (Some(id), Some(interface)) = (
            self.tables.function_ids[index.0 as usize],
            self.tables.interfaces[index.0 as usize].clone(),
        ) else {
            return;
        };
        let data = &self.tables.unit.functions[index.0 as usize];
        self.body.enter(index, id, &data.name);
        self.body.span = data.span;
        let function = &self.body.builder.program.functions[id.index()];
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
                    self.body.builder.location(id, span, block.label.clone())
                })
            })
            .collect();
        self.body.begin(entry);
        if index == self.tables.unit.start {
            self.begin_program();
        }
        self.prologue(&interface, &data.blocks);
        match self.location_of(BlockIndex(0), &locations) {
            Some(first) => self.body.finish(first),
            None => self.body.end(),
        }
        let none = Checks::default();
        let loops = self.tables.plan.loops.get(index.0 as usize);
        let loops = loops.unwrap_or(&none);
        for (number, block) in data.blocks.iter().enumerate() {
            let Some(location) = locations[number] else {
                continue;
            };
            self.body.begin(location);
            if loops.endless.contains(&(number as u32)) {
                self.check_endless_loop();
            }
            let progress = loops.progress.iter();
            let progress = progress.filter(|(block, _)| *block == number as u32);
            self.body.progress = progress.map(|(_, progress)| *progress).collect();
            for (position, (instruction, span)) in block.instructions.iter().enumerate() {
                self.body.span = *span;
                self.instruction(BlockIndex(number as u32), position, instruction);
            }
            self.body.span = block.span;
            let end = self.terminator(block, &interface, &locations, exit);
            self.body.place_waypoints(block, location, end);
        }
    }

    /// Gives the local objects in memory their addresses, and parameters in memory their values.
    fn prologue(&mut self, interface: &Interface, blocks: &[Block]) {
        self.begin_holders(interface);
        if self.tables.plan.lives.is_some() {
            self.begin_locals(interface);
            if self.tables.options.memory_checks.leaks
                && self.tables.planner.calls.recursive[self.body.index.0 as usize]
            {
                self.check_endless_loop();
            }
        } else if self.tables.planner.calls.recursive[self.body.index.0 as usize]
            || self.body.index != self.tables.unit.start
        {
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
            for (object, id, variable) in self.tables.dynamic_locals(self.body.index) {
                if !passed_by_address.contains(&object) && !declared_first(object) {
                    self.renew(object, id, variable);
                    self.body.check_trouble();
                    self.body.release_temporaries();
                }
            }
        }
        for (object, passing) in &interface.parameters {
            if let Passing::Value(variable, scalar) = passing {
                let bits = walk::scalar_bits(*scalar, self.tables.semantics.pointer_bits);
                let form = self.tables.form(*scalar, bits);
                let spot = self.tables.object_spot(*object);
                let value = self.body.builder.term(*variable);
                self.store(&spot, 0, bits, form, value);
                self.body.check_trouble();
            }
        }
    }

    /// Under a check of memory: lets no local object exist whose block is entered later, and makes the others.
    fn begin_locals(&mut self, interface: &Interface) {
        for (address, size) in self.lasting_locals(interface) {
            self.body.push(Operation::Allocate {
                address,
                size,
                lifetime: Lifetime::Automatic,
            });
        }
        for (object, id, variable) in self.tables.dynamic_locals(self.body.index) {
            let mut parameters = interface.parameters.iter();
            let is_passed = parameters
                .any(|entry| entry.0 == object && matches!(entry.1, Passing::Address(..)));
            if is_passed {
                continue;
            }
            if self.tables.plan.entered.contains(&object) {
                let null = self.tables.pointer_constant(0);
                self.body.assign(variable, null);
            } else {
                self.renew(object, id, variable);
                self.body.check_trouble();
                self.body.release_temporaries();
            }
        }
    }

    /// Ends the local objects with observable addresses, so that later objects may have their addresses. The result's
    /// object remains until the caller has read it.
    fn end_locals(&mut self, interface: &Interface) {
        self.end_holders();
        let result = interface.result.as_ref().map(|entry| entry.0);
        for (object, id, variable) in self.tables.dynamic_locals(self.body.index) {
            if Some(object) != result && self.tables.plan.class_by_id(id).observable {
                let address = self.body.builder.term(variable);
                self.forget(address);
                self.body.push(Operation::Free {
                    address,
                    lifetime: Lifetime::Automatic,
                });
            } else if Some(object) != result {
                self.end_local(id, variable);
            }
        }
        self.end_sites();
        for (address, _) in self.lasting_locals(interface) {
            self.body.push(Operation::Free {
                address,
                lifetime: Lifetime::Automatic,
            });
        }
    }

    /// The addresses and sizes of the local objects that are always at one place, if lost memory is sought: pointers in them are
    /// none when they have ended.
    fn lasting_locals(&self, interface: &Interface) -> Vec<(TermId, TermId)> {
        if !self.tables.options.memory_checks.leaks || self.body.index == self.tables.unit.start {
            return Vec::new();
        }
        let parameters = interface.parameters.iter();
        let kept: Vec<ObjectIndex> = parameters
            .filter(|entry| matches!(entry.1, Passing::InPlace))
            .chain(&interface.result)
            .map(|entry| entry.0)
            .collect();
        let locals = self.tables.locals_of(self.body.index).iter();
        let lasting = locals.filter(|object| !kept.contains(object));
        lasting
            .filter_map(|&object| match self.tables.home(object) {
                Home::Static(_, Some(address)) => {
                    let size = self.tables.unit.objects[object.0 as usize].size;
                    Some((address, self.tables.pointer_constant(size.into())))
                }
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
                    self.body.finish(target);
                    return Some(target);
                }
                None => self.body.end(),
            },
            Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            } => {
                let condition = self.condition(condition);
                self.body.check_trouble();
                let fork = self.body.cut()?;
                let negated = pool().not(condition);
                let ways = [(*then, condition), (*otherwise, negated)];
                for (number, (target, condition)) in (0..).zip(ways) {
                    let Some(target) = self.location_of(target, locations) else {
                        continue;
                    };
                    if self.body.branch(fork, target, condition) {
                        self.body.turn(turns(number));
                    }
                    for waypoint in turns(number) {
                        self.body
                            .builder
                            .waypoints
                            .add_place(waypoint, Some(target));
                    }
                }
                self.body.stop();
                return Some(fork);
            }
            Terminator::Switch {
                value,
                scalar,
                cases,
                default,
            } => {
                let value = self.value(value);
                self.body.check_trouble();
                let fork = self.body.cut()?;
                for turn in &block.turns {
                    let target = cases.get(turn.target as usize);
                    let target = target.map_or(*default, |case| case.2);
                    let location = locations[target.0 as usize];
                    self.body
                        .builder
                        .waypoints
                        .add_place(turn.waypoint, location);
                }
                self.switch(fork, (value, *scalar), (cases, *default), locations, block);
                self.body.stop();
                return Some(fork);
            }
            Terminator::Return => {
                self.end_locals(interface);
                if let Some((object, Passing::Value(variable, scalar))) = &interface.result {
                    let bits = walk::scalar_bits(*scalar, self.tables.semantics.pointer_bits);
                    let form = self.tables.form(*scalar, bits);
                    let spot = self.tables.object_spot(*object);
                    let value = self.load(&spot, 0, bits, form);
                    self.body.assign(*variable, value);
                    self.body.check_trouble();
                }
                self.body.finish(exit);
            }
            Terminator::End => self.body.end(),
            Terminator::Error => {
                let error = self.body.error(Property::UnreachCall);
                self.body.finish(error);
            }
            Terminator::Unreachable => {
                self.body.abandon();
            }
        }
        None
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
            let low_term = self.tables.semantics.constant(low, scalar);
            let condition = if low == high {
                self.tables
                    .semantics
                    .compare(BinaryOp::Equal, [value, low_term], scalar)
            } else {
                let high_term = self.tables.semantics.constant(high, scalar);
                pool().and2(
                    self.tables
                        .semantics
                        .compare(BinaryOp::LessEqual, [low_term, value], scalar),
                    self.tables
                        .semantics
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
                if self.body.branch(fork, target_location, condition) {
                    self.body.turn(only_way(target));
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
            && self.body.branch(fork, target, condition)
        {
            self.body.turn(only_way(default));
        }
    }
}

impl Body<'_, '_> {
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

    /// Ends the path.
    pub(super) fn end(&mut self) {
        let sink = self.sink();
        self.finish(sink);
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
