//! Checks that the crate's settings share.

/// A setting outside its range.
#[derive(Debug, thiserror::Error)]
#[error("{setting} must be 1 to {max}, not {value}")]
pub struct OutOfRange {
    setting: &'static str,
    max: u64,
    value: u64,
}

impl OutOfRange {
    /// Checks that a value is 1 to `max`.
    pub(crate) fn check(setting: &'static str, value: u64, max: u64) -> Result<(), Self> {
        if (1..=max).contains(&value) { Ok(()) } else { Err(Self { setting, max, value }) }
    }
}
