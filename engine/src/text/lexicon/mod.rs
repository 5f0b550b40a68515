//! The lexicon: curses, insults, slurs, incitement and threats by language, with their severity. It is evidence beside
//! the models and helps to undo disguises. The data are in `engine/lexicon/`, whose README gives the format, the
//! sources and their licences.

mod author;
mod entry;
mod files;
mod find;
mod vocabulary;

pub use entry::{LexiconEntry, LexiconError, TermMatch};
pub use files::{check, words_of};
pub use find::Lexicon;
pub(super) use vocabulary::Vocabulary;
