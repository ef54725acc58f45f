//! Declaration specifiers: storage classes, basic types, attributes.

use lang_c::ast;
use lang_c::span::Node;

use super::constexpr::encoded_call;
use crate::lower::limits::{MAXIMUM_BIT_PRECISE_WIDTH, MAXIMUM_VECTOR_SIZE};
use crate::lower::state::scope::{Entity, Symbol};
use crate::lower::{Lowerer, Result};
use crate::rewrite::encoding;
use crate::types::constant::{decimal_float, sized_float};
use crate::types::record::Packing;
use crate::types::{
    ArrayLength, FloatKind, FunctionType, IntegerKind, OpaqueKind, Qualifiers, Type, TypeKind,
};
use regatta_program::DataModel;

/// The storage classes that matter here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum StorageClass {
    Typedef,
    Extern,
    Static,
}

#[derive(Clone, Debug, Default)]
pub(in crate::lower) struct Attributes {
    pub packing: Packing,
    /// `aligned`, in bytes.
    pub alignment: Option<u64>,
    /// The machine mode given by `mode`.
    mode: Option<Mode>,
    /// Size of a vector type (bytes).
    pub vector_size: Option<u64>,
    /// `#pragma pack`: maximum alignment of the record's members (bytes).
    pub pack: Option<u64>,
    /// `constructor`: called before `main`, in ascending order of priority.
    pub constructor: Option<u32>,
    /// `destructor`: called when the program ends, in descending order of priority.
    pub destructor: Option<u32>,
    /// `cleanup`: the function that is called when the variable's block is left.
    pub cleanup: Option<String>,
    /// `ms_struct`: bit-fields have the layout of Microsoft's compiler, which is not modelled.
    pub microsoft_layout: bool,
    /// `counted_by`: the member that has the array's number of elements.
    pub counted_by: Option<String>,
    /// `naked`: the function's body is assembly, without prologue and epilogue.
    pub naked: bool,
    /// `interrupt` and the like: the machine calls the function.
    pub interrupt: bool,
    /// `noreturn`: calls do not return.
    pub noreturn: bool,
    /// `section`: the section of the object or function.
    pub section: Option<String>,
    /// `used` or `retain`: kept although nothing refers to it.
    pub used: bool,
    /// `constexpr`: the object is a constant.
    pub constant: bool,
    /// An enumeration's underlying type.
    pub underlying: Option<Type>,
}

/// The type of objects that signal handlers may write (C17 7.14p2).
const SIGNAL_TYPE: &str = "sig_atomic_t";

/// The priority of a constructor or destructor without one.
const LAST_PRIORITY: u32 = 65536;

impl Attributes {
    /// Adds the attributes of another part of the same declaration that apply to the declared object or function.
    pub(in crate::lower) fn inherit(&mut self, other: &Self) {
        self.constructor = self.constructor.or(other.constructor);
        self.destructor = self.destructor.or(other.destructor);
        self.naked |= other.naked;
        self.interrupt |= other.interrupt;
        self.noreturn |= other.noreturn;
        self.used |= other.used;
        if self.section.is_none() {
            self.section.clone_from(&other.section);
        }
        self.constant |= other.constant;
        if self.cleanup.is_none() {
            self.cleanup.clone_from(&other.cleanup);
        }
    }
}

#[derive(Copy, Clone, Debug)]
enum Mode {
    Integer(u8),
    Float(FloatKind),
    Opaque(OpaqueKind),
}

impl Mode {
    /// The size (bytes) of a vector element of this mode.
    const fn bytes(self) -> u64 {
        match self {
            Self::Integer(bits) => bits as u64 / 8,
            Self::Float(FloatKind::Float16) => 2,
            Self::Float(FloatKind::Float) => 4,
            Self::Float(FloatKind::Double) => 8,
            Self::Float(_) | Self::Opaque(_) => 16,
        }
    }
}

/// The number of elements and the element mode of a vector mode such as `V4SI`.
fn vector_mode(name: &str) -> Option<(u64, &str)> {
    let rest = name.strip_prefix('V')?;
    let digits = rest.find(|character: char| !character.is_ascii_digit())?;
    let (count, element) = rest.split_at_checked(digits)?;
    Some((count.parse().ok()?, element))
}

/// The meaning of a declaration's specifiers.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Specifiers {
    pub ty: Type,
    pub storage: Option<StorageClass>,
    pub attributes: Attributes,
}

/// The type specifiers seen so far.
#[derive(Default)]
struct BasicType {
    named: Option<Type>,
    void: bool,
    character: bool,
    short: bool,
    integer: bool,
    longs: u8,
    float: bool,
    double: bool,
    signed: bool,
    unsigned: bool,
    boolean: bool,
    complex: bool,
}

impl Lowerer<'_> {
    /// Declares the types that gcc predefines.
    pub(in crate::lower) fn declare_builtin_types(&mut self) {
        let va_list = self.types.va_list();
        let int128 = self.types.integer(IntegerKind::Int128);
        let unsigned_int128 = self.types.integer(IntegerKind::UnsignedInt128);
        let float128 = self.types.float(FloatKind::Float128);
        let bfloat16 = self.types.intern(TypeKind::Opaque(OpaqueKind::Bfloat16));
        for (name, ty) in [
            ("__builtin_va_list", va_list),
            ("__bf16", bfloat16),
            ("__int128_t", int128),
            ("__uint128_t", unsigned_int128),
            ("__int128", int128),
            ("__float128", float128),
        ] {
            let symbol = self.scopes.create(Symbol {
                ty,
                entity: Entity::Typedef,
                span: regatta_base::Span::NONE,
            });
            self.scopes.bind(name, symbol);
        }
    }

    /// Lowers the specifiers of a declaration.
    pub(in crate::lower) fn specifiers(
        &mut self,
        list: &[Node<ast::DeclarationSpecifier>],
    ) -> Result<Specifiers> {
        self.objects.forget_signal_type();
        let mut basic = BasicType::default();
        let mut qualifiers = Qualifiers::empty();
        let mut storage = None;
        let mut attributes = Attributes::default();
        let mut alignment = None;
        let mut atomic = false;
        let mut body = Attributes::default();
        let extensions = list
            .iter()
            .rev()
            .map_while(|specifier| match &specifier.node {
                ast::DeclarationSpecifier::Extension(extensions) => Some(Some(extensions)),
                ast::DeclarationSpecifier::TypeSpecifier(specifier) => {
                    (!defines_tag(&specifier.node)).then_some(None)
                }
                _ => Some(None),
            });
        let is_definition = list.iter().any(|specifier| {
            matches!(&specifier.node, ast::DeclarationSpecifier::TypeSpecifier(specifier)
                if defines_tag(&specifier.node))
        });
        if is_definition {
            for extensions in extensions.flatten() {
                self.attributes(extensions, &mut body)?;
            }
        }
        for specifier in list {
            match &specifier.node {
                ast::DeclarationSpecifier::StorageClass(class) => {
                    let class = match class.node {
                        ast::StorageClassSpecifier::Typedef => StorageClass::Typedef,
                        ast::StorageClassSpecifier::Extern => StorageClass::Extern,
                        ast::StorageClassSpecifier::Static => StorageClass::Static,
                        // The program has one thread: thread-local objects are ordinary static ones.
                        ast::StorageClassSpecifier::ThreadLocal
                        | ast::StorageClassSpecifier::Auto
                        | ast::StorageClassSpecifier::Register => continue,
                    };
                    if storage.replace(class).is_some_and(|old| old != class) {
                        return Err(self.error_at(specifier, "two storage classes"));
                    }
                }
                ast::DeclarationSpecifier::TypeSpecifier(specifier) => {
                    self.type_specifier(specifier, &body, &mut basic)?;
                }
                ast::DeclarationSpecifier::TypeQualifier(qualifier) => {
                    qualifiers |= qualifier_of(&qualifier.node);
                    atomic |= qualifier.node == ast::TypeQualifier::Atomic;
                }
                ast::DeclarationSpecifier::Function(_) => {}
                ast::DeclarationSpecifier::Alignment(specifier) => {
                    let requested = self.alignment_specifier(specifier)?;
                    alignment = alignment.max(Some(requested));
                }
                ast::DeclarationSpecifier::Extension(extensions) => {
                    self.attributes(extensions, &mut attributes)?;
                }
            }
        }
        attributes.alignment = attributes.alignment.max(alignment);
        let ty = self.basic_type(&basic)?;
        let mut ty = self.apply_mode(ty, &attributes)?.qualified(qualifiers);
        if atomic {
            ty = self.atomic_type(ty);
        }
        Ok(Specifiers {
            ty,
            storage,
            attributes,
        })
    }

    /// Lowers the specifiers of a type name or a struct's members.
    pub(in crate::lower) fn qualified_specifiers(
        &mut self,
        list: &[Node<ast::SpecifierQualifier>],
    ) -> Result<(Type, Attributes)> {
        let mut basic = BasicType::default();
        let mut qualifiers = Qualifiers::empty();
        let mut attributes = Attributes::default();
        let mut atomic = false;
        let mut body = Attributes::default();
        let extensions = list
            .iter()
            .rev()
            .map_while(|specifier| match &specifier.node {
                ast::SpecifierQualifier::Extension(extensions) => Some(Some(extensions)),
                ast::SpecifierQualifier::TypeSpecifier(specifier) => {
                    (!defines_tag(&specifier.node)).then_some(None)
                }
                ast::SpecifierQualifier::TypeQualifier(_) => Some(None),
            });
        let is_definition = list.iter().any(|specifier| {
            matches!(&specifier.node, ast::SpecifierQualifier::TypeSpecifier(specifier)
                if defines_tag(&specifier.node))
        });
        if is_definition {
            for extensions in extensions.flatten() {
                self.attributes(extensions, &mut body)?;
            }
        }
        for specifier in list {
            match &specifier.node {
                ast::SpecifierQualifier::TypeSpecifier(specifier) => {
                    self.type_specifier(specifier, &body, &mut basic)?;
                }
                ast::SpecifierQualifier::TypeQualifier(qualifier) => {
                    qualifiers |= qualifier_of(&qualifier.node);
                    atomic |= qualifier.node == ast::TypeQualifier::Atomic;
                }
                ast::SpecifierQualifier::Extension(extensions) => {
                    self.attributes(extensions, &mut attributes)?;
                }
            }
        }
        let ty = self.basic_type(&basic)?;
        let mut ty = self.apply_mode(ty, &attributes)?.qualified(qualifiers);
        if atomic {
            ty = self.atomic_type(ty);
        }
        Ok((ty, attributes))
    }

    fn type_specifier(
        &mut self,
        node: &Node<ast::TypeSpecifier>,
        body: &Attributes,
        basic: &mut BasicType,
    ) -> Result<()> {
        let flag = match &node.node {
            ast::TypeSpecifier::Void => &mut basic.void,
            ast::TypeSpecifier::Char => &mut basic.character,
            ast::TypeSpecifier::Short => &mut basic.short,
            ast::TypeSpecifier::Int => &mut basic.integer,
            ast::TypeSpecifier::Float => &mut basic.float,
            ast::TypeSpecifier::Double => &mut basic.double,
            ast::TypeSpecifier::Signed => &mut basic.signed,
            ast::TypeSpecifier::Unsigned => &mut basic.unsigned,
            ast::TypeSpecifier::Bool => &mut basic.boolean,
            ast::TypeSpecifier::Complex => &mut basic.complex,
            ast::TypeSpecifier::Long => {
                basic.longs += 1;
                if basic.longs > 2 {
                    return Err(self.error_at(node, "`long long long` is not a type"));
                }
                return Ok(());
            }
            other => {
                let ty = self.named_type(node, other, body)?;
                if basic.named.replace(ty).is_some() {
                    return Err(self.error_at(node, "two types in one declaration"));
                }
                return Ok(());
            }
        };
        if std::mem::replace(flag, true) {
            return Err(self.error_at(node, "a type specifier is repeated"));
        }
        Ok(())
    }

    fn named_type(
        &mut self,
        node: &Node<ast::TypeSpecifier>,
        specifier: &ast::TypeSpecifier,
        body: &Attributes,
    ) -> Result<Type> {
        match specifier {
            ast::TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(&name.node)?;
                Ok(self.atomic_type(ty))
            }
            ast::TypeSpecifier::Struct(record) => self.record_specifier(record, body),
            ast::TypeSpecifier::Enum(enumeration) => self.enumeration_specifier(enumeration, body),
            ast::TypeSpecifier::TypedefName(name) => {
                let found = self.scopes.lookup(&name.node.name);
                if name.node.name == SIGNAL_TYPE {
                    self.objects.note_signal_type();
                }
                match found.map(|id| self.scopes.symbol(id)) {
                    Some(symbol) if matches!(symbol.entity, Entity::Typedef) => Ok(symbol.ty),
                    _ => {
                        let message = format!("`{}` is not a type", name.node.name);
                        Err(self.error_at(node, message))
                    }
                }
            }
            ast::TypeSpecifier::TypeOf(operand) => match &operand.node {
                ast::TypeOf::Type(name) => self.type_name(&name.node),
                ast::TypeOf::Expression(expression) => {
                    if let Some((name, argument)) = encoded_call(&expression.node)
                        && let Some(ty) = self.encoded_type(name, argument)?
                    {
                        return Ok(ty);
                    }
                    // `_Alignof (name)` is encoded as the alignment of a `typeof`, whatever the name denotes.
                    if let ast::Expression::Identifier(name) = &expression.node
                        && let Some(symbol) = self.scopes.lookup(&name.node.name)
                        && let Entity::Typedef = self.scopes.symbol(symbol).entity
                    {
                        return Ok(self.scopes.symbol(symbol).ty);
                    }
                    let ty = self.unevaluated(|this| this.expression(expression))?.ty;
                    // Unlike for `sizeof`, sizes behind pointers matter.
                    match self.types.is_variably_modified(ty) {
                        true => Ok(self.expression(expression)?.ty),
                        false => Ok(ty),
                    }
                }
            },
            ast::TypeSpecifier::TS18661Float(format) if is_int128(format) => {
                Ok(self.types.integer(IntegerKind::Int128))
            }
            ast::TypeSpecifier::TS18661Float(format) => {
                match (sized_float(format), decimal_float(format)) {
                    (Some(kind), _) => Ok(self.types.float(kind)),
                    (None, Some(kind)) => Ok(self.types.intern(TypeKind::Opaque(kind))),
                    (None, None) => {
                        Err(self.error_at(node, "this floating-point type is not supported"))
                    }
                }
            }
            _ => Err(self.error_at(node, "this type is not supported")),
        }
    }

    /// The type encoded as a call in a `typeof`, if it is one; see [`encoding`].
    fn encoded_type(
        &mut self,
        name: &str,
        argument: &Node<ast::Expression>,
    ) -> Result<Option<Type>> {
        Ok(Some(match name {
            encoding::BIT_INT | encoding::UNSIGNED_BIT_INT => {
                let signed = name == encoding::BIT_INT;
                self.bit_precise_type(argument, signed)?
            }
            encoding::UNQUALIFIED => {
                let ty = self.sized_type(argument)?;
                self.types.without_qualifiers(ty)
            }
            encoding::TYPE
            | encoding::STATIC_LITERAL
            | encoding::CONSTANT_LITERAL
            | encoding::STATIC_CONSTANT_LITERAL => self.sized_type(argument)?,
            _ => return Ok(None),
        }))
    }

    /// The operand's type of a `sizeof` expression.
    fn sized_type(&mut self, node: &Node<ast::Expression>) -> Result<Type> {
        match &node.node {
            ast::Expression::SizeOfTy(operand) => self.type_name(&operand.node.0.node),
            ast::Expression::SizeOfVal(operand) => Ok(self
                .unevaluated(|this| this.expression(&operand.node.0))?
                .ty),
            _ => Err(self.error_at(node, "a type is expected")),
        }
    }

    /// Lowers `_BitInt(n)`. Types wider than `__int128` have a layout, but nothing is computed with their values.
    fn bit_precise_type(&mut self, width: &Node<ast::Expression>, signed: bool) -> Result<Type> {
        let (value, _) = self.constant_value(width)?;
        let out_of_range = "the width of a bit-precise type is out of range";
        if value < if signed { 2 } else { 1 } {
            return Err(self.error_at(width, out_of_range));
        }
        Ok(match (u8::try_from(value), u32::try_from(value)) {
            (Ok(bits), _) if bits <= 128 => {
                self.types.integer(IntegerKind::BitInt { bits, signed })
            }
            (_, Ok(bits)) if bits <= MAXIMUM_BIT_PRECISE_WIDTH => {
                let kind = OpaqueKind::BitInt { bits, signed };
                self.types.intern(TypeKind::Opaque(kind))
            }
            _ => return Err(self.error_at(width, out_of_range)),
        })
    }

    fn basic_type(&mut self, basic: &BasicType) -> Result<Type> {
        let invalid = |this: &Self| this.error("these type specifiers do not form a type");
        let integral = basic.character
            || basic.short
            || basic.integer
            || basic.longs > 0
            || basic.signed
            || basic.unsigned;
        if basic.signed && basic.unsigned {
            return Err(invalid(self));
        }
        if let Some(named) = basic.named {
            // `unsigned __int128` is the only named type that takes a sign.
            let is_int128 = self.types.integer_kind(named) == Some(IntegerKind::Int128);
            if is_int128 && (basic.signed || basic.unsigned) {
                return Ok(if basic.unsigned {
                    self.types.integer(IntegerKind::UnsignedInt128)
                } else {
                    named
                });
            }
            if integral || basic.void || basic.float || basic.double || basic.boolean {
                return Err(invalid(self));
            }
            let is_number = self.types.is_arithmetic(named);
            return Ok(match basic.complex && is_number {
                true => self.types.complex(named),
                false => named,
            });
        }
        let special = [basic.void, basic.float, basic.double, basic.boolean];
        let specials = special.iter().filter(|&&given| given).count();
        let only_long_double = basic.double
            && basic.longs == 1
            && !(basic.character || basic.short || basic.integer || basic.signed || basic.unsigned);
        if specials > 1 || (specials == 1 && integral && !only_long_double) {
            return Err(invalid(self));
        }
        if basic.void {
            return Ok(Type::VOID);
        }
        if basic.boolean {
            return Ok(Type::BOOL);
        }
        if basic.float || basic.double || (basic.complex && !integral) {
            let kind = match (basic.float, basic.longs) {
                (true, _) => FloatKind::Float,
                (false, 0) => FloatKind::Double,
                (false, _) => FloatKind::LongDouble,
            };
            let real = self.types.float(kind);
            return Ok(match basic.complex {
                true => self.types.complex(real),
                false => real,
            });
        }
        if (basic.character && (basic.short || basic.integer || basic.longs > 0))
            || (basic.short && basic.longs > 0)
        {
            return Err(invalid(self));
        }
        // The default is `int`.
        let kind = if basic.character {
            match (basic.signed, basic.unsigned) {
                (true, _) => IntegerKind::SignedChar,
                (_, true) => IntegerKind::UnsignedChar,
                _ => IntegerKind::Char,
            }
        } else {
            let signed = match (basic.short, basic.longs) {
                (true, _) => IntegerKind::Short,
                (_, 0) => IntegerKind::Int,
                (_, 1) => IntegerKind::Long,
                _ => IntegerKind::LongLong,
            };
            if basic.unsigned {
                signed.unsigned()
            } else {
                signed
            }
        };
        let real = self.types.integer(kind);
        Ok(match basic.complex {
            true => self.types.complex(real),
            false => real,
        })
    }

    fn alignment_specifier(&mut self, node: &Node<ast::AlignmentSpecifier>) -> Result<u64> {
        match &node.node {
            ast::AlignmentSpecifier::Type(name) => {
                let ty = self.type_name(&name.node)?;
                self.alignment_of(ty)
            }
            ast::AlignmentSpecifier::Constant(value) => {
                let (value, _) = self.constant_value(value)?;
                self.check_alignment(value)
            }
        }
    }

    fn check_alignment(&self, value: i128) -> Result<u64> {
        match u64::try_from(value) {
            Ok(0) => Ok(1),
            Ok(value) if value.is_power_of_two() && value <= 1 << 28 => Ok(value),
            _ => Err(self.error("the alignment is not a power of two")),
        }
    }

    /// Reads attributes; those without a meaning for verification are skipped.
    pub(in crate::lower) fn attributes(
        &mut self,
        extensions: &[Node<ast::Extension>],
        attributes: &mut Attributes,
    ) -> Result<()> {
        for extension in extensions {
            let ast::Extension::Attribute(attribute) = &extension.node else {
                continue;
            };
            let argument = attribute.arguments.first();
            match attribute.name.node.trim_matches('_') {
                "packed" => attributes.packing = Packing::Packed,
                "aligned" => {
                    let requested = match argument {
                        Some(argument) => {
                            let (value, _) = self.constant_value(argument)?;
                            self.check_alignment(value)?
                        }
                        None => 16,
                    };
                    attributes.alignment = attributes.alignment.max(Some(requested));
                }
                "vector_size" => {
                    if let Some(argument) = argument {
                        let (value, _) = self.constant_value(argument)?;
                        attributes.vector_size = u64::try_from(value).ok();
                    }
                }
                "mode" => {
                    if let Some(argument) = argument
                        && let ast::Expression::Identifier(name) = &argument.node
                    {
                        let name = name.node.name.trim_matches('_');
                        let (count, element) = vector_mode(name).unwrap_or((0, name));
                        attributes.mode = self.mode(element);
                        if let Some(mode) = attributes.mode.filter(|_| count > 0) {
                            attributes.vector_size = Some(count.saturating_mul(mode.bytes()));
                        }
                        if attributes.mode.is_none() {
                            self.refuse(&format!("the machine mode `{name}`"));
                        }
                    }
                }
                "regatta_pack" => {
                    if let Some(argument) = argument {
                        let (value, _) = self.constant_value(argument)?;
                        attributes.pack = Some(self.check_alignment(value)?);
                    }
                }
                "constructor" => attributes.constructor = Some(self.priority(argument)?),
                "destructor" => attributes.destructor = Some(self.priority(argument)?),
                "cleanup" => {
                    if let Some(argument) = argument
                        && let ast::Expression::Identifier(name) = &argument.node
                    {
                        attributes.cleanup = Some(name.node.name.clone());
                    }
                }
                "counted_by" => {
                    if let Some(argument) = argument
                        && let ast::Expression::Identifier(name) = &argument.node
                    {
                        attributes.counted_by = Some(name.node.name.clone());
                    }
                }
                "ms_struct" => attributes.microsoft_layout = true,
                "gcc_struct" => attributes.microsoft_layout = false,
                "interrupt" | "interrupt_handler" | "isr" | "signal" => attributes.interrupt = true,
                "naked" => attributes.naked = true,
                "noreturn" => attributes.noreturn = true,
                "used" | "retain" => attributes.used = true,
                "section" => {
                    attributes.section = super::linkage::string_argument(attribute);
                }
                "regatta_constexpr" => attributes.constant = true,
                "regatta_underlying" => {
                    if let Some(argument) = argument {
                        let ty = self.sized_type(argument)?;
                        attributes.underlying = Some(ty.unqualified());
                    }
                }
                "scalar_storage_order" => self.storage_order(argument),
                "hardbool" => self.refuse("the attribute `hardbool`"),
                // Attributes that `linkage` reads, or that have no effect here.
                _ => {}
            }
        }
        Ok(())
    }

    /// The priority of a constructor or destructor.
    fn priority(&mut self, argument: Option<&Node<ast::Expression>>) -> Result<u32> {
        match argument {
            Some(argument) => {
                let (value, _) = self.constant_value(argument)?;
                u32::try_from(value)
                    .ok()
                    .filter(|&value| value < LAST_PRIORITY)
                    .ok_or_else(|| self.error("the priority is out of range"))
            }
            None => Ok(LAST_PRIORITY),
        }
    }

    /// Refuses storage orders other than little-endian, the order of x86.
    fn storage_order(&mut self, argument: Option<&Node<ast::Expression>>) {
        let native = argument.is_some_and(|argument| match &argument.node {
            ast::Expression::StringLiteral(parts) => {
                crate::syntax::literal::plain_text(&parts.node) == "little-endian"
            }
            _ => false,
        });
        if !native {
            self.refuse("the attribute `scalar_storage_order`");
        }
    }

    /// Records that the program relies on something unmodelled, whichever part of it is executed.
    pub(in crate::lower) fn refuse(&mut self, what: &str) {
        if self.diagnostics.refuse(what) {
            let what = what.to_owned();
            self.in_start(|this| this.unsupported(what));
        }
    }

    fn mode(&self, name: &str) -> Option<Mode> {
        Some(match name.trim_matches('_') {
            "QI" | "byte" => Mode::Integer(8),
            "HI" => Mode::Integer(16),
            "SI" => Mode::Integer(32),
            "DI" => Mode::Integer(64),
            "TI" => Mode::Integer(128),
            "word" | "pointer" => Mode::Integer(self.input.pointer_bits()),
            "HF" | "HC" => Mode::Float(FloatKind::Float16),
            "SF" | "SC" => Mode::Float(FloatKind::Float),
            "DF" | "DC" => Mode::Float(FloatKind::Double),
            "XF" | "XC" => Mode::Float(FloatKind::LongDouble),
            "TF" | "TC" => Mode::Float(FloatKind::Float128),
            "SD" => Mode::Opaque(OpaqueKind::Decimal32),
            "DD" => Mode::Opaque(OpaqueKind::Decimal64),
            "TD" => Mode::Opaque(OpaqueKind::Decimal128),
            _ => return None,
        })
    }

    pub(in crate::lower) fn apply_mode(
        &mut self,
        ty: Type,
        attributes: &Attributes,
    ) -> Result<Type> {
        let mut ty = ty;
        match attributes.mode {
            Some(Mode::Integer(bits)) => {
                if let Some(kind) = self.types.integer_kind(ty) {
                    let signed = match bits {
                        8 => IntegerKind::SignedChar,
                        16 => IntegerKind::Short,
                        32 => IntegerKind::Int,
                        64 if self.input.pointer_bits() == 64 => IntegerKind::Long,
                        64 => IntegerKind::LongLong,
                        _ => IntegerKind::Int128,
                    };
                    ty = self.types.integer(if kind.is_signed() {
                        signed
                    } else {
                        signed.unsigned()
                    });
                }
            }
            Some(Mode::Float(kind)) => {
                let real = self.types.float(kind);
                ty = match self.types.is_complex(ty) {
                    true => self.types.complex(real),
                    false => real,
                };
            }
            Some(Mode::Opaque(kind)) => ty = self.types.intern(TypeKind::Opaque(kind)),
            None => {}
        }
        match attributes.vector_size {
            Some(bytes) => self.vector_of(ty, bytes),
            None => Ok(ty),
        }
    }

    /// Replaces the innermost type, behind pointers, arrays and functions, by a vector of it with that size in bytes.
    pub(in crate::lower) fn vector_of(&mut self, ty: Type, bytes: u64) -> Result<Type> {
        let made = match self.types.kind(ty).clone() {
            TypeKind::Pointer(target) => {
                let target = self.vector_of(target, bytes)?;
                self.types.pointer(target)
            }
            TypeKind::Array { element, length } => {
                let element = self.vector_of(element, bytes)?;
                self.types.array(element, length)
            }
            TypeKind::Function(function) => {
                let result = self.vector_of(function.result, bytes)?;
                let function = FunctionType {
                    result,
                    ..(*function).clone()
                };
                self.types.function(function)
            }
            TypeKind::Integer(_) | TypeKind::Enumeration(_) | TypeKind::Float(_) => {
                let size = self.size_of(ty)?;
                if size == 0
                    || bytes == 0
                    || !bytes.is_multiple_of(size)
                    || bytes > MAXIMUM_VECTOR_SIZE
                {
                    let message = "the size of the vector is no multiple of its elements'";
                    return Err(self.error(message));
                }
                if !(bytes / size).is_power_of_two() {
                    return Err(self.error("the number of elements is not a power of two"));
                }
                self.types.vector(ty, bytes / size)
            }
            _ => {
                let ty = self.types.describe(ty);
                return Err(self.error(format!("a vector of elements of type `{ty}`")));
            }
        };
        Ok(ty.replaced(made))
    }

    /// The atomic version of a type: if an atomic instruction supports its size, it is aligned to the size.
    fn atomic_type(&self, ty: Type) -> Type {
        // Only 64-bit x86 has an instruction for sixteen bytes.
        let widest = match self.input.data_model() {
            DataModel::Ilp32 => 8,
            DataModel::Lp64 => 16,
        };
        match (self.types.size_of(ty), self.types.alignment_of(ty)) {
            (Ok(size), Ok(alignment))
                if size.is_power_of_two() && size <= widest && alignment < size =>
            {
                ty.aligned_as_atomic(size)
            }
            _ => ty,
        }
    }

    /// Lowers a type name, as in casts and `sizeof`.
    pub(in crate::lower) fn type_name(&mut self, name: &ast::TypeName) -> Result<Type> {
        let (base, _) = self.qualified_specifiers(&name.specifiers)?;
        match &name.declarator {
            Some(declarator) => Ok(self.declarator(base, declarator)?.ty),
            None => Ok(base),
        }
    }

    /// Checks whether a type is an array of unknown length.
    pub(in crate::lower) fn is_unsized_array(&self, ty: Type) -> bool {
        matches!(self.types.array_parts(ty), Some((_, ArrayLength::Unknown)))
    }
}

/// Checks for the encoding of `__int128` in lang-c's syntax; see [`crate::rewrite`].
fn is_int128(format: &ast::TS18661FloatType) -> bool {
    format.format == ast::TS18661FloatFormat::DecimalExtended && format.width == 128
}

/// Checks whether the specifier defines a struct, union or enumeration: attributes behind it belong to that.
fn defines_tag(specifier: &ast::TypeSpecifier) -> bool {
    match specifier {
        ast::TypeSpecifier::Struct(record) => record.node.declarations.is_some(),
        // Without enumerators, the attribute gives the underlying type.
        ast::TypeSpecifier::Enum(_) => true,
        _ => false,
    }
}

/// The qualifiers that have a meaning here.
pub(in crate::lower) fn qualifier_of(qualifier: &ast::TypeQualifier) -> Qualifiers {
    match qualifier {
        ast::TypeQualifier::Const => Qualifiers::CONST,
        ast::TypeQualifier::Volatile => Qualifiers::VOLATILE,
        _ => Qualifiers::empty(),
    }
}
