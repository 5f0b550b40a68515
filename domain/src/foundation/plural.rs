//! A count with its noun.

/// `1 sample` or `2 samples`; for nouns with a regular plural.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
