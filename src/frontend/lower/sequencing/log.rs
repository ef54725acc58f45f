//! The log: records the steps of the operands of open sites during lowering.

use rustc_hash::FxHashSet;

use super::super::Lowerer;
use super::step::{Region, Step, range_region, reads_rounding, region_of, steps_of};
use super::{Conflict, Key, Sequencing, Site};
use crate::ir::{Expr, Instruction, Place};
use crate::lower::expressions::value::{Value, ValueKind};
use crate::memory::walk;

/// A site whose operands are being lowered.
#[derive(Debug)]
pub(in crate::lower) struct OpenSite {
    key: Key,
    /// For each operand, the range of its steps in the log, and the additional steps of reading its value.
    operands: Vec<(usize, usize, Vec<Step>)>,
    /// The memory written by the assignment itself.
    pub stores: Option<Region>,
    statements: usize,
}

impl Sequencing {
    /// Opens a site; [`Lowerer::close_site`] must follow.
    pub(in crate::lower) fn open_site(&mut self, key: Key) -> OpenSite {
        self.open += 1;
        OpenSite {
            key,
            operands: Vec::new(),
            stores: None,
            statements: self.statements,
        }
    }

    /// Begins an operand; returns its start in the log.
    pub(in crate::lower) fn open_operand(&self) -> usize {
        self.log.len()
    }
}

impl<'a> Lowerer<'a> {
    /// Ends an operand whose values will be read.
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
        // The code that uses the values logs their reads itself.
        let reads = self.sequencing.log.split_off(end);
        site.operands.push((start, end, reads));
    }

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
        let known =
            self.cursor.origin().is_some() && !sequencing.unevaluated && !self.start.is_current();
        let stored_twice = matches!(site.stores, Some(Region::Named(stored, _))
        if site.operands.last().is_some_and(|&(start, end, _)| {
            let steps = &sequencing.log[start..end];
            steps.iter().any(|step| match step {
                    Step::Write(Region::Named(object, _)) | Step::Update(Region::Named(object, _)) => {
                        *object == stored
                    }
                    _ => false,
                })
        }));
        if known && has_effects && (several || stored_twice) {
            let steps = |(start, end, reads): &(usize, usize, Vec<Step>)| {
                let log = &sequencing.log[*start..*end];
                let mut seen = FxHashSet::default();
                // A second read of the same part of an object by one operand is dropped: it cannot differ. Other steps
                // that look equal may access different memory.
                log.iter()
                    .chain(reads)
                    .copied()
                    .filter(|step| match step {
                        Step::Read(Region::Named(_, Some(_)) | Region::Rounding) => {
                            seen.insert(*step)
                        }
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

    /// Logs the reads of evaluating a value.
    fn log_value(&mut self, value: &Value) {
        match &value.kind {
            ValueKind::Scalar(expr) | ValueKind::Function(expr) => self.log_reads(expr),
            ValueKind::Lvalue(lvalue) => self.log_reads(&lvalue.address),
            ValueKind::Aggregate(address) => {
                self.log_reads(address);
                let size = self.types.size_of(value.ty).ok();
                let region = range_region(address, size);
                self.log_step(Step::Read(region));
            }
            ValueKind::Void => {}
        }
    }

    /// Logs the reads of evaluating an expression, if a site is open.
    pub(in crate::lower) fn log_reads(&mut self, expr: &Expr) {
        if self.sequencing.open == 0 {
            return;
        }
        if let Expr::Load(place) = expr {
            let region = self.region(place);
            self.log_step(Step::Read(region));
        }
        if reads_rounding(expr) {
            self.log_step(Step::Read(Region::Rounding));
        }
        walk::parts(expr, &mut |part| self.log_reads(part));
    }

    pub(in crate::lower) fn log_step(&mut self, step: Step) {
        if self.sequencing.open == 0 {
            return;
        }
        if let Step::Read(Region::Named(object, _))
        | Step::Write(Region::Named(object, _))
        | Step::Update(Region::Named(object, _)) = step
            && self.objects.is_temporary(object)
        {
            return;
        }
        self.sequencing.log.push(step);
    }

    /// Combines the read and the write of the memory logged since `start` into one update.
    pub(in crate::lower) fn log_update(&mut self, start: usize, region: Option<Region>) {
        let Some(region) = region.filter(|_| self.sequencing.open > 0) else {
            return;
        };
        for part in [Step::Write(region), Step::Read(region)] {
            let steps = &self.sequencing.log[start..];
            if let Some(place) = steps.iter().rposition(|step| *step == part) {
                self.sequencing.log.remove(start + place);
            }
        }
        self.log_step(Step::Update(region));
    }

    /// Logs the steps of an instruction, if a site is open.
    pub(in crate::lower) fn log_instruction(&mut self, instruction: &Instruction) {
        // Instructions of the start function do not belong to the expression.
        if self.sequencing.open == 0 || self.is_in_start() {
            return;
        }
        walk::operands(instruction, &mut |expr| self.log_reads(expr));
        for step in steps_of(instruction, &mut |place| self.region(place)) {
            self.log_step(step);
        }
    }

    /// The memory of a place.
    pub(in crate::lower) fn region(&self, place: &Place) -> Region {
        region_of(place, self.input.pointer_bits())
    }

    /// The conflict at a site that an earlier lowering found.
    pub(in crate::lower) fn conflict_at(&self, key: Key) -> Option<Conflict> {
        if self.sequencing.conflicts.is_empty()
            || self.cursor.origin().is_none()
            || self.sequencing.unevaluated
            || self.is_in_start()
        {
            return None;
        }
        self.sequencing.conflicts.get(&key).cloned()
    }
}
