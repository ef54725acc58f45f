//! Programs and values as text: C, short names, Graphviz.

pub mod c_value;
pub mod dot;
pub mod short_names;
