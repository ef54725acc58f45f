//! The text of an entry: statements that give objects arbitrary values by their types.

use std::fmt::Write as _;

use super::contract::Contract;
use super::{ENTRY, EntryOptions};
use crate::types::record::{Field, RecordKind};
use crate::types::{ArrayLength, FloatKind, IntegerKind, Qualifiers, Type, TypeKind, TypeTable};
use regatta_program::DataModel;

/// A parameter of the function that is called.
pub(super) struct Parameter {
    pub name: String,
    /// Its type without qualifiers.
    pub ty: Type,
    /// Number of elements that its declaration names (`int a[4]`).
    pub elements: Option<u32>,
}

/// The text of an entry, and what its names stand for.
pub(super) struct Written {
    /// The statements.
    pub body: String,
    /// The types of the names `__T0`, `__T1`….
    pub types: Vec<Type>,
    /// What each input of the text is, in order.
    pub inputs: Vec<String>,
    /// What is assumed of the arguments.
    pub assumptions: Vec<String>,
}

impl Written {
    /// The entry, as it is lowered: of the types only the names are declared.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for number in 0..self.types.len() {
            let _ = writeln!(text, "typedef int __T{number};");
        }
        let body = &self.body;
        let _ = write!(text, "int {ENTRY}(void)\n{{\n{body}return 0;\n}}\n");
        text
    }
}

/// The verifier's functions that return any value, by the ends of their names, with their types.
pub(super) const INPUTS: [(&str, &str); 11] = [
    ("bool", "_Bool"),
    ("char", "char"),
    ("uchar", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("int", "int"),
    ("uint", "unsigned int"),
    ("longlong", "long long"),
    ("ulonglong", "unsigned long long"),
    ("float", "float"),
    ("double", "double"),
];

/// Maximum number of lines that give the elements of an array their values one by one; more are written as a loop.
const MAXIMUM_LINES: u64 = 240;

/// Writes the text.
pub(super) struct Writer<'t> {
    table: &'t mut TypeTable,
    options: &'t EntryOptions,
    body: String,
    types: Vec<Type>,
    inputs: Vec<String>,
    assumptions: Vec<String>,
    /// Number of names used.
    names: u32,
}

impl<'t> Writer<'t> {
    pub fn new(table: &'t mut TypeTable, options: &'t EntryOptions) -> Self {
        Self {
            table,
            options,
            body: String::new(),
            types: Vec::new(),
            inputs: Vec::new(),
            assumptions: Vec::new(),
            names: 0,
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "{line}");
    }

    /// The name of a type.
    fn name_of(&mut self, ty: Type) -> String {
        let number = match self.types.iter().position(|known| *known == ty) {
            Some(known) => known,
            None => {
                self.types.push(ty);
                self.types.len() - 1
            }
        };
        format!("__T{number}")
    }

    fn number(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    /// Gives a global object an arbitrary value.
    pub fn fill(&mut self, place: &str, said: &str, ty: Type) {
        self.any(place, said, ty, self.options.depth);
    }

    /// Calls the function with arbitrary arguments that its caller may give it.
    pub fn call(&mut self, function: &str, parameters: &[Parameter], contract: &Contract) {
        for (number, parameter) in parameters.iter().enumerate() {
            let ty = self.name_of(parameter.ty);
            let name = &parameter.name;
            self.line(&format!("{ty} {name};"));
            match *self.table.kind(parameter.ty) {
                TypeKind::Pointer(target) => {
                    let length = parameter.elements.unwrap_or(self.options.length);
                    self.pointer(name, name, target, length, self.options.depth);
                    if contract.all_nonnull || contract.nonnull.contains(&number) {
                        self.line(&format!("__VERIFIER_assume({name} != 0);"));
                        self.assume(format!("`{name}` is not null"));
                    }
                }
                _ => self.any(name, name, parameter.ty, self.options.depth),
            }
        }
        self.relate_parameters(parameters, contract);
        for condition in &self.options.requires {
            let _ = writeln!(self.body, "__VERIFIER_assume({condition});");
            self.assume(format!("a caller of `{function}` guarantees `{condition}`"));
        }
        let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
        self.line(&format!("{function}({});", names.join(", ")));
    }

    /// Relates arrays to their sizes: by the declarations, or else to the integer behind the array if it is named like a size.
    fn relate_parameters(&mut self, parameters: &[Parameter], contract: &Contract) {
        let neighbours = (1..parameters.len()).filter(|&size| {
            let is_known = contract.sizes.iter().any(|known| known.1 == size);
            !is_known && is_like_a_size(&parameters[size].name)
        });
        let mut sizes = contract.sizes.clone();
        sizes.extend(neighbours.map(|size| (size - 1, size)));
        sizes.sort_unstable();
        sizes.dedup();
        for (array, size) in sizes {
            let (Some(array), Some(size)) = (parameters.get(array), parameters.get(size)) else {
                continue;
            };
            if self.is_array(array.ty) && self.is_integer(size.ty) {
                let length = array.elements.unwrap_or(self.options.length);
                let length = format!("({} ? {length} : 0)", array.name);
                self.relate(&size.name, &length, [&size.name, &array.name]);
            }
        }
    }

    fn is_array(&self, ty: Type) -> bool {
        matches!(self.table.kind(ty), TypeKind::Pointer(target)
            if !matches!(self.table.kind(*target), TypeKind::Function(_)))
    }

    fn is_integer(&self, ty: Type) -> bool {
        matches!(self.table.kind(ty), TypeKind::Integer(_))
    }

    /// Has an integer be at most a length, that of an array; both are said as the user calls them.
    fn relate(&mut self, size: &str, length: &str, said: [&str; 2]) {
        self.line(&format!(
            "__VERIFIER_assume({size} >= 0 && {size} <= {length});"
        ));
        let [size, array] = said;
        self.assume(format!(
            "`{size}` is at most the number of elements of `{array}`"
        ));
    }

    pub fn finish(self) -> Written {
        Written {
            body: self.body,
            types: self.types,
            inputs: self.inputs,
            assumptions: self.assumptions,
        }
    }

    /// Gives a place an arbitrary value of its type; `said` is how the user calls the place.
    fn any(&mut self, place: &str, said: &str, ty: Type, depth: u32) {
        match self.table.kind(ty).clone() {
            TypeKind::Bool => self.draw(place, said, "bool"),
            TypeKind::Integer(kind) => match input_of(kind, self.table.model) {
                Some(input) => self.draw(place, said, input),
                None => self.draw(place, said, "ulonglong"),
            },
            TypeKind::Enumeration(_) => self.draw(place, said, "int"),
            TypeKind::Float(FloatKind::Float) => self.draw(place, said, "float"),
            TypeKind::Float(FloatKind::Double | FloatKind::LongDouble) => {
                self.draw(place, said, "double");
            }
            TypeKind::Pointer(target) => {
                self.pointer(place, said, target, self.options.length, depth);
            }
            TypeKind::Array {
                element,
                length: ArrayLength::Constant(length),
            } => self.elements(place, said, element, length, depth),
            TypeKind::Record(_) => self.record(place, said, ty, depth),
            TypeKind::Void
            | TypeKind::Function(_)
            | TypeKind::Opaque(_)
            | TypeKind::Array { .. } => {}
            TypeKind::Float(_) | TypeKind::Complex(_) | TypeKind::Vector { .. } => {
                self.bytes(place);
            }
        }
    }

    /// Assigns an input to a scalar.
    fn draw(&mut self, place: &str, said: &str, input: &str) {
        self.inputs.push(format!("`{said}`"));
        self.line(&format!("{place} = __VERIFIER_nondet_{input}();"));
    }

    /// Makes the bytes of a place inputs.
    fn bytes(&mut self, place: &str) {
        self.line(&format!(
            "__VERIFIER_nondet_memory((void *) &{place}, sizeof({place}));"
        ));
    }

    /// Gives all elements of an array arbitrary values.
    fn elements(&mut self, place: &str, said: &str, element: Type, length: u64, depth: u32) {
        let is_plain = matches!(
            self.table.kind(element),
            TypeKind::Integer(_) | TypeKind::Float(_)
        );
        if is_plain && length > 1 {
            self.line(&format!(
                "__VERIFIER_nondet_memory((void *) &{place}[0], {length} * sizeof({place}[0]));"
            ));
            return;
        }
        if length == 1 {
            self.any(
                &format!("{place}[0]"),
                &format!("{said}[0]"),
                element,
                depth,
            );
            return;
        }
        if self.elements_one_by_one(place, said, element, length, depth) {
            return;
        }
        let index = format!("__i{}", self.number());
        self.line(&format!(
            "for (unsigned {index} = 0; {index} < {length}u; {index}++) {{"
        ));
        self.any(
            &format!("{place}[{index}]"),
            &format!("{said}[…]"),
            element,
            depth,
        );
        self.line("}");
    }

    /// Gives the elements of an array arbitrary values without a loop, which no engine has to unroll then; `false` if that takes
    /// too much text.
    fn elements_one_by_one(
        &mut self,
        place: &str,
        said: &str,
        element: Type,
        length: u64,
        depth: u32,
    ) -> bool {
        let begin = self.body.len();
        let (inputs, assumptions, names) = (self.inputs.len(), self.assumptions.len(), self.names);
        for index in 0..length {
            let (place, said) = (format!("{place}[{index}]"), format!("{said}[…]"));
            self.any(&place, &said, element, depth);
            let lines = self.body[begin..].lines().count() as u64;
            // The first element tells how many the others will take.
            if lines > MAXIMUM_LINES || index == 0 && lines.saturating_mul(length) > MAXIMUM_LINES {
                self.body.truncate(begin);
                self.inputs.truncate(inputs);
                self.assumptions.truncate(assumptions);
                self.names = names;
                return false;
            }
        }
        true
    }

    /// Notes what is assumed of the arguments; of all elements of an array it is noted once.
    fn assume(&mut self, what: String) {
        if !self.assumptions.contains(&what) {
            self.assumptions.push(what);
        }
    }

    /// Makes a pointer null, or has it point to a new array.
    fn pointer(&mut self, place: &str, said: &str, target: Type, length: u32, depth: u32) {
        let target = target.unqualified();
        let number = self.number();
        self.line(&format!("{place} = 0;"));
        if let TypeKind::Function(_) = self.table.kind(target) {
            let ty = self.name_of(target);
            self.inputs.push(format!("whether `{said}` is not null"));
            self.line(&format!(
                "if (__VERIFIER_nondet_bool()) {{ extern {ty} __callback_{number}; {place} = __callback_{number}; }}"
            ));
            self.assume(format!(
                "`{said}` is null or a function outside of the program"
            ));
            return;
        }
        if depth == 0 {
            self.assume(format!("`{said}` is null"));
            return;
        }
        let is_known = self.table.is_complete(target) && !self.table.is_variable_size(target);
        let element = match is_known {
            true => target,
            false => Type::CHAR,
        };
        let ty = self.name_of(element);
        let array = format!("__a{number}");
        self.inputs.push(format!("whether `{said}` is not null"));
        self.line("if (__VERIFIER_nondet_bool()) {");
        let last = self.open_array(element);
        // A struct that ends in an array without a length is alone.
        let (length, room) = match last {
            Some(name) => {
                let length = self.options.length;
                (1, format!(" + {length} * sizeof((({ty} *) 0)->{name}[0])"))
            }
            None => (length, String::new()),
        };
        self.line(&format!(
            "{ty} *{array} = malloc({length} * sizeof({ty}){room});"
        ));
        self.line(&format!("__VERIFIER_assume({array} != 0);"));
        self.elements(&array, said, element, length.into(), depth - 1);
        self.open_elements(&array, said, element, depth - 1);
        let is_text = matches!(
            self.table.kind(element),
            TypeKind::Integer(IntegerKind::Char)
        );
        if is_text && is_known {
            self.line(&format!("{array}[{}] = 0;", length.saturating_sub(1)));
        }
        self.line(&format!("{place} = (void *) {array};\n}}"));
        let elements = match length {
            1 => "one element".to_owned(),
            length => format!("{length} elements"),
        };
        self.assume(format!(
            "`{said}` is null or points to the first of {elements}"
        ));
    }

    /// Gives the members of a struct arbitrary values, or a union arbitrary bytes.
    fn record(&mut self, place: &str, said: &str, ty: Type, depth: u32) {
        let Some(record) = self.table.as_record(ty).cloned() else {
            return;
        };
        if record.layout.is_none() {
            return;
        }
        let fields = record.fields.iter();
        if record.kind == RecordKind::Union && !self.has_pointer(ty) {
            self.bytes(place);
            return;
        }
        let count = match record.kind {
            RecordKind::Struct => usize::MAX,
            RecordKind::Union => 1,
        };
        for field in fields.take(count) {
            if field.ty.qualifiers.contains(Qualifiers::CONST) || field.variable_offset.is_some() {
                continue;
            }
            match &field.name {
                Some(name) => {
                    let (place, said) = (format!("{place}.{name}"), format!("{said}.{name}"));
                    self.any(&place, &said, field.ty, depth);
                }
                // The members of an anonymous struct are found in the one around it.
                None => self.record(place, said, field.ty, depth),
            }
        }
        if record.kind == RecordKind::Struct {
            self.relate_members(place, said, &record.fields, false);
        }
    }

    /// Relates the arrays behind a struct's pointers to their sizes, or the array without a length in which it ends: by
    /// `counted_by`, or else to the integers behind the pointer, or before the array, that are named like sizes.
    fn relate_members(&mut self, place: &str, said: &str, fields: &[Field], is_open: bool) {
        for (number, array) in fields.iter().enumerate() {
            let Some(name) = &array.name else {
                continue;
            };
            let length = self.options.length;
            let length = match self.table.kind(array.ty) {
                _ if is_open && number + 1 == fields.len() => length.to_string(),
                TypeKind::Pointer(_) if !is_open && self.is_array(array.ty) => {
                    format!("({place}.{name} ? {length} : 0)")
                }
                _ => continue,
            };
            let is_size = |field: &&Field| {
                let name = field.name.as_deref();
                self.is_integer(field.ty) && name.is_some_and(is_like_a_size)
            };
            let sizes: Vec<&Field> = match &array.counted_by {
                Some(_) => {
                    let is_counter = |field: &&Field| field.name == array.counted_by;
                    fields.iter().filter(is_counter).collect()
                }
                None if is_open => fields.iter().filter(is_size).take(1).collect(),
                None => fields[number + 1..].iter().take_while(is_size).collect(),
            };
            for size in sizes.iter().filter_map(|size| size.name.as_deref()) {
                let said = [&format!("{said}.{size}"), &format!("{said}.{name}")];
                self.relate(
                    &format!("{place}.{size}"),
                    &length,
                    said.map(String::as_str),
                );
            }
        }
    }

    /// Gives the elements of the member without a length arbitrary values, in the struct at the start of an array.
    fn open_elements(&mut self, array: &str, said: &str, ty: Type, depth: u32) {
        let (Some(name), Some(record)) = (self.open_array(ty), self.table.as_record(ty)) else {
            return;
        };
        let fields = record.fields.clone();
        let last = fields.last().map(|last| self.table.kind(last.ty).clone());
        if let Some(TypeKind::Array { element, .. }) = last {
            let (place, said) = (format!("{array}[0]"), format!("{said}[0]"));
            let length = self.options.length.into();
            let inside = (format!("{place}.{name}"), format!("{said}.{name}"));
            self.elements(&inside.0, &inside.1, element, length, depth);
            self.relate_members(&place, &said, &fields, true);
        }
    }

    /// The member without a length in which a struct ends.
    fn open_array(&self, ty: Type) -> Option<String> {
        let last = self.table.as_record(ty)?.fields.last()?;
        match self.table.kind(last.ty) {
            TypeKind::Array {
                length: ArrayLength::Unknown,
                ..
            } => last.name.clone(),
            _ => None,
        }
    }

    /// Checks whether a type has pointers in it.
    fn has_pointer(&self, ty: Type) -> bool {
        match self.table.kind(ty) {
            TypeKind::Pointer(_) => true,
            TypeKind::Array { element, .. } => self.has_pointer(*element),
            TypeKind::Record(id) => {
                let fields = &self.table.record(*id).fields;
                fields.iter().any(|field| self.has_pointer(field.ty))
            }
            _ => false,
        }
    }
}

/// Checks whether a parameter's name says that it is the size of something.
fn is_like_a_size(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = [
        "len", "length", "size", "count", "num", "sz", "cnt", "_n", "cap", "capacity",
    ];
    name == "n" || ends.iter().any(|end| name.ends_with(end))
}

/// The end of the name of the verifier's function that returns any value of the type.
fn input_of(kind: IntegerKind, model: DataModel) -> Option<&'static str> {
    Some(match (kind.bits(model), kind.is_signed()) {
        (8, true) => "char",
        (8, false) => "uchar",
        (16, true) => "short",
        (16, false) => "ushort",
        (32, true) => "int",
        (32, false) => "uint",
        (64, true) => "longlong",
        (64, false) => "ulonglong",
        _ => return None,
    })
}
