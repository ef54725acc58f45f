//! The objects of the unit, and what lowering knows of each.

use std::ops::{Index, IndexMut};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, FunctionIndex, Leaf, Object, ObjectIndex, Place, ScalarType, Storage};
use crate::lower::vectors::parts::KnownParts;
use crate::lower::{Lowerer, Result};
use crate::memory::walk::scalar_bits;
use crate::types::{Qualifiers, Type, TypeKind};
use regatta_program::Span;

/// The objects of the unit.
#[derive(Default)]
pub(in crate::lower) struct Objects {
    objects: Vec<Object>,
    /// By object: whether it is a temporary that is assigned once, before it is read.
    temporaries: Vec<bool>,
    /// By local variable: the object that tells whether it is set ([`crate::lower::checks::initialisation`]).
    flags: FxHashMap<ObjectIndex, ObjectIndex>,
    /// Constant values with several parts, by the objects that hold them.
    known_parts: FxHashMap<ObjectIndex, KnownParts>,
    /// Objects whose contents are constant at translation time: `const` objects and literals.
    constants: FxHashSet<ObjectIndex>,
    volatile: FxHashSet<ObjectIndex>,
    /// The volatile objects of type `sig_atomic_t`.
    signalled: FxHashSet<ObjectIndex>,
    /// Whether the current declaration specifiers name `sig_atomic_t`.
    names_signal_type: bool,
    /// The objects that were declared in a system header.
    from_system: FxHashSet<ObjectIndex>,
}

/// What the unit keeps of its objects.
pub(in crate::lower) struct FinishedObjects {
    pub objects: Vec<Object>,
    pub volatile: FxHashSet<ObjectIndex>,
    pub signalled: FxHashSet<ObjectIndex>,
}

impl Objects {
    pub fn finish(self) -> FinishedObjects {
        FinishedObjects {
            objects: self.objects,
            volatile: self.volatile,
            signalled: self.signalled,
        }
    }

    fn push(&mut self, object: Object) -> ObjectIndex {
        self.objects.push(object);
        self.temporaries.push(false);
        ObjectIndex(self.objects.len() as u32 - 1)
    }

    /// Number of objects.
    pub fn count(&self) -> usize {
        self.objects.len()
    }

    pub fn all(&self) -> &[Object] {
        &self.objects
    }

    pub fn all_mut(&mut self) -> &mut [Object] {
        &mut self.objects
    }

    /// The scalar of an object that is a single one.
    pub fn scalar_of(&self, index: ObjectIndex) -> Option<ScalarType> {
        match self.get(index)?.leaves.as_slice() {
            [leaf] if leaf.count == 1 && leaf.bit_offset == 0 => Some(leaf.scalar),
            _ => None,
        }
    }

    pub fn is_automatic(&self, index: ObjectIndex) -> bool {
        let object = self.get(index);
        object.is_some_and(|object| matches!(object.storage, Storage::Automatic(_)))
    }

    pub fn get(&self, index: ObjectIndex) -> Option<&Object> {
        self.objects.get(index.0 as usize)
    }

    pub fn get_mut(&mut self, index: ObjectIndex) -> Option<&mut Object> {
        self.objects.get_mut(index.0 as usize)
    }

    /// Checks whether the object is a temporary that is assigned once, before it is read.
    pub fn is_temporary(&self, index: ObjectIndex) -> bool {
        let temporary = self.temporaries.get(index.0 as usize);
        temporary.copied().unwrap_or_default()
    }

    /// Sets whether the object is a temporary that is assigned once, before it is read.
    pub fn set_temporary(&mut self, index: ObjectIndex, is_temporary: bool) {
        if let Some(flag) = self.temporaries.get_mut(index.0 as usize) {
            *flag = is_temporary;
        }
    }

    /// The object that tells whether a local variable is set, if it has one.
    pub fn flag_of(&self, index: ObjectIndex) -> Option<ObjectIndex> {
        self.flags.get(&index).copied()
    }

    pub fn set_flag(&mut self, index: ObjectIndex, flag: ObjectIndex) {
        self.flags.insert(index, flag);
    }

    /// The objects that tell whether variables of the function are set.
    pub fn flags_in(&self, function: FunctionIndex) -> impl Iterator<Item = ObjectIndex> {
        let own = Storage::Automatic(function);
        let flags = self.flags.values().copied();
        flags.filter(move |flag| self.objects[flag.0 as usize].storage == own)
    }

    pub fn known_parts(&self, index: ObjectIndex) -> Option<&KnownParts> {
        self.known_parts.get(&index)
    }

    /// Records the constant parts that the object holds.
    pub fn set_known_parts(&mut self, index: ObjectIndex, parts: KnownParts) {
        self.known_parts.insert(index, parts);
    }

    /// Checks whether the object's contents are constant at translation time.
    pub fn is_constant(&self, index: ObjectIndex) -> bool {
        self.constants.contains(&index)
    }

    /// Records that the object's contents are constant at translation time.
    pub fn make_constant(&mut self, index: ObjectIndex) {
        self.constants.insert(index);
    }

    pub fn is_volatile(&self, index: ObjectIndex) -> bool {
        self.volatile.contains(&index)
    }

    /// Begins declaration specifiers, of which none has named `sig_atomic_t` yet.
    pub fn forget_signal_type(&mut self) {
        self.names_signal_type = false;
    }

    /// Records that the current declaration specifiers name `sig_atomic_t`.
    pub fn note_signal_type(&mut self) {
        self.names_signal_type = true;
    }

    /// Checks whether the object was declared in a system header.
    pub fn is_from_system(&self, index: ObjectIndex) -> bool {
        self.from_system.contains(&index)
    }

    pub fn note_from_system(&mut self, index: ObjectIndex) {
        self.from_system.insert(index);
    }
}

impl Index<ObjectIndex> for Objects {
    type Output = Object;

    fn index(&self, index: ObjectIndex) -> &Object {
        &self.objects[index.0 as usize]
    }
}

impl IndexMut<ObjectIndex> for Objects {
    fn index_mut(&mut self, index: ObjectIndex) -> &mut Object {
        &mut self.objects[index.0 as usize]
    }
}

impl Lowerer<'_> {
    pub(in crate::lower) fn add_object(
        &mut self,
        name: String,
        ty: Type,
        storage: Storage,
        span: Span,
    ) -> Result<ObjectIndex> {
        let (size, alignment) = if self.types.is_complete(ty) {
            (self.size_of(ty)?, self.alignment_of(ty)?)
        } else {
            (0, 1)
        };
        let leaves = self.types.leaves(ty);
        let mut element = ty;
        while let TypeKind::Array { element: inner, .. } = *self.types.kind(element) {
            element = inner.qualified(element.qualifiers);
        }
        let is_const = element.qualifiers.contains(Qualifiers::CONST);
        let is_volatile = element.qualifiers.contains(Qualifiers::VOLATILE);
        let object = self.push_object(Object {
            name,
            size,
            alignment,
            storage,
            constant: is_const && !is_volatile,
            leaves,
            blocks: Vec::new(),
            span,
        });
        let objects = &mut self.objects;
        if is_const {
            objects.constants.insert(object);
        }
        if is_volatile {
            objects.volatile.insert(object);
            if objects.names_signal_type && self.types.is_integer(element) {
                objects.signalled.insert(object);
            }
        }
        Ok(object)
    }

    pub(in crate::lower) fn push_object(&mut self, mut object: Object) -> ObjectIndex {
        if matches!(object.storage, Storage::Automatic(_)) {
            object.blocks = self.scopes.blocks();
        }
        self.objects.push(object)
    }

    /// Creates a scalar temporary of the current function.
    pub(in crate::lower) fn temporary(&mut self, scalar: ScalarType) -> ObjectIndex {
        let (size, alignment) = self.types.scalar_layout(scalar);
        let bits = scalar_bits(scalar, self.input.pointer_bits());
        let name = self.function.name_temporary();
        let index = self.push_object(Object {
            name,
            size,
            alignment,
            storage: Storage::Automatic(self.function.index()),
            constant: false,
            leaves: vec![Leaf {
                bit_offset: 0,
                bits,
                scalar,
                count: 1,
                stride: u64::from(bits),
            }],
            blocks: Vec::new(),
            span: self.cursor.span(),
        });
        self.objects.set_temporary(index, true);
        index
    }

    pub(in crate::lower) fn temporary_object(&mut self, ty: Type) -> Result<ObjectIndex> {
        let name = self.function.name_temporary();
        let storage = Storage::Automatic(self.function.index());
        self.add_object(name, ty, storage, self.cursor.span())
    }

    pub(in crate::lower) fn object_place(&self, object: ObjectIndex, scalar: ScalarType) -> Place {
        Place::new(Expr::ObjectAddress(object), scalar)
    }

    pub(in crate::lower) fn load_object(&self, object: ObjectIndex, scalar: ScalarType) -> Expr {
        Expr::Load(self.object_place(object, scalar))
    }
}
