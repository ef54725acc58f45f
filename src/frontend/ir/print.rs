//! Prints the intermediate representation, for debugging and tests.
//!
//! Places are written as `[address]`, scalars with their type's name: `i32`, `u8`, `f64`, `bool`, `ptr`.

use std::fmt;

use super::{
    Argument, BinaryOp, Callee, Expr, Function, InitialContents, Instruction, Object, ObjectIndex,
    Padding, Place, ResultPlace, ScalarType, Storage, Terminator, UnaryOp, Unit, UnknownEffect,
};
use regatta_program::Lifetime;
use regatta_term::FloatFormat;

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { bits, signed: true } => write!(f, "i{bits}"),
            Self::Integer {
                bits,
                signed: false,
            } => write!(f, "u{bits}"),
            Self::Bool => f.write_str("bool"),
            Self::Float(format) => f.write_str(match format {
                FloatFormat::F16 => "f16",
                FloatFormat::F32 => "f32",
                FloatFormat::F64 => "f64",
                FloatFormat::F80 => "f80",
                FloatFormat::F128 => "f128",
            }),
            Self::Pointer => f.write_str("ptr"),
        }
    }
}

impl fmt::Display for BinaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
            Self::PointerDifference => "-ptr",
        })
    }
}

/// A part of a unit together with the unit, for the names.
pub(crate) struct With<'a, T: ?Sized>(pub &'a Unit, pub &'a T);

impl<'a, T: ?Sized> With<'a, T> {
    fn of<U: ?Sized>(&self, other: &'a U) -> With<'a, U> {
        With(self.0, other)
    }
}

impl Unit {
    fn object_name(&self, index: ObjectIndex) -> &str {
        self.objects
            .get(index.0 as usize)
            .map_or("?", |object| object.name.as_str())
    }

    fn function_name(&self, index: super::FunctionIndex) -> &str {
        self.functions
            .get(index.0 as usize)
            .map_or("?", |function| function.name.as_str())
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for object in &self.objects {
            if !matches!(object.storage, Storage::Automatic(_)) {
                writeln!(f, "{}", With(self, object))?;
            }
        }
        for function in &self.functions {
            write!(f, "{}", With(self, function))?;
        }
        Ok(())
    }
}

impl fmt::Display for With<'_, Object> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = self.1;
        match object.storage {
            Storage::Static { external: true } => f.write_str("global ")?,
            Storage::Static { external: false } => f.write_str("static ")?,
            Storage::Outside => f.write_str("extern ")?,
            Storage::Literal => f.write_str("literal ")?,
            Storage::Automatic(_) => f.write_str("local ")?,
        }
        write!(
            f,
            "{}: size {} align {} {{",
            object.name, object.size, object.alignment
        )?;
        for leaf in &object.leaves {
            write!(f, " {}@{}", leaf.scalar, leaf.bit_offset)?;
            if leaf.count != 1 {
                write!(f, "*{}/{}", leaf.count, leaf.stride)?;
            }
        }
        f.write_str(" }")
    }
}

impl fmt::Display for With<'_, Function> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(unit, function) = self;
        let names: Vec<&str> = function
            .parameters
            .iter()
            .map(|&parameter| unit.object_name(parameter))
            .collect();
        write!(f, "function {}({})", function.name, names.join(", "))?;
        if let Some(result) = function.result {
            write!(f, " -> {}", unit.object_name(result))?;
        }
        writeln!(f)?;
        for (number, block) in function.blocks.iter().enumerate() {
            write!(f, "  b{number}:")?;
            if let Some(label) = &block.label {
                write!(f, " // {label}")?;
            }
            writeln!(f)?;
            let waypoint =
                |entry: &&(Instruction, _)| matches!(entry.0, Instruction::Waypoint { .. });
            for (instruction, _) in block.instructions.iter().filter(|entry| !waypoint(entry)) {
                writeln!(f, "    {}", self.of(instruction))?;
            }
            writeln!(f, "    {}", self.of(&block.terminator))?;
        }
        Ok(())
    }
}

impl fmt::Display for With<'_, Place> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.1;
        write!(f, "{}[{}", place.scalar, self.of(&*place.address))?;
        if let Some(field) = place.bit_field {
            write!(f, " bits {}+{}", field.offset, field.bits)?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for With<'_, Expr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Expr::Integer { value, scalar } => write!(f, "{value}:{scalar}"),
            Expr::Float { bits, format } => {
                write!(f, "0x{bits:x}:{}", ScalarType::Float(*format))
            }
            Expr::ObjectAddress(object) => write!(f, "&{}", self.0.object_name(*object)),
            Expr::FunctionAddress(function) => write!(f, "&{}", self.0.function_name(*function)),
            Expr::ExternalFunctionAddress(name) => write!(f, "&extern {name}"),
            Expr::Offset { base, bytes } => {
                write!(f, "({} @+ {})", self.of(&**base), self.of(&**bytes))
            }
            Expr::Load(place) => write!(f, "{}", self.of(place)),
            Expr::Unary {
                op,
                operand,
                scalar,
            } => {
                let symbol = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Complement => "~",
                    UnaryOp::LogicalNot => "!",
                };
                write!(f, "{symbol}{scalar} {}", self.of(&**operand))
            }
            Expr::Binary {
                op,
                left,
                right,
                scalar,
            } => write!(
                f,
                "({} {op}{scalar} {})",
                self.of(&**left),
                self.of(&**right)
            ),
            Expr::Conditional {
                condition,
                then,
                otherwise,
                scalar,
            } => write!(
                f,
                "({} ?{scalar} {} : {})",
                self.of(&**condition),
                self.of(&**then),
                self.of(&**otherwise)
            ),
            Expr::Convert { operand, from, to } => {
                write!(f, "({from}→{to}) {}", self.of(&**operand))
            }
            Expr::Math {
                function,
                arguments,
                scalar,
            } => {
                write!(f, "{function:?}:{scalar}(")?;
                for (number, argument) in arguments.iter().enumerate() {
                    let separator = if number > 0 { ", " } else { "" };
                    write!(f, "{separator}{}", self.of(argument))?;
                }
                f.write_str(")")
            }
            Expr::AllocatedSize(pointer) => write!(f, "size({})", self.of(&**pointer)),
            Expr::Rounding => f.write_str("rounding"),
        }
    }
}

impl fmt::Display for With<'_, Argument> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Argument::Scalar { value, scalar } => write!(f, "{scalar} {}", self.of(value)),
            Argument::Object { address, size, .. } => {
                write!(f, "{size} bytes at {}", self.of(&**address))
            }
        }
    }
}

impl With<'_, Instruction> {
    fn call(
        &self,
        f: &mut fmt::Formatter<'_>,
        callee: &str,
        arguments: &[Argument],
        result: Option<&ResultPlace>,
    ) -> fmt::Result {
        match result {
            Some(ResultPlace::Scalar(place)) => write!(f, "{} = ", self.of(place))?,
            Some(ResultPlace::Object { address, size, .. }) => {
                write!(f, "{size} bytes at {} = ", self.of(&**address))?;
            }
            None => {}
        }
        write!(f, "call {callee}(")?;
        for (number, argument) in arguments.iter().enumerate() {
            let separator = if number > 0 { ", " } else { "" };
            write!(f, "{separator}{}", With(self.0, argument))?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for With<'_, Instruction> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Instruction::Assign { place, value } => {
                write!(f, "{} = {}", self.of(place), self.of(value))
            }
            Instruction::Copy {
                destination,
                source,
                size,
                overlapping,
                ..
            } => {
                let name = if *overlapping { "move" } else { "copy" };
                let destination = self.of(&**destination);
                write!(
                    f,
                    "{name} {size} bytes to {destination} from {}",
                    self.of(&**source)
                )
            }
            Instruction::Fill {
                destination,
                size,
                byte,
                ..
            } => write!(
                f,
                "fill {size} bytes at {} with {byte}",
                self.of(&**destination)
            ),
            Instruction::Padding {
                destination,
                ranges,
                contents,
            } => {
                let contents = match contents {
                    Padding::Undetermined => "anything",
                    Padding::Zero => "zero",
                };
                write!(f, "padding at {} with {contents}:", self.of(&**destination))?;
                for range in ranges {
                    write!(f, " {}..{}", range.start, range.end)?;
                }
                Ok(())
            }
            Instruction::Call {
                callee,
                arguments,
                result,
            } => {
                let callee = match callee {
                    Callee::Direct(function) => self.0.function_name(*function).to_owned(),
                    Callee::Escaped(function) => {
                        format!("{}, if it can be known", self.0.function_name(*function))
                    }
                    Callee::Indirect(pointer) => format!("*{}", self.of(&**pointer)),
                };
                self.call(f, &callee, arguments, result.as_ref())
            }
            Instruction::CallUnknown {
                name,
                arguments,
                result,
                effect,
                ..
            } => {
                let kind = match effect {
                    UnknownEffect::Pure => "pure",
                    UnknownEffect::Reachable => "unknown",
                };
                self.call(f, &format!("{kind} {name}"), arguments, result.as_ref())
            }
            Instruction::Nondet {
                place, function, ..
            } => {
                write!(f, "{} = input {function}", self.of(place))
            }
            Instruction::ReadDevice { place, source, .. } => {
                write!(f, "{} = device {}", self.of(place), self.of(source))
            }
            Instruction::WriteDevice { place, value, .. } => {
                write!(f, "device {} = {}", self.of(place), self.of(value))
            }
            Instruction::Choice { place } => write!(f, "{} = choice", self.of(place)),
            Instruction::Approximate { place, what } => {
                write!(f, "{} = approximate {what}", self.of(place))
            }
            Instruction::Declare(object) => write!(f, "declare {}", self.0.object_name(*object)),
            Instruction::BeginScope(object) => {
                write!(f, "scope of {}", self.0.object_name(*object))
            }
            Instruction::EndScope(object) => {
                write!(f, "end of the scope of {}", self.0.object_name(*object))
            }
            Instruction::FillRange {
                destination,
                size,
                byte,
            } => write!(
                f,
                "fill {} bytes at {} with {byte}",
                self.of(size),
                self.of(&**destination)
            ),
            Instruction::ProgramEnds { .. } => f.write_str("the program ends"),
            Instruction::Allocate {
                place,
                size,
                alignment,
                lifetime,
                contents,
            } => {
                let kind = match (lifetime, contents) {
                    (Lifetime::Heap, InitialContents::Uninitialised) => "heap",
                    (_, InitialContents::Previous) => "resized",
                    (Lifetime::Heap, InitialContents::Zero) => "zeroed heap",
                    (Lifetime::Automatic, InitialContents::Uninitialised) => "automatic",
                    (Lifetime::Automatic, InitialContents::Zero) => "zeroed automatic",
                };
                let place = self.of(place);
                write!(
                    f,
                    "{place} = {kind} object of {} align {alignment}",
                    self.of(size)
                )
            }
            Instruction::Free(pointer) => write!(f, "free {}", self.of(&**pointer)),
            Instruction::Assume(condition) => write!(f, "assume {}", self.of(condition)),
            Instruction::Check { condition, rule } => {
                let (what, paragraph) = (rule.condition(), rule.paragraph());
                write!(f, "check {} ({what}, C11 {paragraph})", self.of(condition))
            }
            Instruction::CheckAlignment { pointer, alignment } => {
                write!(
                    f,
                    "check that {} is aligned to {alignment}",
                    self.of(&**pointer)
                )
            }
            Instruction::Expect { condition, .. } => write!(f, "expect {}", self.of(condition)),
            Instruction::SetRounding(mode) => write!(f, "rounding = {}", self.of(mode)),
            Instruction::Unsupported(what) => write!(f, "unsupported {what}"),
            Instruction::Waypoint { kind, .. } => write!(f, "waypoint: {kind:?}"),
            Instruction::Assumption { what, .. } => write!(f, "assumption: {what}"),
        }
    }
}

impl fmt::Display for With<'_, Terminator> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Terminator::Goto(target) => write!(f, "goto b{}", target.0),
            Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            } => write!(
                f,
                "if {} goto b{} else b{}",
                self.of(condition),
                then.0,
                otherwise.0
            ),
            Terminator::Switch {
                value,
                cases,
                default,
                ..
            } => {
                write!(f, "switch {}", self.of(value))?;
                for (low, high, target) in cases {
                    write!(f, " [{low}..{high}: b{}]", target.0)?;
                }
                write!(f, " else b{}", default.0)
            }
            Terminator::Return => f.write_str("return"),
            Terminator::End => f.write_str("end"),
            Terminator::Error => f.write_str("ERROR"),
            Terminator::Unreachable => f.write_str("unreachable"),
        }
    }
}
