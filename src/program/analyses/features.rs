//! Features of programs: numbers by which a portfolio chooses the engines to start with.

use std::collections::BTreeMap;

use crate::call_graph::CallGraph;
use crate::cfa::{FunctionId, Operation, Program, Role};
use crate::cut_points::CutPoints;
use regatta_term::{Op, Pool, Sort, TermId, TermKind, for_each_subterm, store};

/// Declares the features: the name of each field and its meaning.
macro_rules! features {
    ($( $(#[doc = $doc:literal])+ $field:ident, )+) => {
        /// Features that are cheap to compute: one pass over the edges, one over their terms.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
        pub struct Features {
            $( $(#[doc = $doc])+ pub $field: u64, )+
        }

        impl Features {
            /// The names of the features in portfolio files, events and results.
            pub const NAMES: &[&str] = &[$(stringify!($field)),+];

            /// Returns the feature of that name.
            pub fn get(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($field) => Some(self.$field),)+
                    _ => None,
                }
            }

            /// Builds the features from numbers by name; missing features are zero, unknown names are ignored.
            pub fn from_names(numbers: &BTreeMap<String, u64>) -> Self {
                let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
                Self {
                    $($field: number(stringify!($field)),)+
                }
            }

            /// Returns all features by name.
            pub fn by_name(&self) -> BTreeMap<String, u64> {
                [$((stringify!($field).to_owned(), self.$field)),+].into()
            }
        }
    };
}

features! {
    /// Number of edges of the automaton.
    edges,
    /// Number of variables, those of memory regions included.
    variables,
    /// Number of loops.
    loops,
    /// Maximum nesting depth of loops.
    nesting,
    /// Number of loops in which an input is read.
    input_loops,
    /// Number of functions that call themselves, directly or through others.
    recursive,
    /// Number of calls in the simplified program.
    calls,
    /// Number of operations that read an input.
    inputs,
    /// Width in bits of the widest input that is not an array.
    input_bits,
    /// Number of memory regions.
    regions,
    /// Number of memory regions that may contain objects created at run time.
    dynamic,
    /// Number of arrays in which the memory model records which objects exist.
    records,
    /// Number of stores to memory.
    stores,
    /// Number of distinct operations on floats.
    floats,
    /// Number of distinct products, quotients and remainders without a constant operand.
    nonlinear,
    /// Number of distinct quotients and remainders.
    divisions,
    /// Number of distinct bitwise operations and shifts.
    bitwise,
    /// Number of distinct comparisons.
    comparisons,
}

impl Features {
    /// Computes the features of the program.
    pub fn of(program: &Program) -> Self {
        let mut features = Self {
            edges: program.edges.len() as u64,
            variables: program.variables.len() as u64,
            regions: program.regions.len() as u64,
            ..Self::default()
        };
        let dynamic = program.regions.iter().filter(|region| region.dynamic);
        features.dynamic = dynamic.count() as u64;
        let records = program.variables.iter().filter(|variable| {
            variable.role == Role::Model && matches!(variable.sort, Sort::Array { .. })
        });
        features.records = records.count() as u64;
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
