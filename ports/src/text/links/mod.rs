//! Finds links and host names in a message, however they are written: bare, masked by markdown, `hxxp`, `[.]`,
//! `dot com`, with ports, with a user name, percent-encoded, in punycode. Does not rate or fetch them.

mod endings;
mod find;
mod glyphs;
mod host;
mod listed;
#[cfg(test)]
mod tests;

pub use find::{Link, find, find_with};
pub use host::site;
pub use listed::parse_listed;
