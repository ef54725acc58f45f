//! The parts of the library's streams that a program can observe.
//!
//! A stream is an object of the prelude (`library/models/stdio.c`), which has none of glibc's members. `_fileno` is modelled
//! by `fileno`; other accesses are not supported.

use crate::library::lookup;
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::{Lowerer, Result};
use crate::types::{FunctionType, ParameterForm, Type};

/// The tag of the structure of streams.
const STREAM: &str = "_IO_FILE";

impl Lowerer<'_> {
    fn is_stream(&self, ty: Type) -> bool {
        let record = self.types.as_record(ty);
        record.is_some_and(|record| record.tag.as_deref() == Some(STREAM))
    }

    fn points_to_stream(&self, ty: Type) -> bool {
        let target = self.types.pointee(ty);
        target.is_some_and(|target| self.is_stream(target))
    }

    /// The member of a stream; `None` if the record is not a stream.
    pub(in crate::lower) fn stream_member(
        &mut self,
        record: &Value,
        name: &str,
    ) -> Result<Option<Value>> {
        if self.cursor.span().line == 0 || !self.is_stream(record.ty) {
            return Ok(None);
        }
        if let (ValueKind::Lvalue(lvalue), "_fileno", Some(fileno)) =
            (&record.kind, name, lookup("fileno"))
        {
            let pointer = self.types.pointer(Type::VOID);
            let stream = Value::scalar(lvalue.address.clone(), pointer);
            let function = FunctionType {
                result: Type::INT,
                parameters: Vec::new(),
                form: ParameterForm::Unspecified,
            };
            let value = self.library_values(&fileno, &function, vec![stream], Use::Value)?;
            return Ok(Some(value));
        }
        self.unsupported(format!("the member `{name}` of a stream"));
        Ok(None)
    }

    /// A pointer to a stream is cast: its bytes may be read, unless to `void *`, which may only be compared.
    pub(in crate::lower) fn note_stream_cast(&mut self, from: Type, to: Type) {
        let is_void = |target| self.types.is_void(target);
        if !self.types.pointee(to).is_some_and(is_void) {
            self.note_stream_bytes(from, to);
        }
    }

    /// A pointer to a stream is assigned or passed as another type, through which the stream's bytes may be read. This
    /// includes `void *`, whose uses are not tracked.
    pub(in crate::lower) fn note_stream_bytes(&mut self, from: Type, to: Type) {
        let target = self.types.pointee(to);
        let other = target.is_some_and(|target| !self.is_stream(target));
        if other && self.cursor.span().line != 0 && self.points_to_stream(from) {
            self.unsupported("a possible access to the bytes of a stream");
        }
    }

    /// The bytes of a stream are copied.
    pub(in crate::lower) fn note_stream_copy(&mut self, from: Type) {
        if self.cursor.span().line != 0 && self.points_to_stream(from) {
            self.unsupported("the bytes of a stream");
        }
    }
}
