//! C's types.
//!
//! A [`Type`] is a small `Copy` value: an index into the [`TypeTable`] of one translation, which interns types, with
//! the qualifiers, and with the alignment that a `typedef` or an attribute adds. [`layout`] gives sizes, alignments and
//! the scalar members of an object; [`record`] lays out structs and unions as gcc does on x86; [`relation`] decides
//! compatibility, and the types in which operators compute.

mod across;
pub(crate) mod constant;
mod definition;
pub mod layout;
mod limits;
mod places;
pub mod record;
pub mod relation;

use std::fmt::Write as _;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ir::{ObjectIndex, ScalarType};
use regatta_program::DataModel;
use regatta_term::FloatFormat;

pub use record::{Field, FieldPath, Record, RecordKind, VariableLayout};

/// Index of a type without its qualifiers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(u32);

/// Index of a struct or union.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordId(pub(super) u32);

/// Index of an enumeration.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumerationId(u32);

bitflags::bitflags! {
    /// Type qualifiers. `restrict` and `_Atomic` have no meaning for a sequential program and are not stored.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct Qualifiers: u8 {
        const CONST = 1;
        const VOLATILE = 2;
        /// `noreturn`, of a function type; it does not affect compatibility.
        const NORETURN = 4;
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub id: TypeId,
    pub qualifiers: Qualifiers,
    /// The requested alignment: the exponent of the power of two plus one, or zero if there is none.
    alignment: u8,
    /// Whether `_Atomic` requested the alignment.
    is_aligned_as_atomic: bool,
}

impl Type {
    const fn plain(id: u32) -> Self {
        Self {
            id: TypeId(id),
            qualifiers: Qualifiers::empty(),
            alignment: 0,
            is_aligned_as_atomic: false,
        }
    }

    pub const VOID: Self = Self::plain(0);
    pub const BOOL: Self = Self::plain(1);
    pub const CHAR: Self = Self::plain(2);
    pub const INT: Self = Self::plain(3);
    pub const UNSIGNED_INT: Self = Self::plain(4);
    pub const LONG: Self = Self::plain(5);
    pub const UNSIGNED_LONG: Self = Self::plain(6);
    pub const DOUBLE: Self = Self::plain(7);

    /// The type with further qualifiers.
    pub fn qualified(self, qualifiers: Qualifiers) -> Self {
        Self {
            qualifiers: self.qualifiers | qualifiers,
            ..self
        }
    }

    /// The type with exactly these qualifiers.
    pub fn with_qualifiers(self, qualifiers: Qualifiers) -> Self {
        Self { qualifiers, ..self }
    }

    /// The other type, with the qualifiers and alignment of this one.
    pub fn replaced(self, other: Self) -> Self {
        Self {
            id: other.id,
            ..self
        }
    }

    /// The type without qualifiers and requested alignment.
    pub fn unqualified(self) -> Self {
        Self {
            qualifiers: Qualifiers::empty(),
            alignment: 0,
            is_aligned_as_atomic: false,
            ..self
        }
    }

    /// The type with an alignment of at least the given power of two in bytes.
    pub fn aligned(self, alignment: u64) -> Self {
        let exponent = alignment.max(1).trailing_zeros() as u8 + 1;
        Self {
            alignment: self.alignment.max(exponent),
            is_aligned_as_atomic: false,
            ..self
        }
    }

    /// The type with an alignment that `_Atomic` requests.
    pub fn aligned_as_atomic(self, alignment: u64) -> Self {
        Self {
            is_aligned_as_atomic: self.alignment == 0,
            ..self.aligned(alignment)
        }
    }

    /// Whether an attribute gave it an alignment.
    pub fn is_user_aligned(self) -> bool {
        self.alignment > 0 && !self.is_aligned_as_atomic
    }

    /// The alignment that an attribute or `_Atomic` gave it, in bytes.
    pub fn requested_alignment(self) -> Option<u64> {
        (self.alignment > 0).then(|| 1 << (self.alignment - 1))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    Void,
    Bool,
    Integer(IntegerKind),
    Float(FloatKind),
    /// A complex type: two parts of the real floating type or (in GNU C) integer type.
    Complex(Type),
    /// A type with values of which only the size of the representation is known.
    Opaque(OpaqueKind),
    Enumeration(EnumerationId),
    Pointer(Type),
    Array {
        element: Type,
        length: ArrayLength,
    },
    Function(Rc<FunctionType>),
    Record(RecordId),
    /// GNU C: a vector of the given number of elements, integers or floats.
    Vector {
        element: Type,
        count: u64,
    },
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArrayLength {
    Constant(u64),
    /// Not given: an incomplete type.
    Unknown,
    /// Computed at run time: the object of type `size_t` that holds the number of elements.
    Variable(ObjectIndex),
    /// Computed at run time, but not needed (`[*]`, or an expression in a prototype).
    Unspecified,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub result: Type,
    /// The parameters' types, with arrays and functions adjusted to pointers.
    pub parameters: Vec<Type>,
    /// Whether and how the parameters are declared.
    pub form: ParameterForm,
}

/// How a function type declares its parameters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParameterForm {
    /// A prototype: exactly these.
    Fixed,
    /// A prototype with `...`: these and more.
    Variadic,
    /// `()` or an old-style definition: arguments are promoted and not checked.
    Unspecified,
}

/// The integer types except `_Bool` and enumerations.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntegerKind {
    /// `char`, signed on x86.
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    /// The value of a bit-field wider than `int` and narrower than its declared type: gcc computes in exactly that
    /// width.
    Exact {
        bits: u8,
        signed: bool,
    },
    /// `_BitInt(bits)`. Its objects have the next larger size of the other types, and its values are extended to that
    /// size; operators compute in that size, and their results are truncated to the width (`narrowed` in the lowering).
    BitInt {
        bits: u8,
        signed: bool,
    },
}

impl IntegerKind {
    pub fn bits(self, model: DataModel) -> u8 {
        match self {
            Self::Char | Self::SignedChar | Self::UnsignedChar => 8,
            Self::Short | Self::UnsignedShort => 16,
            Self::Int | Self::UnsignedInt => 32,
            Self::Long | Self::UnsignedLong => model.pointer_bits(),
            Self::LongLong | Self::UnsignedLongLong => 64,
            Self::Int128 | Self::UnsignedInt128 => 128,
            Self::Exact { bits, .. } | Self::BitInt { bits, .. } => bits,
        }
    }

    /// Width of the representation of a value, in bits.
    pub fn storage_bits(self, model: DataModel) -> u8 {
        match self {
            // Wide ones are made of words of the machine.
            Self::BitInt { bits, .. } if model == DataModel::Ilp32 && matches!(bits, 65..=96) => 96,
            Self::BitInt { bits, .. } => bits.max(8).next_power_of_two(),
            other => other.bits(model),
        }
    }

    pub fn is_signed(self) -> bool {
        match self {
            Self::Char
            | Self::SignedChar
            | Self::Short
            | Self::Int
            | Self::Long
            | Self::LongLong
            | Self::Int128 => true,
            Self::Exact { signed, .. } | Self::BitInt { signed, .. } => signed,
            _ => false,
        }
    }

    /// The unsigned type of the same rank.
    pub fn unsigned(self) -> Self {
        match self {
            Self::Char | Self::SignedChar => Self::UnsignedChar,
            Self::Short => Self::UnsignedShort,
            Self::Int => Self::UnsignedInt,
            Self::Long => Self::UnsignedLong,
            Self::LongLong => Self::UnsignedLongLong,
            Self::Int128 => Self::UnsignedInt128,
            Self::Exact { bits, .. } => Self::Exact {
                bits,
                signed: false,
            },
            Self::BitInt { bits, .. } => Self::BitInt {
                bits,
                signed: false,
            },
            other => other,
        }
    }
}

/// The real floating types. `_Float32`, `_Float64` and their like are represented by the type of the same format.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    /// `long double`, the x87 format.
    LongDouble,
    Float128,
}

impl FloatKind {
    /// The format of its values.
    pub const fn format(self) -> FloatFormat {
        match self {
            Self::Float16 => FloatFormat::F16,
            Self::Float => FloatFormat::F32,
            Self::Double => FloatFormat::F64,
            Self::LongDouble => FloatFormat::F80,
            Self::Float128 => FloatFormat::F128,
        }
    }
}

/// Types that can be named and laid out, but without computations on their values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueKind {
    Decimal32,
    Decimal64,
    Decimal128,
    Bfloat16,
    /// `_BitInt` of more than 128 bits: words of the machine.
    BitInt {
        bits: u32,
        signed: bool,
    },
    /// The type of a call of a compiler's function that is not modelled, whatever it is; without any representation.
    Unknown,
}

impl OpaqueKind {
    /// The integer that represents a piece of a value, and the number of pieces.
    const fn representation(self, model: DataModel) -> (IntegerKind, u64) {
        match self {
            Self::Decimal32 => (IntegerKind::UnsignedInt, 1),
            Self::Decimal64 => (IntegerKind::UnsignedLongLong, 1),
            Self::Decimal128 => (IntegerKind::UnsignedLongLong, 2),
            Self::Bfloat16 => (IntegerKind::UnsignedShort, 1),
            Self::BitInt { bits, .. } => (
                IntegerKind::UnsignedLong,
                bits.div_ceil(model.pointer_bits() as u32) as u64,
            ),
            Self::Unknown => (IntegerKind::UnsignedChar, 0),
        }
    }

    fn describe(self, text: &mut String) {
        text.push_str(match self {
            Self::Decimal32 => "_Decimal32",
            Self::Decimal64 => "_Decimal64",
            Self::Decimal128 => "_Decimal128",
            Self::Bfloat16 => "__bf16",
            Self::BitInt { bits, signed } => {
                let sign = if signed { "" } else { "unsigned " };
                let _ = write!(text, "{sign}_BitInt({bits})");
                return;
            }
            Self::Unknown => "(unknown)",
        });
    }
}

#[derive(Clone, Debug)]
pub struct Enumeration {
    pub tag: Option<String>,
    /// The integer type that represents it, as gcc chooses it.
    pub representation: IntegerKind,
    /// Whether its representation is known.
    pub complete: bool,
    /// Whether its enumerators are known.
    pub is_defined: bool,
    /// Whether the program declares the representation.
    pub is_fixed: bool,
    /// Whether that is `bool`.
    pub is_truth: bool,
}

/// All types of one translation.
#[derive(Debug)]
pub struct TypeTable {
    kinds: Vec<TypeKind>,
    ids: FxHashMap<TypeKind, TypeId>,
    pub(super) records: Vec<Record>,
    enumerations: Vec<Enumeration>,
    /// Sizes of the basic types.
    pub model: DataModel,
    va_list: Option<Type>,
    null_pointer: Option<Type>,
    argument_pack: Option<Type>,
    /// Whether structs with the same tag and members are compatible, as in C23.
    pub compares_members: bool,
}

impl TypeTable {
    /// A table with the basic types.
    pub fn new(model: DataModel) -> Self {
        let mut table = Self {
            kinds: Vec::new(),
            ids: FxHashMap::default(),
            records: Vec::new(),
            enumerations: Vec::new(),
            model,
            va_list: None,
            null_pointer: None,
            argument_pack: None,
            compares_members: false,
        };
        // In the order of the constants above.
        for kind in [
            TypeKind::Void,
            TypeKind::Bool,
            TypeKind::Integer(IntegerKind::Char),
            TypeKind::Integer(IntegerKind::Int),
            TypeKind::Integer(IntegerKind::UnsignedInt),
            TypeKind::Integer(IntegerKind::Long),
            TypeKind::Integer(IntegerKind::UnsignedLong),
            TypeKind::Float(FloatKind::Double),
        ] {
            table.intern(kind);
        }
        table
    }

    pub fn intern(&mut self, kind: TypeKind) -> Type {
        if let Some(&id) = self.ids.get(&kind) {
            return Type::plain(id.0);
        }
        let id = TypeId(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.ids.insert(kind, id);
        Type::plain(id.0)
    }

    pub fn kind(&self, of: Type) -> &TypeKind {
        &self.kinds[of.id.0 as usize]
    }

    pub fn integer(&mut self, kind: IntegerKind) -> Type {
        self.intern(TypeKind::Integer(kind))
    }

    pub fn float(&mut self, kind: FloatKind) -> Type {
        self.intern(TypeKind::Float(kind))
    }

    pub fn pointer(&mut self, target: Type) -> Type {
        self.intern(TypeKind::Pointer(target))
    }

    /// The complex type with parts of the type.
    pub fn complex(&mut self, element: Type) -> Type {
        self.intern(TypeKind::Complex(element.unqualified()))
    }

    /// The vector type with `count` elements.
    pub fn vector(&mut self, element: Type, count: u64) -> Type {
        let element = element.unqualified();
        self.intern(TypeKind::Vector { element, count })
    }

    /// The scalar type and number of a complex number's parts, a vector's elements or an opaque value's pieces.
    pub fn parts(&mut self, of: Type) -> Option<(Type, u64)> {
        match *self.kind(of) {
            TypeKind::Complex(element) => Some((element, 2)),
            TypeKind::Vector { element, count } => Some((element, count)),
            TypeKind::Opaque(kind) => {
                let (piece, count) = kind.representation(self.model);
                Some((self.integer(piece), count))
            }
            _ => None,
        }
    }

    pub fn array(&mut self, element: Type, length: ArrayLength) -> Type {
        self.intern(TypeKind::Array { element, length })
    }

    pub fn function(&mut self, function: FunctionType) -> Type {
        self.intern(TypeKind::Function(Rc::new(function)))
    }

    /// `size_t`.
    pub fn size_type(&self) -> Type {
        match self.model {
            DataModel::Ilp32 => Type::UNSIGNED_INT,
            DataModel::Lp64 => Type::UNSIGNED_LONG,
        }
    }

    /// `ptrdiff_t`.
    pub fn difference_type(&self) -> Type {
        match self.model {
            DataModel::Ilp32 => Type::INT,
            DataModel::Lp64 => Type::LONG,
        }
    }

    /// `wchar_t`: `long` for ILP32 and `int` for LP64, as in gcc.
    pub fn wide_character_type(&self) -> Type {
        match self.model {
            DataModel::Ilp32 => Type::LONG,
            DataModel::Lp64 => Type::INT,
        }
    }

    /// `va_list`: a pointer to the next argument, in the layout of the target's own type (a pointer for ILP32; for LP64
    /// an array of one struct of 24 bytes, of which only the pointer at offset 8 is used).
    pub fn va_list(&mut self) -> Type {
        if let Some(known) = self.va_list {
            return known;
        }
        let made = match self.model {
            DataModel::Ilp32 => self.pointer(Type::CHAR),
            DataModel::Lp64 => {
                let pointer = self.pointer(Type::VOID);
                let fields = [
                    ("gp_offset", Type::UNSIGNED_INT),
                    ("fp_offset", Type::UNSIGNED_INT),
                    ("overflow_arg_area", pointer),
                    ("reg_save_area", pointer),
                ];
                let record = self.simple_record("__va_list_tag", &fields);
                self.array(record, ArrayLength::Constant(1))
            }
        };
        self.va_list = Some(made);
        made
    }

    /// A new enumeration without enumerators.
    pub fn declare_enumeration(&mut self, tag: Option<String>) -> Type {
        let id = EnumerationId(self.enumerations.len() as u32);
        self.enumerations.push(Enumeration {
            tag,
            representation: IntegerKind::UnsignedInt,
            complete: false,
            is_defined: false,
            is_fixed: false,
            is_truth: false,
        });
        self.intern(TypeKind::Enumeration(id))
    }

    pub fn enumeration(&self, id: EnumerationId) -> &Enumeration {
        &self.enumerations[id.0 as usize]
    }

    /// Sets the representation of an enumeration.
    pub fn complete_enumeration(&mut self, id: EnumerationId, representation: IntegerKind) {
        let enumeration = &mut self.enumerations[id.0 as usize];
        enumeration.representation = representation;
        enumeration.complete = true;
    }

    /// Sets the representation that the program declares for an enumeration.
    pub fn fix_enumeration(&mut self, id: EnumerationId, representation: IntegerKind) {
        self.complete_enumeration(id, representation);
        self.enumerations[id.0 as usize].is_fixed = true;
    }

    /// Fixes `bool` as what represents an enumeration, as the program says.
    pub fn fix_enumeration_of_truth(&mut self, id: EnumerationId) {
        self.fix_enumeration(id, IntegerKind::UnsignedChar);
        self.enumerations[id.0 as usize].is_truth = true;
    }

    /// Whether values of a type are true and false only: `bool`, and enumerations that it represents.
    pub fn is_truth(&self, of: Type) -> bool {
        match self.kind(of) {
            TypeKind::Bool => true,
            TypeKind::Enumeration(id) => self.enumeration(*id).is_truth,
            _ => false,
        }
    }

    /// Notes that an enumeration's enumerators are known.
    pub fn define_enumeration(&mut self, id: EnumerationId) {
        self.enumerations[id.0 as usize].is_defined = true;
    }

    /// The integer kind of an integer type or enumeration; `None` for `_Bool`, what it represents, and everything else.
    pub fn integer_kind(&self, of: Type) -> Option<IntegerKind> {
        match self.kind(of) {
            TypeKind::Integer(kind) => Some(*kind),
            TypeKind::Enumeration(id) if !self.enumeration(*id).is_truth => {
                Some(self.enumeration(*id).representation)
            }
            _ => None,
        }
    }

    /// The representation of values of a scalar type; `None` for every other type.
    pub fn scalar(&self, of: Type) -> Option<ScalarType> {
        Some(match self.kind(of) {
            _ if self.is_truth(of) => ScalarType::Bool,
            TypeKind::Integer(_) | TypeKind::Enumeration(_) => {
                let kind = self.integer_kind(of)?;
                ScalarType::Integer {
                    bits: kind.storage_bits(self.model),
                    signed: kind.is_signed(),
                }
            }
            TypeKind::Float(kind) => ScalarType::Float(kind.format()),
            TypeKind::Pointer(_) => ScalarType::Pointer,
            _ => return None,
        })
    }

    /// The target type of a pointer type.
    pub fn pointee(&self, of: Type) -> Option<Type> {
        match self.kind(of) {
            TypeKind::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    /// The width and the signedness of a bit-precise type.
    pub fn bit_precise(&self, of: Type) -> Option<(u8, bool)> {
        match self.integer_kind(of) {
            Some(IntegerKind::BitInt { bits, signed }) => Some((bits, signed)),
            _ => None,
        }
    }

    /// The type of `nullptr`: a pointer to a struct of its own.
    pub fn null_pointer_type(&mut self) -> Type {
        if let Some(known) = self.null_pointer {
            return known;
        }
        let target = self.declare_record(RecordKind::Struct, None);
        let made = self.pointer(target);
        self.null_pointer = Some(made);
        made
    }

    /// Whether it is the type of `nullptr`.
    pub fn is_null_pointer_type(&self, of: Type) -> bool {
        self.null_pointer.is_some_and(|known| known.id == of.id)
    }

    /// The type of all variable arguments of a function together, as `__builtin_va_arg_pack` passes them on: a pointer to
    /// what nothing else points to.
    pub fn argument_pack_type(&mut self) -> Type {
        if let Some(known) = self.argument_pack {
            return known;
        }
        let target = self.declare_record(RecordKind::Struct, None);
        let made = self.pointer(target);
        self.argument_pack = Some(made);
        made
    }

    /// Whether it is the type of all variable arguments of a function together.
    pub fn is_argument_pack(&self, of: Type) -> bool {
        self.argument_pack.is_some_and(|known| known.id == of.id)
    }

    /// A type without qualifiers, also those of an array's elements.
    pub fn without_qualifiers(&mut self, ty: Type) -> Type {
        match *self.kind(ty) {
            TypeKind::Array { element, length } => {
                let element = self.without_qualifiers(element);
                self.array(element, length)
            }
            _ => ty.unqualified(),
        }
    }

    /// The function type of a function type or of a pointer to one.
    pub fn function_type(&self, of: Type) -> Option<Rc<FunctionType>> {
        match self.kind(of) {
            TypeKind::Function(function) => Some(Rc::clone(function)),
            TypeKind::Pointer(target) => match self.kind(*target) {
                TypeKind::Function(function) => Some(Rc::clone(function)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether calls of a function type, or through a pointer to one, do not return.
    pub fn never_returns(&self, of: Type) -> bool {
        let function = self.pointee(of).unwrap_or(of);
        self.is_function(function) && function.qualifiers.contains(Qualifiers::NORETURN)
    }

    /// A function type, or a pointer to one, with `noreturn`; other types do not change.
    pub fn without_return(&mut self, ty: Type) -> Type {
        match self.pointee(ty) {
            Some(target) if self.is_function(target) => {
                let pointer = self.pointer(target.qualified(Qualifiers::NORETURN));
                ty.replaced(pointer)
            }
            None if self.is_function(ty) => ty.qualified(Qualifiers::NORETURN),
            _ => ty,
        }
    }

    pub fn is_void(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeKind::Void)
    }

    /// Whether it is an integer type (`_Bool` and enumerations included).
    pub fn is_integer(&self, of: Type) -> bool {
        matches!(
            self.kind(of),
            TypeKind::Bool | TypeKind::Integer(_) | TypeKind::Enumeration(_)
        )
    }

    pub fn is_float(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeKind::Float(_))
    }

    /// Whether it is an integer or a real floating type.
    pub fn is_arithmetic(&self, of: Type) -> bool {
        self.is_integer(of) || self.is_float(of)
    }

    pub fn is_complex(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeKind::Complex(_))
    }

    pub fn is_vector(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeKind::Vector { .. })
    }

    pub fn is_pointer(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeKind::Pointer(_))
    }

    pub fn is_function(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeKind::Function(_))
    }

    pub fn is_array(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeKind::Array { .. })
    }

    /// The type in C-like notation, for messages.
    pub fn describe(&self, of: Type) -> String {
        let mut text = String::new();
        if of.qualifiers.contains(Qualifiers::CONST) {
            text.push_str("const ");
        }
        if of.qualifiers.contains(Qualifiers::VOLATILE) {
            text.push_str("volatile ");
        }
        match self.kind(of) {
            TypeKind::Void => text.push_str("void"),
            TypeKind::Bool => text.push_str("_Bool"),
            TypeKind::Integer(kind) => text.push_str(match kind {
                IntegerKind::Char => "char",
                IntegerKind::SignedChar => "signed char",
                IntegerKind::UnsignedChar => "unsigned char",
                IntegerKind::Short => "short",
                IntegerKind::UnsignedShort => "unsigned short",
                IntegerKind::Int => "int",
                IntegerKind::UnsignedInt => "unsigned int",
                IntegerKind::Long => "long",
                IntegerKind::UnsignedLong => "unsigned long",
                IntegerKind::LongLong => "long long",
                IntegerKind::UnsignedLongLong => "unsigned long long",
                IntegerKind::Int128 => "__int128",
                IntegerKind::UnsignedInt128 => "unsigned __int128",
                IntegerKind::Exact { signed: true, .. } => "(bit-field)",
                IntegerKind::Exact { signed: false, .. } => "(unsigned bit-field)",
                IntegerKind::BitInt { bits, signed } => {
                    let sign = if *signed { "" } else { "unsigned " };
                    let _ = write!(text, "{sign}_BitInt({bits})");
                    return text;
                }
            }),
            TypeKind::Float(kind) => text.push_str(match kind {
                FloatKind::Float16 => "_Float16",
                FloatKind::Float => "float",
                FloatKind::Double => "double",
                FloatKind::LongDouble => "long double",
                FloatKind::Float128 => "_Float128",
            }),
            TypeKind::Complex(element) => {
                let _ = write!(text, "_Complex {}", self.describe(*element));
            }
            TypeKind::Opaque(kind) => kind.describe(&mut text),
            TypeKind::Enumeration(id) => {
                let tag = self.enumeration(*id).tag.as_deref().unwrap_or("{…}");
                let _ = write!(text, "enum {tag}");
            }
            TypeKind::Pointer(_) if self.is_null_pointer_type(of) => text.push_str("nullptr_t"),
            TypeKind::Pointer(target) => {
                let _ = write!(text, "{} *", self.describe(*target));
            }
            TypeKind::Array { element, length } => {
                let element = self.describe(*element);
                let _ = match length {
                    ArrayLength::Constant(length) => write!(text, "{element}[{length}]"),
                    ArrayLength::Unknown => write!(text, "{element}[]"),
                    _ => write!(text, "{element}[*]"),
                };
            }
            TypeKind::Function(function) => {
                let parameters: Vec<String> = function
                    .parameters
                    .iter()
                    .map(|&parameter| self.describe(parameter))
                    .collect();
                let result = self.describe(function.result);
                let _ = write!(text, "{result}({}", parameters.join(", "));
                text.push_str(match (function.form, parameters.is_empty()) {
                    (ParameterForm::Variadic, _) => ", ...)",
                    (ParameterForm::Fixed, true) => "void)",
                    _ => ")",
                });
            }
            TypeKind::Record(id) => {
                let record = self.record(*id);
                let kind = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                let tag = record.tag.as_deref().unwrap_or("{…}");
                let _ = write!(text, "{kind} {tag}");
            }
            TypeKind::Vector { element, count } => {
                let _ = write!(text, "vector of {count} {}", self.describe(*element));
            }
        }
        text
    }
}
