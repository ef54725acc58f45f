//! What emitting only reads: the unit, the results of the steps before, and what follows from them alone.

use crate::ir::{FunctionIndex, ObjectIndex, ScalarType, Storage, Unit};
use crate::memory::MemoryOptions;
use crate::memory::analysis::constraints::Facts;
use crate::memory::emit::calls::Interface;
use crate::memory::operators::arithmetic::{Semantics, pool};
use crate::memory::placement::plan::{ClassId, FieldPlan, Home, Plan, Planner, Representation};
use regatta_program::{Arithmetic, CScalar, FunctionId, VariableId};
use regatta_term::{Build, RoundingMode, Sort, TermId};

/// The unit and the results of the steps before.
pub(in crate::memory::emit) struct Tables<'a, 'b> {
    pub(in crate::memory::emit) unit: &'a Unit,
    pub(in crate::memory::emit) options: &'b MemoryOptions,
    pub(in crate::memory::emit) facts: &'b Facts<'a>,
    pub(in crate::memory::emit) plan: &'b Plan,
    pub(in crate::memory::emit) planner: &'b Planner<'a, 'b>,
    pub(in crate::memory::emit) semantics: Semantics,
    pub(in crate::memory::emit) function_ids: &'b [Option<FunctionId>],
    /// How the functions are called.
    pub(in crate::memory::emit) interfaces: Vec<Option<Interface>>,
    /// The automatic objects of each function.
    locals_of: Vec<Vec<ObjectIndex>>,
    /// The variable that holds the rounding mode, if it can change, and its term.
    rounding: Option<(VariableId, TermId)>,
}

impl<'a, 'b> Tables<'a, 'b> {
    /// The tables; `rounding` is the variable that holds the rounding mode, if it can change, and its term.
    pub(in crate::memory::emit) fn new(
        unit: &'a Unit,
        options: &'b MemoryOptions,
        planner: &'b Planner<'a, 'b>,
        plan: &'b Plan,
        rounding: Option<(VariableId, TermId)>,
    ) -> Self {
        let mut locals_of = vec![Vec::new(); unit.functions.len()];
        for (index, object) in unit.objects.iter().enumerate() {
            if let Storage::Automatic(function) = object.storage {
                locals_of[function.0 as usize].push(ObjectIndex(index as u32));
            }
        }
        Self {
            unit,
            options,
            facts: planner.facts,
            plan,
            planner,
            semantics: Semantics {
                arithmetic: options.arithmetic,
                pointer_bits: unit.data_model.pointer_bits(),
            },
            function_ids: planner.function_ids,
            interfaces: Vec::new(),
            locals_of,
            rounding,
        }
    }

    /// The variable that holds the rounding mode, if it can change.
    pub(in crate::memory::emit) fn rounding_variable(&self) -> Option<VariableId> {
        self.rounding.map(|(variable, _)| variable)
    }

    /// The current rounding mode.
    pub(in crate::memory::emit) fn mode(&self) -> TermId {
        match self.rounding {
            Some((_, term)) => term,
            None => pool().rounding(RoundingMode::NearestEven),
        }
    }

    /// The automatic objects of a function.
    pub(in crate::memory::emit) fn locals_of(&self, function: FunctionIndex) -> &[ObjectIndex] {
        &self.locals_of[function.0 as usize]
    }

    /// The automatic objects of a function that get their addresses at run time, with the variables that hold these.
    pub(in crate::memory::emit) fn dynamic_locals(
        &self,
        function: FunctionIndex,
    ) -> Vec<(ObjectIndex, ClassId, VariableId)> {
        self.locals_of[function.0 as usize]
            .iter()
            .filter_map(|&object| match self.home(object) {
                Home::Dynamic(id, variable) => Some((object, id, variable)),
                _ => None,
            })
            .collect()
    }
}

impl<'b> Tables<'_, 'b> {
    pub(in crate::memory::emit) fn home(&self, object: ObjectIndex) -> Home {
        self.plan.homes[object.0 as usize]
    }

    pub(in crate::memory::emit) const fn pointer_sort(&self) -> Sort {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => Sort::BitVec(self.semantics.pointer_bits),
            Arithmetic::Integer => Sort::Int,
        }
    }

    pub(in crate::memory::emit) fn pointer_constant(&self, value: i128) -> TermId {
        self.semantics.constant(value, ScalarType::Pointer)
    }

    pub(in crate::memory::emit) fn pointer_add(&self, a: TermId, b: TermId) -> TermId {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().add(a, b),
            Arithmetic::Integer => pool().int_add(a, b),
        }
    }

    pub(in crate::memory::emit) fn pointer_sub(&self, a: TermId, b: TermId) -> TermId {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().sub(a, b),
            Arithmetic::Integer => pool().int_sub(a, b),
        }
    }

    pub(in crate::memory::emit) const fn c_scalar(scalar: ScalarType) -> CScalar {
        match scalar {
            ScalarType::Integer { bits, signed } => CScalar::Integer { bits, signed },
            ScalarType::Bool => CScalar::Bool,
            ScalarType::Float(_) => CScalar::Float,
            ScalarType::Pointer => CScalar::Pointer,
        }
    }

    /// The representation in which a scalar of the type is loaded and stored; `bits` is the width of the access.
    pub(in crate::memory::emit) fn form(&self, scalar: ScalarType, bits: u32) -> Representation {
        match (scalar, self.semantics.arithmetic) {
            (ScalarType::Bool, _) => Representation::Bool,
            (ScalarType::Float(format), _) => Representation::Float(format),
            (_, Arithmetic::Integer) => Representation::Int,
            (_, Arithmetic::BitVector) => Representation::Bits(bits.clamp(1, 128) as u8),
        }
    }

    pub(in crate::memory::emit) fn class_fields(&self, id: ClassId) -> &'b [FieldPlan] {
        &self.plan.class_by_id(id).fields
    }
}
