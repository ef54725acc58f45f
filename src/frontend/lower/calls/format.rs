//! Calls of `printf`, `scanf` and their families: a known format becomes a generated C function
//! ([`crate::library::format`]), which is called with the arguments.

use crate::ir::{
    Callee, Expr, Function, FunctionIndex, Instruction, MathFunction, ObjectIndex, Place,
    ScalarType, Storage, Terminator,
};
use crate::library::format::{
    Channel, Family, FormatFunction, Kind, family, print_function, read_function, scan_function,
};
use crate::library::{self, LibraryFunction, Model};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::{Lowerer, Result};
use crate::memory::walk::start_of;
use crate::types::{FunctionType, ParameterForm, Type};
use regatta_base::Span;

impl Lowerer<'_> {
    /// Lowers a call of a function of the family; the arguments are promoted.
    pub(in crate::lower) fn formatted(
        &mut self,
        known: &LibraryFunction,
        function: &FunctionType,
        values: Vec<Value>,
        wanted: Use,
    ) -> Result<Value> {
        let Some(family) = family(known.name) else {
            return self.unmodelled(known.name, function.result);
        };
        let Some(format) = values.get(family.format) else {
            return self.unmodelled(known.name, function.result);
        };
        let format = self.literal_text(format);
        let checks_memory = self.input.property().checks_memory();
        let writes_memory = checks_memory
            && matches!(
                family.channel,
                Channel::Text | Channel::LimitedText | Channel::NewText
            );
        let scans = matches!(
            family.channel,
            Channel::StandardInput | Channel::Input | Channel::TextInput
        );
        let made = match (&format, scans) {
            (Some(format), true) => scan_function(family.channel, format),
            (None, true) => {
                return self.unmodelled(
                    &format!("{} with a format that is not constant", known.name),
                    function.result,
                );
            }
            (format, false) => print_function(family.channel, format.as_deref()).or_else(|error| {
                // What is not modelled only prints, unless it is a `%n`.
                match self.literals.has_counting_format() || writes_memory {
                    true => Err(error),
                    false => print_function(family.channel, None),
                }
            }),
        };
        let made = match made {
            Ok(made) => made,
            Err(error) => return self.unmodelled(&error.to_string(), function.result),
        };
        let variable = values
            .get(family.format + 1..)
            .map_or(Vec::new(), <[Value]>::to_vec);
        if family.list || format.is_none() {
            // The targets of `%n` are unknown if the arguments are in a list or the format is unknown.
            let may_write = if family.list {
                made.writes
            } else {
                variable.iter().any(|value| self.is_for_a_count(value))
            };
            if may_write {
                return self.unmodelled(known.name, function.result);
            }
        }
        if checks_memory && !scans {
            let Some(format) = format.as_deref().filter(|_| !family.list) else {
                return self.unmodelled(known.name, function.result);
            };
            if let Err(what) = self.read_texts(known, function, format, &variable)? {
                return self.unmodelled(&what, function.result);
            }
        }
        let seen = family.list || wanted == Use::Value || made.writes || self.errno_is_visible();
        let output = matches!(
            family.channel,
            Channel::StandardOutput | Channel::Output | Channel::Descriptor | Channel::Elsewhere
        );
        let streams = family.channel != Channel::Elsewhere;
        if streams {
            self.uses.note_streams();
        }
        if output && !seen && !(streams && self.input.late().streams) {
            if family.list
                && let Some(check) = library::lookup("__regatta_no_counts")
            {
                self.call_quietly(&check, Vec::new())?;
            }
            return Ok(Value::void());
        }
        let made = match family.list {
            true => match print_function(family.channel, None) {
                Ok(made) => FormatFunction {
                    body: format!("    __regatta_no_counts();\n{}", made.body),
                    ..made
                },
                Err(error) => return self.unmodelled(&error.to_string(), function.result),
            },
            false => made,
        };
        self.call_format_function(known, function, family, &made, &values, &variable)
    }

    /// Reads the strings that a format prints, as a check of memory demands. Returns what is not modelled.
    fn read_texts(
        &mut self,
        known: &LibraryFunction,
        function: &FunctionType,
        format: &[u8],
        variable: &[Value],
    ) -> Result<std::result::Result<(), String>> {
        let made = match read_function(format) {
            Ok(made) => made,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if made.parameters.is_empty() {
            return Ok(Ok(()));
        }
        let family = Family {
            channel: Channel::Elsewhere,
            own: &[],
            format: 0,
            list: false,
        };
        self.call_format_function(known, function, family, &made, &[], variable)?;
        Ok(Ok(()))
    }

    fn call_format_function(
        &mut self,
        known: &LibraryFunction,
        function: &FunctionType,
        family: Family,
        made: &FormatFunction,
        values: &[Value],
        variable: &[Value],
    ) -> Result<Value> {
        let mut arguments: Vec<Value> = family
            .own
            .iter()
            .filter_map(|&position| values.get(position).cloned())
            .collect();
        for (&position, (kind, _)) in made.used.iter().zip(&made.parameters) {
            let fits = variable
                .get(position)
                .filter(|value| self.kind_of(value) == Some(*kind));
            let Some(value) = fits else {
                let what = format!("{} with arguments that its format does not fit", known.name);
                return self.unmodelled(&what, function.result);
            };
            arguments.push(value.clone());
        }
        let own: &[&str] = match family.channel {
            Channel::Output | Channel::Input => &["void *stream"],
            Channel::Descriptor => &["int file"],
            Channel::Text => &["char *to"],
            Channel::LimitedText => &["char *to", "__regatta_size_t size"],
            Channel::NewText => &["char **result"],
            Channel::TextInput => &["const char *start"],
            _ => &[],
        };
        let mut parameters: Vec<String> = own.iter().map(|&own| own.to_owned()).collect();
        for (position, (_, ty)) in made.parameters.iter().enumerate() {
            parameters.push(format!("{ty} a{position}"));
        }
        let parameters = match parameters.is_empty() {
            true => "void".to_owned(),
            false => parameters.join(", "),
        };
        let (index, own) = self.generated_function(&parameters, &made.body)?;
        let mut converted = Vec::with_capacity(arguments.len());
        for (value, &ty) in arguments.into_iter().zip(&own.parameters) {
            converted.push(self.cast(value, ty)?);
        }
        let value = self.emit_call(Callee::Direct(index), &own, converted, Use::Value)?;
        self.cast(value, function.result)
    }

    /// A generated function that returns `int`; equal texts share one function.
    fn generated_function(
        &mut self,
        parameters: &str,
        body: &str,
    ) -> Result<(FunctionIndex, FunctionType)> {
        let name = self.own_text.generate(parameters, body);
        let unit = library::generated(&format!("int {name}({parameters});"))?;
        let ty = self.in_prelude(|this| {
            for declaration in &unit.declarations {
                this.prelude_declaration(&declaration.node)?;
            }
            Ok(this
                .scopes
                .lookup(&name)
                .map(|symbol| this.scopes.symbol(symbol).ty))
        })?;
        let ty = ty.and_then(|ty| self.types.function_type(ty));
        match ty {
            Some(ty) => Ok((self.prelude_function(&name), (*ty).clone())),
            None => Err(self.error("a format's function has no type")),
        }
    }

    /// The bytes of the string literal to which a value points, up to the first zero. The value may be that of a local
    /// variable that was assigned the literal's address shortly before: programs in the form of CIL pass all literals so.
    pub(in crate::lower) fn literal_text(&self, value: &Value) -> Option<Vec<u8>> {
        match &value.kind {
            ValueKind::Scalar(Expr::ObjectAddress(object)) => self.literals.text(*object),
            ValueKind::Scalar(Expr::Load(place)) => {
                self.literals.text(self.assigned_address(place)?)
            }
            _ => None,
        }
    }

    /// The object whose address a local variable has, if the current block has assigned it and nothing behind the assignment
    /// could change it.
    fn assigned_address(&self, place: &Place) -> Option<ObjectIndex> {
        let mut variable = self.whole_local(place)?;
        for instruction in self.function.current_instructions() {
            match instruction {
                Instruction::Assign { place, value } => {
                    if self.whole_local(place)? != variable {
                        continue;
                    }
                    match value {
                        Expr::ObjectAddress(object) => return Some(*object),
                        Expr::Load(source) => variable = self.whole_local(source)?,
                        _ => return None,
                    }
                }
                Instruction::Waypoint { .. }
                | Instruction::Assumption { .. }
                | Instruction::Expect { .. }
                | Instruction::Check { .. }
                | Instruction::CheckAlignment { .. } => {}
                _ => return None,
            }
        }
        None
    }

    /// The local variable of which the place is the whole.
    fn whole_local(&self, place: &Place) -> Option<ObjectIndex> {
        let Expr::ObjectAddress(object) = *place.address else {
            return None;
        };
        let known = &self.objects[object];
        let is_whole =
            place.bit_field.is_none() && known.size == self.types.scalar_layout(place.scalar).0;
        (is_whole && matches!(known.storage, Storage::Automatic(_))).then_some(object)
    }

    fn kind_of(&self, value: &Value) -> Option<Kind> {
        match self.types.scalar(value.ty)? {
            ScalarType::Integer { .. } | ScalarType::Bool => Some(Kind::Integer),
            ScalarType::Float(_) => Some(Kind::Float),
            ScalarType::Pointer => Some(Kind::Pointer),
        }
    }

    /// Checks whether `%n` might write to the target of an argument.
    fn is_for_a_count(&self, value: &Value) -> bool {
        let Some(target) = self.types.pointee(value.ty) else {
            return false;
        };
        matches!(self.types.scalar(target), Some(ScalarType::Integer { bits, .. }) if bits > 8)
    }

    /// Checks whether the program's text uses `errno` other than in a declaration.
    pub(in crate::lower) fn errno_is_visible(&self) -> bool {
        // Another file may observe what is lowered before it.
        let has_more_files = self.linkage.files.count() > 1;
        let is_declared = || {
            ["__errno_location", "errno"]
                .iter()
                .any(|name| self.scopes.linked.contains_key(*name))
        };
        self.input.names_errno() && (has_more_files || is_declared())
    }

    /// Lowers the effect of a mathematical function on `errno`, if the program can observe it.
    pub(in crate::lower) fn math_errno(
        &mut self,
        known: &LibraryFunction,
        values: &[Value],
    ) -> Result<()> {
        if !self.errno_is_visible() {
            return Ok(());
        }
        let setter = match known.model {
            Model::Math(MathFunction::SquareRoot) => "__regatta_errno_sqrt",
            Model::Math(MathFunction::Modulo | MathFunction::IeeeRemainder) => {
                "__regatta_errno_remainder"
            }
            Model::Approximate if library::is_transcendental(known.name) => {
                "__regatta_errno_perhaps"
            }
            _ => return Ok(()),
        };
        let suffix = match (known.model, known.name.chars().last()) {
            (Model::Math(_), Some('f')) => "f",
            (Model::Math(_), Some('l')) => "l",
            _ => "",
        };
        let setter = format!("{setter}{suffix}");
        let Some(setter) = library::lookup(&setter) else {
            return Err(self.error(format!("the library has no `{setter}`")));
        };
        let values = match known.model {
            Model::Math(_) => values.to_vec(),
            _ => Vec::new(),
        };
        self.call_quietly(&setter, values)
    }

    /// Calls a prelude function for its side effects.
    pub(in crate::lower) fn call_quietly(
        &mut self,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<()> {
        let function = FunctionType {
            result: Type::VOID,
            parameters: Vec::new(),
            form: ParameterForm::Unspecified,
        };
        self.library_values(known, &function, values, Use::Effects)?;
        Ok(())
    }

    /// Checks whether a function that may be passed to `qsort` or `bsearch` has side effects.
    pub(in crate::lower) fn callbacks_matter(&self) -> bool {
        const PURE: &[&str] = &[
            "strcmp",
            "strncmp",
            "strcasecmp",
            "strncasecmp",
            "memcmp",
            "strcoll",
        ];
        let pure: Vec<FunctionIndex> = PURE
            .iter()
            .filter_map(|name| self.functions.named(name))
            .collect();
        self.functions.iter().any(|function| {
            let takes_pointers = function.parameters.iter().all(|parameter| {
                self.objects
                    .get(*parameter)
                    .and_then(|object| object.leaves.first())
                    .is_some_and(|leaf| leaf.scalar == ScalarType::Pointer)
            });
            let variadic = function.parameters.iter().any(|parameter| {
                self.objects
                    .get(*parameter)
                    .is_some_and(|object| object.name.ends_with("::<...>"))
            });
            // The verifier's own text has no source positions.
            function.parameters.len() == 2
                && !variadic
                && takes_pointers
                && function.span != Span::NONE
                && self.has_effects(function, &pure)
        })
    }

    /// Checks whether a function has visible side effects.
    fn has_effects(&self, function: &Function, pure: &[FunctionIndex]) -> bool {
        let changes = |instruction: &Instruction| match instruction {
            Instruction::Assign { place, .. } => !self.is_local(&place.address),
            Instruction::Copy { destination, .. } | Instruction::Fill { destination, .. } => {
                !self.is_local(destination)
            }
            Instruction::Call {
                callee: Callee::Direct(index),
                ..
            } => !pure.contains(index),
            Instruction::Declare(_)
            | Instruction::BeginScope(_)
            | Instruction::EndScope(_)
            | Instruction::Padding { .. }
            | Instruction::Unsupported(_)
            | Instruction::Waypoint { .. }
            | Instruction::Expect { .. }
            | Instruction::Assumption { .. } => false,
            _ => true,
        };
        function.blocks.iter().any(|block| {
            matches!(block.terminator, Terminator::Error | Terminator::End)
                || block
                    .instructions
                    .iter()
                    .any(|(instruction, _)| changes(instruction))
        })
    }

    /// Checks whether an address is in an automatic object.
    fn is_local(&self, address: &Expr) -> bool {
        start_of(address).is_some_and(|object| self.objects.is_automatic(object))
    }
}
