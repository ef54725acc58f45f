//! The labels of a function: where each is, and the numbers of those whose addresses are taken.

use rustc_hash::FxHashMap;

use super::blocks::Position;
use crate::ir::{BlockIndex, Expr};
use crate::rewrite::encoding;
use regatta_program::Span;

/// A computed `goto`: its block will end in a switch over label numbers, once all labels are known.
#[derive(Debug)]
pub(in crate::lower) struct ComputedGoto {
    /// The block that it ends.
    pub block: BlockIndex,
    /// The expression for the label's number.
    pub number: Expr,
    /// Its position among the blocks of the source.
    pub from: Position,
    /// Its source position.
    pub span: Span,
}

/// A label of a function.
#[derive(Debug)]
pub(in crate::lower) struct Label {
    /// The block that starts at the label.
    pub block: BlockIndex,
    /// The label's position, once it has been reached in the text.
    pub position: Option<Position>,
    /// The first use of its name.
    pub span: Span,
}

/// The numbers of labels whose addresses are taken, in an outermost function and its nested functions.
#[derive(Debug, Default)]
struct LabelNumbers {
    /// Number of numbered labels; numbers start from one, so that none is null.
    count: u32,
    /// Numbers of local labels (`__label__`), which are the same in all these functions.
    shared: FxHashMap<String, u32>,
}

/// The labels of a function.
#[derive(Debug, Default)]
pub(in crate::lower) struct Labels {
    by_name: FxHashMap<String, Label>,
    /// The labels whose addresses are taken, with their numbers.
    numbered: Vec<(String, u32)>,
    /// Labels of enclosing functions among them, once those functions' labels are known.
    outer: Vec<(String, u32)>,
    /// The numbers assigned so far.
    numbers: LabelNumbers,
    computed: Vec<ComputedGoto>,
}

impl Labels {
    pub fn get(&self, name: &str) -> Option<&Label> {
        self.by_name.get(name)
    }

    /// Adds a label whose position is not known yet.
    pub fn add(&mut self, name: &str, block: BlockIndex, span: Span) {
        let label = Label {
            block,
            position: None,
            span,
        };
        self.by_name.insert(name.to_owned(), label);
    }

    /// Records the position of a label; returns the block that starts there, and whether the position was known before.
    pub fn define(&mut self, name: &str, position: Position) -> Option<(BlockIndex, bool)> {
        let label = self.by_name.get_mut(name)?;
        let is_known = label.position.replace(position).is_some();
        Some((label.block, is_known))
    }

    /// The labels without a position, with the first uses of their names, in the order of these.
    pub fn missing(&self) -> Vec<(String, Span)> {
        let labels = self.by_name.iter();
        let missing = labels.filter(|(_, label)| label.position.is_none());
        let mut missing: Vec<(String, Span)> = missing
            .map(|(name, label)| (name.clone(), label.span))
            .collect();
        missing.sort_by_key(|&(_, span)| span);
        missing
    }

    // --- numbers ---

    /// The labels whose addresses are taken, with their numbers.
    pub fn numbered(&self) -> &[(String, u32)] {
        &self.numbered
    }

    /// The number of a label whose address is taken.
    pub fn number(&mut self, name: &str) -> u32 {
        let mut known = self.numbered.iter();
        if let Some(&(_, number)) = known.find(|(known, _)| known == name) {
            return number;
        }
        let number = self.new_number(name);
        self.numbered.push((name.to_owned(), number));
        number
    }

    /// Gives a label a number unless it has one.
    pub fn set_number(&mut self, name: String, number: u32) {
        if !self.numbered.iter().any(|(known, _)| *known == name) {
            self.numbered.push((name, number));
        }
    }

    /// The number for a label whose address is taken for the first time in a function. Numbers in nested and enclosing
    /// functions differ, so that no label is mistaken for another; only a local label (`__label__`) has the same
    /// number in all.
    fn new_number(&mut self, name: &str) -> u32 {
        let is_shared = name.contains(encoding::BLOCK_LABEL);
        let numbers = &mut self.numbers;
        if let Some(&number) = numbers.shared.get(name).filter(|_| is_shared) {
            return number;
        }
        numbers.count += 1;
        let number = numbers.count;
        if is_shared {
            numbers.shared.insert(name.to_owned(), number);
        }
        number
    }

    /// Takes over which numbers are assigned.
    pub fn continue_numbers_of(&mut self, other: &mut Self) {
        self.numbers = std::mem::take(&mut other.numbers);
    }

    /// Sets numbered labels aside that belong to enclosing functions.
    pub fn set_outer_aside(&mut self, is_outer: impl Fn(&str) -> bool) {
        let outer = self.numbered.extract_if(.., |(name, _)| is_outer(name));
        self.outer = outer.collect();
    }

    pub fn take_outer(&mut self) -> Vec<(String, u32)> {
        std::mem::take(&mut self.outer)
    }

    // --- computed `goto`s ---

    pub fn add_computed(&mut self, goto: ComputedGoto) {
        self.computed.push(goto);
    }

    pub fn take_computed(&mut self) -> Vec<ComputedGoto> {
        std::mem::take(&mut self.computed)
    }

    /// The source and possible targets of each computed `goto`, once all labels are known.
    pub fn computed_jumps(&self) -> Vec<(Position, Position)> {
        let labels = self.numbered.iter();
        let targets: Vec<Position> = labels
            .filter_map(|(name, _)| self.by_name.get(name)?.position)
            .collect();
        let gotos = self.computed.iter();
        gotos
            .flat_map(|goto| targets.iter().map(|&target| (goto.from, target)))
            .collect()
    }
}
