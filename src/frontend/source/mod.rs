//! From a file to preprocessed text: `cc -E`, what older compilers and machines lack, and places in the user's files.

mod align;
mod embed;
mod headers;
pub mod position;
pub mod preprocess;
