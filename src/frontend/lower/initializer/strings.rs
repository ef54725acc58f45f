//! String literals as initialisers of arrays of characters.

use lang_c::ast;
use lang_c::span::Node;

use super::super::{Lowerer, Result};
use super::Source;
use super::members::Target;
use super::planner::Planner;
use crate::types::ArrayLength;
use crate::types::constant;

impl Lowerer<'_> {
    /// Plans a string literal for an array of characters; returns the array's length, or `None` if it is neither.
    pub(super) fn plan_string<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        expression: &'n Node<ast::Expression>,
    ) -> Result<Option<u64>> {
        let ast::Expression::StringLiteral(parts) = &expression.node else {
            return Ok(None);
        };
        let Some((element, length)) = self.types.array_parts(target.ty) else {
            return Ok(None);
        };
        let Some(kind) = self.types.integer_kind(element) else {
            return Ok(None);
        };
        let (units, encoding) = constant::string(&parts.node)
            .map_err(|error| self.error_at(expression, error.to_string()))?;
        let unit_type = self.character_type(encoding);
        let size = self.size_of(unit_type)?;
        if self.size_of(element)? != size
            || (size == 1) != (kind.bits(self.input.data_model()) == 8)
        {
            return Err(self.error("the string does not fit the array's element type"));
        }
        let total = units.len() as u64 + 1;
        let length = match length {
            ArrayLength::Constant(length) => length,
            _ => total,
        };
        self.override_target(planner, target)?;
        if units.len() as u64 > length {
            self.warn("the string is longer than the array");
        }
        for (position, unit) in units.iter().copied().chain([0]).enumerate() {
            if position as u64 >= length {
                break;
            }
            let element = Target {
                ty: element,
                bit_offset: target.bit_offset + position as u64 * size * 8,
                bit_width: None,
            };
            planner.write(self, element, Source::Unit(unit))?;
        }
        Ok(Some(length))
    }
}
