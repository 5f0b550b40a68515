//! The names of authors and channels.

use crate::Detail;

/// Maximum length of an author's and of a channel's name in characters.
pub(super) const MAX_NAME_CHARS: usize = 256;

/// The name of an author or a channel, unless it is blank.
pub(super) fn named(name: Option<&str>) -> Option<&str> {
    name.filter(|name| !name.trim().is_empty())
}

/// What is wrong with the name of an author or a channel.
pub(super) fn name_faults(field: &str, name: &str) -> Vec<Detail> {
    let mut messages = Vec::new();
    if name.contains('\0') {
        messages.push("must not contain a NUL character".to_owned());
    }
    let chars = name.chars().count();
    if chars > MAX_NAME_CHARS {
        messages.push(format!("must be at most {MAX_NAME_CHARS} characters long, not {chars}"));
    }
    messages.into_iter().map(|message| Detail { field: field.to_owned(), message }).collect()
}
