//! Assembly statements, and assembly outside of functions.
//!
//! * A statement whose template has no effect on values (empty, `nop`, a fence; see [`does_nothing`]) is a compiler
//!   barrier: operands that are read and written (`"+r"`) and outputs tied to an input (`"0"`) keep their values,
//!   other outputs get arbitrary ones.
//! * Under a check of memory, operands in memory are read, and assembly that could access other memory is not supported.
//! * Any other statement gives its outputs arbitrary values. With a `"memory"` clobber, an operand in memory or a
//!   pointer among its inputs, it is unknown code, which may modify all globals (including `static` ones, whose names
//!   it may use) and what its operands point to. A real execution determines the effect, so that an alarm behind it is
//!   not confirmed.
//! * `asm goto` goes to one of its labels or falls through, chosen arbitrarily; if the template does nothing, it falls
//!   through.
//! * Assembly outside of functions defines symbols: an object that C declares and does not define is arbitrary anyway,
//!   and such a function is unknown code. `.set` creates an alias. Effects at the program's start are not supported.

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{
    Argument, Instruction, Place, Pointer, ScalarType, Storage, Terminator, UnknownEffect,
};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::lower::{Lowerer, Result};
use crate::parse::ParsedUnit;
use crate::types::constant;

/// The text of a template or of file-scope assembly, with its escape sequences decoded.
fn text_of(parts: &[String]) -> Option<String> {
    let (units, _) = constant::string(parts).ok()?;
    units.into_iter().map(char::from_u32).collect()
}

/// The statements of an assembly text, without comments.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';'])
        .map(|line| line.split('#').next().unwrap_or("").trim())
        .filter(|line| !line.is_empty())
}

/// Checks whether a template has no effect on values: it only orders memory accesses or waits.
fn does_nothing(template: &str) -> bool {
    statements(template).all(|statement| {
        let plain: String = statement
            .chars()
            .filter(|character| !character.is_whitespace())
            .collect();
        matches!(
            plain.as_str(),
            "nop"
                | "pause"
                | "rep"
                | "repnop"
                | "mfence"
                | "lfence"
                | "sfence"
                | "lock"
                | "dmbish"
                | "isb"
                | "endbr64"
        ) || {
            // The idiom of a fence: a locked instruction that adds zero.
            let plain = plain.strip_prefix("lock").unwrap_or(&plain);
            ["addl$0,", "orl$0,", "addq$0,", "orq$0,"]
                .iter()
                .any(|start| {
                    plain.strip_prefix(start).is_some_and(|rest| {
                        matches!(
                            rest.trim_start_matches(['0', '-', '4', '8']),
                            "(%%esp)" | "(%%rsp)"
                        )
                    })
                })
        }
    })
}

/// An operand of an assembly statement.
#[derive(Clone, Debug)]
struct Operand {
    name: Option<String>,
    constraint: String,
    value: Value,
}

impl Operand {
    fn in_memory(&self) -> bool {
        let letters = self.constraint.trim_start_matches(['=', '+', '&', '%']);
        letters.contains(['m', 'o', 'V', 'Q']) && !letters.contains(['r', 'g', 'q', 'i'])
    }
}

impl Lowerer<'_> {
    pub(in crate::lower) fn asm_statement(&mut self, asm: &ast::AsmStatement) -> Result<()> {
        let span = self.cursor.span();
        let asm = match asm {
            ast::AsmStatement::GnuBasic(template) => {
                if !text_of(&template.node).is_some_and(|text| does_nothing(&text)) {
                    self.unknown_assembly(Vec::new());
                    self.note_unknown_value();
                }
                return Ok(());
            }
            ast::AsmStatement::GnuExtended(asm) => asm,
        };
        let nothing = text_of(&asm.template.node).is_some_and(|text| does_nothing(&text));
        self.uses.note_assembly_statement(nothing);
        let outputs = self.asm_operands(&asm.outputs)?;
        let inputs = self.asm_operands(&asm.inputs)?;
        self.cursor.set_span(span);
        if self.input.property().checks_memory() {
            self.read_operands(&outputs, &inputs)?;
        }
        if nothing {
            return self.asm_barrier(&outputs, &inputs);
        }
        let clobbers_memory = asm
            .clobbers
            .iter()
            .any(|clobber| text_of(&clobber.node).is_some_and(|text| text == "memory"));
        let mut arguments = Vec::new();
        let mut addresses = clobbers_memory;
        for operand in outputs.iter().chain(&inputs) {
            let ty = operand.value.ty;
            match &operand.value.kind {
                ValueKind::Lvalue(Lvalue {
                    address,
                    bit_field: None,
                }) => {
                    addresses = true;
                    arguments.push(Argument::Scalar {
                        value: address.clone(),
                        scalar: ScalarType::Pointer,
                    });
                }
                ValueKind::Scalar(value) => {
                    let scalar = self.scalar_type(ty)?;
                    addresses |= scalar == ScalarType::Pointer;
                    // An integer as wide as a pointer may be an address, too.
                    let wide = matches!(scalar, ScalarType::Integer { bits, .. }
                        if bits >= self.input.pointer_bits());
                    let kept = scalar == ScalarType::Pointer || wide;
                    if kept && fold::constant(value).is_none() {
                        let scalar_to = ScalarType::Pointer;
                        let value = self.convert_representation(value.clone(), scalar, scalar_to);
                        let scalar = scalar_to;
                        arguments.push(Argument::Scalar { value, scalar });
                    }
                }
                ValueKind::Function(_) => addresses = true,
                _ => {}
            }
        }
        let only_registers = outputs.iter().all(|operand| !operand.in_memory());
        if addresses && (clobbers_memory || !inputs.is_empty() || !only_registers) {
            self.unknown_assembly(arguments);
        }
        for output in outputs {
            self.asm_output(output.value)?;
        }
        self.note_unknown_value();
        Ok(())
    }

    /// Lowers the jump of `asm goto` after the assembly statement lowered last.
    pub(in crate::lower) fn assembly_jump(&mut self, labels: &[&str]) {
        if self.uses.last_assembly_does_nothing() {
            // The labels must be defined all the same.
            for label in labels {
                self.label_block(label);
            }
            return;
        }
        let scalar = fold::INT;
        let object = self.temporary(scalar);
        let place = self.object_place(object, scalar);
        let what = "the target of a jump in assembly".to_owned();
        self.emit_fresh(Instruction::Approximate { place, what });
        let span = self.cursor.span();
        let next = self.function.new_block();
        let mut cases = Vec::with_capacity(labels.len());
        let origin = self.function.current();
        for (number, label) in labels.iter().enumerate() {
            let way = self.function.new_block();
            self.function.continue_in(way);
            self.jump_to_label(label);
            cases.push((number as i128, number as i128, way));
        }
        let value = self.load_object(object, scalar);
        let switch = Terminator::Switch {
            value,
            scalar,
            cases,
            default: next,
        };
        self.function.end_block(origin, switch, span);
        self.function.continue_in(next);
    }

    fn asm_operands(&mut self, nodes: &[Node<ast::GnuAsmOperand>]) -> Result<Vec<Operand>> {
        let mut operands = Vec::with_capacity(nodes.len());
        for node in nodes {
            let constraint = text_of(&node.node.constraints.node).unwrap_or_default();
            let value = self.expression(&node.node.variable_name)?;
            let mut operand = Operand {
                name: node
                    .node
                    .symbolic_name
                    .as_ref()
                    .map(|name| name.node.name.clone()),
                constraint,
                value,
            };
            let written = operand.constraint.starts_with(['=', '+']);
            if !written && !operand.in_memory() {
                operand.value = self.rvalue(operand.value);
                operand.value = match (&operand.value.kind, self.types.scalar(operand.value.ty)) {
                    (ValueKind::Scalar(expr), Some(scalar)) => {
                        let kept = self.keep(expr.clone(), scalar);
                        Value::scalar(kept, operand.value.ty)
                    }
                    _ => operand.value,
                };
            } else {
                operand.value = self.keep_address(operand.value)?;
            }
            operands.push(operand);
        }
        Ok(operands)
    }

    /// Reads the operands that assembly reads in memory, whatever it does with them.
    fn read_operands(&mut self, outputs: &[Operand], inputs: &[Operand]) -> Result<()> {
        let changed = outputs
            .iter()
            .filter(|output| output.constraint.starts_with('+'));
        for operand in changed.chain(inputs) {
            let ValueKind::Lvalue(Lvalue { address, .. }) = &operand.value.kind else {
                continue;
            };
            match self.types.scalar(operand.value.ty) {
                Some(scalar) => {
                    let (value, _) = self.scalar_value(operand.value.clone())?;
                    self.store_fresh(value, scalar);
                }
                None if self.types.is_array(operand.value.ty) => {
                    self.unsupported("assembly with an array in memory");
                }
                None => self.read_unused(address.clone(), operand.value.ty),
            }
        }
        Ok(())
    }

    /// Lowers a statement whose template does nothing: only tied operands keep their values.
    fn asm_barrier(&mut self, outputs: &[Operand], inputs: &[Operand]) -> Result<()> {
        for (number, output) in outputs.iter().enumerate() {
            if output.constraint.starts_with('+') {
                continue;
            }
            let position = number.to_string();
            let tied = inputs.iter().find(|input| {
                let named = output
                    .name
                    .as_ref()
                    .is_some_and(|name| input.constraint == format!("[{name}]"));
                input.constraint.trim_start_matches('%') == position || named
            });
            match tied {
                Some(input) if matches!(input.value.kind, ValueKind::Scalar(_)) => {
                    let value = self.cast(input.value.clone(), output.value.ty)?;
                    self.store_value(output.value.clone(), value)?;
                }
                _ => self.asm_output(output.value.clone())?,
            }
        }
        Ok(())
    }

    /// Assigns an arbitrary value to an output of the assembly.
    fn asm_output(&mut self, target: Value) -> Result<()> {
        let ty = target.ty;
        let ValueKind::Lvalue(Lvalue { address, bit_field }) = target.kind else {
            return Err(self.error("an output of assembly is not an lvalue"));
        };
        match self.types.scalar(ty) {
            Some(scalar) => {
                let place = Place {
                    address: Pointer::new(address),
                    scalar,
                    bit_field,
                };
                let what = "the result of assembly".to_owned();
                self.emit(Instruction::Approximate { place, what });
            }
            None => self.unsupported("assembly that writes an object that is no scalar"),
        }
        Ok(())
    }

    /// Emits assembly that may modify whatever it reaches.
    fn unknown_assembly(&mut self, arguments: Vec<Argument>) {
        self.uses.note_assembly();
        if self.input.property().checks_memory() {
            self.unsupported("assembly that may access memory");
        }
        self.emit(Instruction::CallUnknown {
            name: "assembly".to_owned(),
            arguments,
            result: None,
            returns: false,
            effect: UnknownEffect::Reachable,
        });
    }

    /// Makes the path depend on an unmodelled value, so that alarms behind it are not confirmed.
    fn note_unknown_value(&mut self) {
        let scalar = ScalarType::Bool;
        let object = self.temporary(scalar);
        let place = self.object_place(object, scalar);
        let what = "the effect of assembly".to_owned();
        self.emit_fresh(Instruction::Approximate { place, what });
    }

    /// Reads the assembly outside of functions.
    pub(in crate::lower) fn note_file_scope_assembly(&mut self, parsed: &ParsedUnit) {
        for (parts, span) in &parsed.assembly {
            self.cursor.set_span(*span);
            let Some(text) = text_of(parts) else {
                self.refuse("assembly outside of functions");
                continue;
            };
            for statement in statements(&text) {
                let mut words = statement
                    .split([' ', '\t', ','])
                    .filter(|word| !word.is_empty());
                let first = words.next().unwrap_or("");
                match first {
                    ".symver" | ".ident" | ".file" | ".globl" | ".global" | ".hidden" | ".type"
                    | ".size" | ".text" | ".data" | ".bss" | ".previous" | ".align"
                    | ".p2align" => {}
                    ".set" => {
                        if let (Some(name), Some(target), None) =
                            (words.next(), words.next(), words.next())
                        {
                            let names = &self.linkage.files;
                            let (name, target) =
                                (names.name(name).to_owned(), names.name(target).to_owned());
                            self.linkage.note_alias(&name, &target);
                        } else {
                            self.refuse("assembly outside of functions");
                        }
                    }
                    _ => {
                        self.uses.note_assembly();
                        let at_start = [
                            "init", "fini", "ctors", "dtors", ".macro", ".inc", ".equ", "=",
                        ];
                        if at_start.iter().any(|word| statement.contains(word)) {
                            self.refuse("assembly outside of functions");
                        }
                    }
                }
            }
        }
        self.cursor.set_span(regatta_base::Span::NONE);
    }

    /// Assembly may access `static` objects at file scope, as unknown code may access the others.
    pub(in crate::lower) fn expose_to_assembly(&mut self) {
        if !self.uses.assembly() {
            return;
        }
        for object in self.objects.all_mut() {
            let ours = object.name.contains(['#', ':']) || object.name.starts_with("__regatta");
            if let Storage::Static { external } = &mut object.storage
                && !ours
            {
                *external = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::does_nothing;

    #[test]
    fn templates_that_do_nothing_are_known() {
        for template in [
            "",
            "  \n\t",
            "nop",
            "rep; nop",
            "mfence",
            "# a comment",
            "lock; addl $0,0(%%esp)",
            "lock\n\torl $0, (%%rsp)",
        ] {
            assert!(does_nothing(template), "{template}");
        }
        for template in [
            "movl $5, %0",
            "nop; incl %0",
            "lock; addl $1,0(%%esp)",
            "ud2",
            "xchg %0, %1",
        ] {
            assert!(!does_nothing(template), "{template}");
        }
    }
}
