//! What can be told of a program at a glance: numbers by which a portfolio chooses who goes first.

use std::collections::BTreeMap;

use super::call_graph::CallGraph;
use super::cfa::{FunctionId, Operation, Program};
use super::cut_points::CutPoints;
use crate::term::{Op, Pool, Sort, TermId, TermKind, for_each_subterm, store};

/// Declares the features: field, and what it counts.
macro_rules! features {
    ($( $(#[doc = $doc:literal])+ $field:ident, )+) => {
        /// Numbers that cost nothing to find: one pass over the edges, one over their terms.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
        pub struct Features {
            $( $(#[doc = $doc])+ pub $field: u64, )+
        }

        impl Features {
            /// Their names in portfolio files, events and results.
            pub const NAMES: &[&str] = &[$(stringify!($field)),+];

            /// The number with the name.
            pub fn get(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($field) => Some(self.$field),)+
                    _ => None,
                }
            }

            /// From numbers by their names; what is not there is zero, and what is unknown is left out.
            pub fn from_names(numbers: &BTreeMap<String, u64>) -> Self {
                let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
                Self {
                    $($field: number(stringify!($field)),)+
                }
            }

            /// All of them by their names.
            pub fn by_name(&self) -> BTreeMap<String, u64> {
                [$((stringify!($field).to_owned(), self.$field)),+].into()
            }
        }
    };
}

features! {
    /// Edges of the automaton.
    edges,
    /// Variables, those of memory included.
    variables,
    /// Loops.
    loops,
    /// How many loops are inside one another, at most.
    nesting,
    /// Loops in which an input is read.
    input_loops,
    /// Functions that call themselves, perhaps through others.
    recursive,
    /// Calls that are left.
    calls,
    /// Edges that read an input.
    inputs,
    /// Bits of the widest input that is no array.
    input_bits,
    /// Regions of memory.
    regions,
    /// Regions in which objects may be that are made at run time.
    dynamic,
    /// Stores to memory.
    stores,
    /// Different operations on floats.
    floats,
    /// Different products, quotients and remainders of terms of which neither is constant.
    nonlinear,
    /// Different quotients and remainders.
    divisions,
    /// Different bitwise operations and shifts.
    bitwise,
    /// Different comparisons.
    comparisons,
}

impl Features {
    /// Of the program.
    pub fn of(program: &Program) -> Self {
        let mut features = Self {
            edges: program.edges.len() as u64,
            variables: program.variables.len() as u64,
            regions: program.regions.len() as u64,
            ..Self::default()
        };
        let dynamic = program.regions.iter().filter(|region| region.dynamic);
        features.dynamic = dynamic.count() as u64;
        features.count_edges(program);
        let terms = program.edges.iter().flat_map(|edge| &edge.operations);
        let terms = terms.flat_map(Operation::terms);
        for_each_subterm(store(), terms, |_, kind| {
            if let TermKind::Apply { op, arguments } = kind {
                features.count_term(op, arguments);
            }
        });
        features
    }

    fn count_edges(&mut self, program: &Program) {
        let calls = CallGraph::new(program);
        let cut_points = CutPoints::new(program, &calls);
        let depths = cut_points.loops().iter();
        self.loops = cut_points.loops().len() as u64;
        self.nesting = depths
            .map(|found| u64::from(found.depth) + 1)
            .max()
            .unwrap_or(0);
        let functions = (0..program.functions.len()).map(|number| FunctionId(number as u32));
        self.recursive = functions
            .filter(|&function| calls.is_recursive(function))
            .count() as u64;
        let mut with_input = vec![false; cut_points.loops().len()];
        for edge in &program.edges {
            for operation in &edge.operations {
                match operation {
                    Operation::Havoc { target, .. } => {
                        self.inputs += 1;
                        if let Some(innermost) = cut_points.innermost(edge.source) {
                            with_input[innermost.index()] = true;
                        }
                        let bits = match program.variable(*target).sort {
                            Sort::Bool => 1,
                            Sort::BitVec(width) => u64::from(width),
                            Sort::Float(format) => u64::from(format.storage_bits()),
                            Sort::Int => 64,
                            Sort::Array { .. } => 0,
                        };
                        self.input_bits = self.input_bits.max(bits);
                    }
                    Operation::Call { .. } => self.calls += 1,
                    Operation::Store { .. } => self.stores += 1,
                    _ => {}
                }
            }
        }
        self.input_loops = with_input.iter().filter(|&&reads| reads).count() as u64;
    }

    fn count_term(&mut self, op: Op, arguments: &[TermId]) {
        let is_constant = |&term: &TermId| matches!(store().kind(term), TermKind::Constant(_));
        let has_constant = arguments.iter().any(is_constant);
        match op {
            Op::BvMul | Op::IntMul => self.nonlinear += u64::from(!has_constant),
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::IntDiv | Op::IntMod => {
                self.divisions += 1;
                self.nonlinear += u64::from(!has_constant);
            }
            Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvNot | Op::BvShl | Op::BvLshr | Op::BvAshr => {
                self.bitwise += 1
            }
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe | Op::Eq => {
                self.comparisons += 1
            }
            Op::FpAdd
            | Op::FpSub
            | Op::FpMul
            | Op::FpDiv
            | Op::FpFma
            | Op::FpSqrt
            | Op::FpRem
            | Op::FpRoundToIntegral
            | Op::FpLt
            | Op::FpLe
            | Op::FpEq
            | Op::FpIsNan
            | Op::FpIsInfinite
            | Op::FpToFp(_)
            | Op::SbvToFp(_)
            | Op::UbvToFp(_)
            | Op::IntToFp(_)
            | Op::FpToSbv(_)
            | Op::FpToUbv(_)
            | Op::FpToInt => self.floats += 1,
            _ => {}
        }
    }
}
