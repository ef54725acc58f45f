//! The nesting of a function's blocks: their automatic objects, and the jumps between them (see [`super::jump`]).

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{BlockIndex, Instruction, ObjectIndex};
use crate::lower::state::builder::Mark;
use crate::types::Type;
use regatta_base::Span;

/// Index of a block scope in [`Blocks`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::lower) struct ScopeIndex(u32);

/// A position in the nesting of blocks: the innermost block, and the number of its objects declared before.
#[derive(Copy, Clone, Debug)]
pub(in crate::lower) struct Position {
    scope: Option<ScopeIndex>,
    declared: usize,
}

/// A function that is called with an object's address when its block is left.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Cleanup {
    pub name: Rc<str>,
    pub ty: Type,
    pub object_type: Type,
}

#[derive(Debug)]
struct Local {
    object: ObjectIndex,
    cleanup: Option<Cleanup>,
}

#[derive(Debug)]
struct BlockScope {
    /// The block's position in the surrounding block.
    outside: Position,
    entry: Mark,
    span: Span,
    locals: Vec<Local>,
}

/// Where a jump goes.
#[derive(Clone, Debug)]
pub(in crate::lower) enum JumpTarget {
    Label(String),
    /// The block of a `case`, and its position.
    Case(BlockIndex, Position),
}

/// A jump, with its edge block.
#[derive(Debug)]
pub(in crate::lower) struct Jump {
    pub edge: BlockIndex,
    pub from: Position,
    pub target: JumpTarget,
    pub span: Span,
}

/// By block, the numbers of the objects whose declarations jumps within the block pass.
pub(in crate::lower) type Passed = FxHashMap<ScopeIndex, FxHashSet<usize>>;

/// The blocks of a function and the jumps between them.
#[derive(Debug, Default)]
pub(in crate::lower) struct Blocks {
    scopes: Vec<BlockScope>,
    innermost: Option<ScopeIndex>,
    jumps: Vec<Jump>,
}

impl Blocks {
    /// The innermost open block.
    pub fn innermost(&self) -> Option<ScopeIndex> {
        self.innermost
    }

    fn scope(&self, index: ScopeIndex) -> &BlockScope {
        &self.scopes[index.0 as usize]
    }

    /// The current position.
    pub fn position(&self) -> Position {
        let declared = self
            .innermost
            .map_or(0, |scope| self.scope(scope).locals.len());
        Position {
            scope: self.innermost,
            declared,
        }
    }

    pub fn enter(&mut self, entry: Mark, span: Span) {
        let outside = self.position();
        self.scopes.push(BlockScope {
            outside,
            entry,
            span,
            locals: Vec::new(),
        });
        self.innermost = Some(ScopeIndex(self.scopes.len() as u32 - 1));
    }

    pub fn leave(&mut self) {
        self.innermost = self
            .innermost
            .and_then(|scope| self.scope(scope).outside.scope);
    }

    /// Registers an automatic object of the innermost block.
    pub fn declare(&mut self, object: ObjectIndex, cleanup: Option<Cleanup>) {
        if let Some(scope) = self.innermost {
            let local = Local { object, cleanup };
            self.scopes[scope.0 as usize].locals.push(local);
        }
    }

    /// The blocks around a position, innermost first, with the number of their objects declared before it.
    fn around(&self, position: Position) -> impl Iterator<Item = (ScopeIndex, usize)> + '_ {
        let mut next = position;
        std::iter::from_fn(move || {
            let scope = next.scope?;
            let found = (scope, next.declared);
            next = self.scope(scope).outside;
            Some(found)
        })
    }

    /// The position after leaving all blocks around `from` within `outer` (all, if it is `None`).
    pub fn position_after_leaving(
        &self,
        from: Position,
        outer: Option<ScopeIndex>,
    ) -> Option<Position> {
        let Some(outer) = outer else {
            return Some(Position {
                scope: None,
                declared: 0,
            });
        };
        let mut around = self.around(from);
        let (_, declared) = around.find(|&(scope, _)| scope == outer)?;
        Some(Position {
            scope: Some(outer),
            declared,
        })
    }

    /// Checks whether the function has objects whose declarations jumps could pass.
    pub fn has_locals(&self) -> bool {
        self.scopes.iter().any(|scope| !scope.locals.is_empty())
    }

    /// Collects, by block, the objects whose declarations the jump passes without entering their block.
    pub fn passed_within(&self, from: Position, to: Position, passed: &mut Passed) {
        let sources: FxHashMap<ScopeIndex, usize> = self.around(from).collect();
        for (scope, declared) in self.around(to) {
            if let Some(&before) = sources.get(&scope)
                && before < declared
            {
                passed.entry(scope).or_default().extend(before..declared);
            }
        }
    }

    /// The objects whose lifetime begins on the jump.
    pub fn begun(&self, from: Position, to: Position, passed: &Passed) -> Vec<ObjectIndex> {
        let sources: FxHashSet<ScopeIndex> = self.around(from).map(|entry| entry.0).collect();
        let mut begun = Vec::new();
        for (scope, declared) in self.around(to) {
            if sources.contains(&scope) {
                break;
            }
            let inner = passed.get(&scope);
            let locals = self.scope(scope).locals.iter().enumerate();
            begun.extend(
                locals
                    .filter(|(number, _)| {
                        *number < declared || inner.is_some_and(|inner| inner.contains(number))
                    })
                    .map(|(_, local)| local.object),
            );
        }
        begun
    }

    /// The objects with cleanups whose lifetime ends on the jump, in the order of the calls.
    pub fn ended(&self, from: Position, to: Position) -> Vec<(ObjectIndex, Cleanup)> {
        let targets: FxHashMap<ScopeIndex, usize> = self.around(to).collect();
        let mut ended = Vec::new();
        for (scope, declared) in self.around(from) {
            let kept = targets.get(&scope).copied().unwrap_or(0);
            let locals = &self.scope(scope).locals;
            let lost = &locals[kept.min(declared)..declared];
            ended.extend(
                lost.iter()
                    .rev()
                    .filter_map(|local| Some((local.object, local.cleanup.clone()?))),
            );
        }
        ended
    }

    /// The objects whose blocks control leaves on the jump.
    pub fn left(&self, from: Position, to: Position) -> Vec<ObjectIndex> {
        let targets: FxHashSet<ScopeIndex> = self.around(to).map(|entry| entry.0).collect();
        let mut left = Vec::new();
        for (scope, _) in self.around(from) {
            if !targets.contains(&scope) {
                let locals = &self.scope(scope).locals;
                left.extend(locals.iter().map(|local| local.object));
            }
        }
        left
    }

    /// Checks whether the jump leads to before a declaration in a block that it does not leave.
    pub fn repeats_declarations(&self, from: Position, to: Position) -> bool {
        let targets: FxHashMap<ScopeIndex, usize> = self.around(to).collect();
        let mut sources = self.around(from);
        sources.any(|(scope, declared)| targets.get(&scope).is_some_and(|&kept| kept < declared))
    }

    /// The objects whose blocks control enters on the jump.
    pub fn entered(&self, from: Position, to: Position) -> Vec<ObjectIndex> {
        self.left(to, from)
    }

    /// The marks at the beginning of blocks for the objects in them.
    pub fn marks_of_scopes(&self) -> Vec<(Mark, Instruction, Span)> {
        let mut marks = Vec::new();
        for scope in &self.scopes {
            for local in &scope.locals {
                let begin = Instruction::BeginScope(local.object);
                marks.push((scope.entry, begin, scope.span));
            }
        }
        marks
    }

    /// Records a jump.
    pub fn add_jump(&mut self, jump: Jump) {
        self.jumps.push(jump);
    }

    pub fn take_jumps(&mut self) -> Vec<Jump> {
        std::mem::take(&mut self.jumps)
    }

    /// The block around the innermost one (`None`: the function); `None` if no block is open.
    pub fn around_innermost(&self) -> Option<Option<ScopeIndex>> {
        let innermost = self.innermost?;
        Some(self.scope(innermost).outside.scope)
    }

    /// Checks whether the innermost block has cleanups.
    pub fn has_cleanups(&self) -> bool {
        self.innermost.is_some_and(|scope| {
            let mut locals = self.scope(scope).locals.iter();
            locals.any(|local| local.cleanup.is_some())
        })
    }

    /// The marks at the beginning of blocks for the declarations that jumps within them pass.
    pub fn marks_at_entries(&self, passed: &Passed) -> Vec<(Mark, Instruction, Span)> {
        let mut scopes: Vec<_> = passed.iter().collect();
        scopes.sort_unstable_by_key(|entry| entry.0);
        let mut marks = Vec::new();
        for (&scope, numbers) in scopes {
            let scope = self.scope(scope);
            let mut numbers: Vec<usize> = numbers.iter().copied().collect();
            numbers.sort_unstable();
            for number in numbers {
                let object = scope.locals[number].object;
                marks.push((scope.entry, Instruction::Declare(object), scope.span));
            }
        }
        marks
    }
}
