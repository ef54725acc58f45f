//! The state of a run: registers and calls ([`machine`]), memory ([`heap`]: [arrays](array) and live [`objects`]), and the values
//! in them (big [integers](integer), the [bit pattern](bit_pattern) of any other value).

pub(super) mod array;
pub(super) mod bit_pattern;
pub(super) mod heap;
pub(super) mod integer;
pub(super) mod machine;
pub(super) mod objects;
pub(super) mod reachable;
