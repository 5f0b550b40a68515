//! The rules of STYLE.md about code, one module each.

pub mod closures;
pub mod files;
pub mod length;
pub mod parameters;
pub mod tuple_lets;
pub mod type_names;
pub mod unsafe_code;
