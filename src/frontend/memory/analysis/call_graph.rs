//! Which functions can run, which are recursive, and what happens at most once.

use std::collections::VecDeque;

use regatta_program::digraph::Digraph;

use super::walk;
use crate::ir::{BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Unit};

/// Whether each function can run: functions that a function that can run calls by name or takes the address of, and
/// those that unknown code calls by name.
pub fn reachable_functions(unit: &Unit) -> Vec<bool> {
    let roots = [unit.start].into_iter().chain(unit.outside.environment);
    reachable_from(&unit.functions, roots)
}

/// Whether each function can run if the roots run, unless unknown code calls it by name.
pub fn reachable_from(
    functions: &[Function],
    roots: impl IntoIterator<Item = FunctionIndex>,
) -> Vec<bool> {
    let mut reached = vec![false; functions.len()];
    let mut queue: VecDeque<FunctionIndex> = roots.into_iter().collect();
    while let Some(function) = queue.pop_front() {
        if std::mem::replace(&mut reached[function.0 as usize], true) {
            continue;
        }
        for block in &functions[function.0 as usize].blocks {
            for (instruction, _) in &block.instructions {
                if let Instruction::Call {
                    callee: Callee::Direct(callee),
                    ..
                } = instruction
                {
                    queue.push_back(*callee);
                }
            }
            walk::every_expression(block, &mut |expr| {
                if let Expr::FunctionAddress(function) = expr {
                    queue.push_back(*function);
                }
            });
        }
    }
    reached
}

/// A call site with its possible callees.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub caller: FunctionIndex,
    pub block: BlockIndex,
    pub callees: Vec<FunctionIndex>,
}

/// What follows from the calls of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    /// Whether a function can have more than one activation at a time, by function.
    pub recursive: Vec<bool>,
    /// Whether a function is called at most once in a run, by function.
    called_once: Vec<bool>,
    /// Whether a block can run again in the same activation, by function and block.
    cyclic: Vec<Vec<bool>>,
    /// The only function that calls a function, by function.
    only_caller: Vec<Option<FunctionIndex>>,
}

impl CallGraph {
    /// Builds the call graph from all calls of the functions that can run.
    pub fn new(unit: &Unit, reached: &[bool], calls: &[CallSite]) -> Self {
        let count = unit.functions.len();
        let cyclic: Vec<Vec<bool>> = unit
            .functions
            .iter()
            .enumerate()
            .map(|(index, function)| {
                let edges = function
                    .blocks
                    .iter()
                    .enumerate()
                    .flat_map(|(block, data)| {
                        walk::successors(&data.terminator)
                            .into_iter()
                            .map(move |next| (block as u32, next))
                    });
                if reached[index] {
                    Digraph::new(function.blocks.len(), edges).on_cycles()
                } else {
                    vec![true; function.blocks.len()]
                }
            })
            .collect();
        let edges = calls
            .iter()
            .flat_map(|call| call.callees.iter().map(|callee| (call.caller.0, callee.0)));
        let recursive = Digraph::new(count, edges).on_cycles();

        // A function is called once if it has one call site, which is not in a loop, in a function that is itself
        // called once. The search ends: each non-recursive function enters the queue at most once.
        let mut callers: Vec<Vec<(FunctionIndex, BlockIndex)>> = vec![Vec::new(); count];
        for call in calls {
            for callee in &call.callees {
                callers[callee.0 as usize].push((call.caller, call.block));
            }
        }
        let mut called_once = vec![false; count];
        let mut queue = VecDeque::new();
        let start = unit.start.0 as usize;
        if callers[start].is_empty() {
            called_once[start] = true;
            queue.push_back(unit.start);
        }
        let mut callees: Vec<Vec<FunctionIndex>> = vec![Vec::new(); count];
        for call in calls {
            callees[call.caller.0 as usize].extend(&call.callees);
        }
        while let Some(caller) = queue.pop_front() {
            for &callee in &callees[caller.0 as usize] {
                let index = callee.0 as usize;
                if called_once[index] || recursive[index] {
                    continue;
                }
                if let [(only, block)] = callers[index][..]
                    && called_once[only.0 as usize]
                    && !cyclic[only.0 as usize][block.0 as usize]
                {
                    called_once[index] = true;
                    queue.push_back(callee);
                }
            }
        }
        let only_caller = callers.iter().map(|callers| match callers[..] {
            [(only, _)] => Some(only),
            _ => None,
        });
        Self {
            only_caller: only_caller.collect(),
            recursive,
            called_once,
            cyclic,
        }
    }

    /// Whether the function is called at most once, and only by `caller`.
    pub fn is_called_by(&self, function: FunctionIndex, caller: FunctionIndex) -> bool {
        let index = function.0 as usize;
        self.called_once[index] && self.only_caller[index] == Some(caller)
    }

    /// Whether the block can run again in the same activation.
    pub fn is_cyclic(&self, function: FunctionIndex, block: BlockIndex) -> bool {
        self.cyclic[function.0 as usize][block.0 as usize]
    }

    /// Whether the block runs at most once in any run of the program.
    pub fn runs_once(&self, function: FunctionIndex, block: BlockIndex) -> bool {
        let index = function.0 as usize;
        self.called_once[index] && !self.cyclic[index][block.0 as usize]
    }
}
