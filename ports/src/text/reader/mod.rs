//! Reads a message as a person does: undoes case, look-alike and invisible characters, colour codes and markup, and
//! tells emoji from letters. The models, the lists of policies and the memory of channels all read through it.
//! `docs/moderate-text.md` has the table of what is folded.

mod emoji;
mod fold;
mod glyphs;
mod invisible;
mod markup;
mod twins;

pub use emoji::is_emoji;
pub use fold::unleet;
pub use glyphs::{Glyph, glyphs};
pub use invisible::is_invisible;
pub use twins::{CyrillicTwin, cyrillic_twin, is_latin_twin};
