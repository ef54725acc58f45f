//! Finds the sites whose operands conflict.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Lowerer;
use super::effects::{Direct, Effects, Footprint};
use super::orders::orders;
use super::step::{Access, Region, Step, access, parts_overlap};
use super::{Key, Site};
use crate::ir::{Function, FunctionIndex, Object, ObjectIndex, Storage};

/// A site with operands that conflict.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Conflict {
    /// The orders to be tried, as numbers of the conflicting operands.
    pub(super) orders: Vec<Vec<usize>>,
    /// Whether no other order can make a difference.
    pub(super) complete: bool,
    /// Whether the operands can be lowered several times.
    pub(super) repeatable: bool,
    /// Whether the conflict makes the behaviour undefined.
    pub(super) undefined: bool,
}

/// The facts about the whole program that are needed to find conflicts.
pub(super) struct ConflictAnalysis<'p> {
    pub functions: &'p [Function],
    pub objects: &'p [Object],
    pub pointer_bits: u8,
    /// The objects whose addresses are taken.
    pub taken: FxHashSet<ObjectIndex>,
    /// The functions whose addresses are taken.
    pub pointed: Vec<FunctionIndex>,
    /// Whether the address of a function without a body is taken.
    pub points_outside: bool,
    pub direct: FxHashMap<FunctionIndex, Rc<Direct>>,
    /// The effects of calls by function; of calls through pointers for `None`.
    pub effects: FxHashMap<Option<FunctionIndex>, Rc<Effects>>,
}

impl Lowerer<'_> {
    /// The sites with conflicts; `functions` are all functions of the program.
    pub(in crate::lower) fn find_conflicts(
        &mut self,
        functions: &[Function],
    ) -> FxHashMap<Key, Conflict> {
        let sites = std::mem::take(&mut self.sequencing.sites);
        if sites.is_empty() {
            return FxHashMap::default();
        }
        let mut analysis =
            ConflictAnalysis::new(functions, self.objects.all(), self.input.pointer_bits());
        sites
            .into_iter()
            .filter_map(|site| Some((site.key, analysis.conflict(&site)?)))
            .collect()
    }
}

impl<'p> ConflictAnalysis<'p> {
    fn new(functions: &'p [Function], objects: &'p [Object], pointer_bits: u8) -> Self {
        let mut analysis = Self {
            functions,
            objects,
            pointer_bits,
            taken: FxHashSet::default(),
            pointed: Vec::new(),
            points_outside: false,
            direct: FxHashMap::default(),
            effects: FxHashMap::default(),
        };
        analysis.find_addresses();
        analysis
    }

    /// Checks whether the order of two operands makes a difference.
    fn effects_conflict(&self, a: &Effects, b: &Effects) -> bool {
        (a.ends && b.errors)
            || (a.errors && b.ends)
            || (a.unknown && self.is_within_reach(b))
            || (b.unknown && self.is_within_reach(a))
            // It does not matter which of two operands sets an object last to the same constant.
            || self.any_overlap(&a.writes, &b.writes, &|object| a.set_alike(b, object))
            || self.any_overlap(&a.writes, &b.reads, &|_| false)
            || self.any_overlap(&a.reads, &b.writes, &|_| false)
    }

    /// Checks whether unknown code may modify or read what the other operand modifies or reads.
    fn is_within_reach(&self, effects: &Effects) -> bool {
        [&effects.reads, &effects.writes].iter().any(|print| {
            !print.through.is_empty()
                || print.named.keys().any(|object| {
                    let external = self.objects.get(object.0 as usize).is_some_and(|object| {
                        matches!(object.storage, Storage::Static { external: true })
                    });
                    external || self.taken.contains(object)
                })
        })
    }

    /// Whether the two have memory in common, besides objects that are excused.
    fn any_overlap(
        &self,
        a: &Footprint,
        b: &Footprint,
        is_excused: &dyn Fn(ObjectIndex) -> bool,
    ) -> bool {
        let (few, many) = if a.named.len() <= b.named.len() {
            (a, b)
        } else {
            (b, a)
        };
        let common = few.named.iter().any(|(object, first)| {
            !is_excused(*object)
                && many.named.get(object).is_some_and(|second| {
                    first
                        .iter()
                        .any(|&a| second.iter().any(|&b| parts_overlap(a, b)))
                })
        });
        let kinds = |a: Option<Access>, b: Option<Access>| a.zip(b).is_none_or(|(a, b)| a == b);
        let pointed_at = |print: &Footprint, through: &Footprint| {
            !through.through.is_empty()
                && print.named.keys().any(|&object| {
                    through
                        .through
                        .iter()
                        .any(|&kind| self.may_point_to(kind, object))
                })
        };
        common
            || a.rounding && b.rounding
            || a.through
                .iter()
                .any(|&a| b.through.iter().any(|&b| kinds(a, b)))
            || pointed_at(a, b)
            || pointed_at(b, a)
    }

    /// Checks whether an access of the kind through a pointer may refer to the object.
    fn may_point_to(&self, kind: Option<Access>, object: ObjectIndex) -> bool {
        self.taken.contains(&object)
            && kind.is_none_or(|kind| {
                self.objects.get(object.0 as usize).is_none_or(|object| {
                    object
                        .leaves
                        .iter()
                        .any(|leaf| access(leaf.scalar).is_none_or(|leaf| leaf == kind))
                })
            })
    }

    /// The operand's steps without those on locals to which no other operand can refer.
    fn concerning_others(&self, site: &Site, operand: usize) -> Vec<Step> {
        let others = site.operands.iter().enumerate();
        let others = others.filter(|&(number, _)| number != operand);
        let named: FxHashSet<ObjectIndex> = others
            .flat_map(|(_, steps)| steps)
            .filter_map(|step| match step {
                Step::Read(Region::Named(object, _))
                | Step::Write(Region::Named(object, _))
                | Step::Update(Region::Named(object, _)) => Some(*object),
                _ => None,
            })
            .collect();
        let concerns = |step: &&Step| match step {
            Step::Read(Region::Named(object, _))
            | Step::Write(Region::Named(object, _))
            | Step::Update(Region::Named(object, _)) => {
                !self.is_automatic(*object) || self.taken.contains(object) || named.contains(object)
            }
            _ => true,
        };
        site.operands[operand]
            .iter()
            .filter(concerns)
            .copied()
            .collect()
    }

    /// Checks whether a side effect of an assignment's right operand also writes the assigned object.
    fn is_stored_twice(site: &Site) -> bool {
        let (Some(store), Some(right), true) = (site.stores, site.operands.last(), site.repeatable)
        else {
            return false;
        };
        right.iter().any(|step| match (step, store) {
            (
                Step::Write(Region::Named(written, part))
                | Step::Update(Region::Named(written, part)),
                Region::Named(stored, whole),
            ) => *written == stored && parts_overlap(*part, whole),
            _ => false,
        })
    }

    fn conflict(&mut self, site: &Site) -> Option<Conflict> {
        let concerns: Vec<Vec<Step>> = (0..site.operands.len())
            .map(|operand| self.concerning_others(site, operand))
            .collect();
        let undefined = Self::is_stored_twice(site);
        let active = concerns.iter().filter(|steps| !steps.is_empty());
        if active.count() < 2 && !undefined {
            return None;
        }
        let effects: Vec<Vec<Rc<Effects>>> = concerns
            .iter()
            .map(|steps| steps.iter().map(|&step| self.effects_of(step)).collect())
            .collect();
        let is_call = |step: Step| {
            matches!(
                step,
                Step::Call(_)
                    | Step::CallThroughPointer
                    | Step::CallUnknown
                    | Step::End
                    | Step::Error
                    // A call of `fesetround`.
                    | Step::Write(Region::Rounding)
            )
        };
        let count = site.operands.len();
        let mut pairs = Vec::new();
        // For each operand, its steps that conflict with steps of other operands.
        let mut involved: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); count];
        let mut undefined = undefined;
        for a in 0..count {
            for b in a + 1..count {
                let mut any = false;
                for (i, first) in effects[a].iter().enumerate() {
                    for (j, second) in effects[b].iter().enumerate() {
                        if self.effects_conflict(first, second) {
                            any = true;
                            involved[a].insert(i);
                            involved[b].insert(j);
                            undefined |= !is_call(concerns[a][i]) && !is_call(concerns[b][j]);
                        }
                    }
                }
                if any {
                    pairs.push((a, b));
                }
            }
        }
        if pairs.is_empty() && !undefined {
            return None;
        }
        // Another operand's call might be interleaved between several steps of one operand, so that the orders are not
        // complete. Without calls they are: nothing observable happens between the accesses of one operand.
        let calls = (0..count).any(|operand| {
            let mut steps = involved[operand].iter();
            steps.any(|&step| is_call(concerns[operand][step]))
        });
        // The read of an update belongs to the update.
        let single = |operand: usize| {
            let steps = &concerns[operand];
            let own = |step: &usize| match steps[*step] {
                Step::Read(region @ Region::Named(_, Some(_))) => !involved[operand]
                    .iter()
                    .any(|&other| steps[other] == Step::Update(region)),
                _ => true,
            };
            involved[operand].iter().filter(|step| own(step)).count() <= 1
        };
        let mut complete = !calls || (0..count).all(single);
        let participants: Vec<usize> = (0..count)
            .filter(|&operand| !involved[operand].is_empty())
            .collect();
        let has_call = |operand: usize| concerns[operand].iter().copied().any(is_call);
        let orders = orders(&participants, &pairs, &has_call, &mut complete);
        Some(Conflict {
            orders,
            complete,
            repeatable: site.repeatable,
            undefined,
        })
    }
}
