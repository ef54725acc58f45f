//! Expressions: their values, the objects that they designate, and their operators.
//!
//! [`expression`] dispatches each kind of syntax. [`value`] says what a value is during lowering; [`place`] and [`volatile`]
//! access objects; [`arithmetic`], [`overflow`], [`half_precision`], [`assignment`], [`condition`] and [`conversion`] are the
//! operators; [`fold`] builds the pure expressions; [`defined`] says where an operator of a witness's expression is defined.

pub(super) mod arithmetic;
pub(super) mod assignment;
pub(super) mod condition;
pub(super) mod conversion;
pub(super) mod defined;
pub(super) mod expression;
pub(super) mod fold;
pub(super) mod half_precision;
pub(super) mod overflow;
pub(super) mod place;
pub(super) mod value;
pub(super) mod volatile;
