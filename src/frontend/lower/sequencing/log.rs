//! The log: sites are opened and closed while a program is lowered, and what their operands do is noted in between.

use rustc_hash::FxHashSet;

use super::super::Lowerer;
use super::super::value::{Value, ValueKind};
use super::step::{Spot, Step, range_spot, reads_rounding, spot_of, steps_of};
use super::{Conflict, Key, Site};
use crate::ir::{Expr, Instruction, Place};
use crate::memory::walk;

/// A site while its operands are lowered.
#[derive(Debug)]
pub(in crate::lower) struct OpenSite {
    key: Key,
    /// For each operand, where its steps are in the log, and what reading its value adds to them.
    operands: Vec<(usize, usize, Vec<Step>)>,
    /// What an assignment writes in the end.
    pub stores: Option<Spot>,
    statements: usize,
}

impl<'a> Lowerer<'a> {
    /// Begins a site; to be followed by [`Self::close_site`].
    pub(in crate::lower) fn open_site(&mut self, key: Key) -> OpenSite {
        self.sequencing.open += 1;
        OpenSite {
            key,
            operands: Vec::new(),
            stores: None,
            statements: self.sequencing.statements,
        }
    }

    /// An operand begins.
    pub(in crate::lower) fn open_operand(&self) -> usize {
        self.sequencing.log.len()
    }

    /// An operand has been lowered; its values will be read.
    pub(in crate::lower) fn close_operand(
        &mut self,
        site: &mut OpenSite,
        start: usize,
        values: &[Value],
    ) {
        let end = self.sequencing.log.len();
        for value in values {
            self.log_value(value);
        }
        // Whoever takes the values notes for himself what that reads.
        let reads = self.sequencing.log.split_off(end);
        site.operands.push((start, end, reads));
    }

    /// Ends a site.
    pub(in crate::lower) fn close_site(&mut self, site: OpenSite) {
        let sequencing = &mut self.sequencing;
        sequencing.open -= 1;
        let mut active = site
            .operands
            .iter()
            .filter(|(start, end, reads)| start < end || !reads.is_empty());
        let several = active.nth(1).is_some();
        let has_effects = site.operands.iter().any(|&(start, end, _)| {
            let steps = &sequencing.log[start..end];
            steps.iter().any(|step| !matches!(step, Step::Read(_)))
        });
        let known = self.origin.is_some() && !sequencing.unevaluated && !self.in_start;
        let stored_twice = matches!(site.stores, Some(Spot::Named(stored, _))
        if site.operands.last().is_some_and(|&(start, end, _)| {
            let steps = &sequencing.log[start..end];
            steps.iter().any(|step| match step {
                    Step::Write(Spot::Named(object, _)) | Step::Update(Spot::Named(object, _)) => {
                        *object == stored
                    }
                    _ => false,
                })
        }));
        if known && has_effects && (several || stored_twice) {
            let steps = |(start, end, reads): &(usize, usize, Vec<Step>)| {
                let log = &sequencing.log[*start..*end];
                let mut seen = FxHashSet::default();
                // The same part of an object, read twice, is one step: nothing can come of what lies between. Others may
                // be different ones in truth.
                log.iter()
                    .chain(reads)
                    .copied()
                    .filter(|step| match step {
                        Step::Read(Spot::Named(_, Some(_)) | Spot::Rounding) => seen.insert(*step),
                        _ => true,
                    })
                    .collect()
            };
            let site = Site {
                key: site.key,
                operands: site.operands.iter().map(steps).collect(),
                stores: site.stores,
                repeatable: site.statements == sequencing.statements,
            };
            sequencing.sites.push(site);
        }
        if sequencing.open == 0 {
            sequencing.log.clear();
        }
    }

    /// Notes what reading the value reads.
    fn log_value(&mut self, value: &Value) {
        match &value.kind {
            ValueKind::Scalar(expr) | ValueKind::Function(expr) => self.log_reads(expr),
            ValueKind::Lvalue(lvalue) => self.log_reads(&lvalue.address),
            ValueKind::Aggregate(address) => {
                self.log_reads(address);
                let size = self.types.size_of(value.ty).ok();
                let spot = range_spot(address, size);
                self.log_step(Step::Read(spot));
            }
            ValueKind::Void => {}
        }
    }

    /// Notes what evaluating the expression reads, if somebody wants to know.
    pub(in crate::lower) fn log_reads(&mut self, expr: &Expr) {
        if self.sequencing.open == 0 {
            return;
        }
        if let Expr::Load(place) = expr {
            let spot = self.spot(place);
            self.log_step(Step::Read(spot));
        }
        if reads_rounding(expr) {
            self.log_step(Step::Read(Spot::Rounding));
        }
        walk::parts(expr, &mut |part| self.log_reads(part));
    }

    pub(in crate::lower) fn log_step(&mut self, step: Step) {
        if self.sequencing.open == 0 {
            return;
        }
        if let Step::Read(Spot::Named(object, _))
        | Step::Write(Spot::Named(object, _))
        | Step::Update(Spot::Named(object, _)) = step
            && self.is_temporary(object)
        {
            return;
        }
        self.sequencing.log.push(step);
    }

    /// What has been noted since `start` for reading and writing the spot is one update of it.
    pub(in crate::lower) fn log_update(&mut self, start: usize, spot: Option<Spot>) {
        let Some(spot) = spot.filter(|_| self.sequencing.open > 0) else {
            return;
        };
        for part in [Step::Write(spot), Step::Read(spot)] {
            let steps = &self.sequencing.log[start..];
            if let Some(place) = steps.iter().rposition(|step| *step == part) {
                self.sequencing.log.remove(start + place);
            }
        }
        self.log_step(Step::Update(spot));
    }

    /// Notes what an instruction does, if somebody wants to know.
    pub(in crate::lower) fn log_instruction(&mut self, instruction: &Instruction) {
        // The start function's instructions are not where the expression is.
        if self.sequencing.open == 0 || self.in_start {
            return;
        }
        walk::operands(instruction, &mut |expr| self.log_reads(expr));
        for step in steps_of(instruction, &mut |place| self.spot(place)) {
            self.log_step(step);
        }
    }

    /// What the place is a part of.
    pub(in crate::lower) fn spot(&self, place: &Place) -> Spot {
        spot_of(place, self.options.data_model.pointer_bits())
    }

    /// The conflict at a site, if an earlier lowering has found one.
    pub(in crate::lower) fn conflict_at(&self, key: Key) -> Option<Conflict> {
        if self.sequencing.conflicts.is_empty()
            || self.origin.is_none()
            || self.sequencing.unevaluated
            || self.in_start
        {
            return None;
        }
        self.sequencing.conflicts.get(&key).cloned()
    }
}
