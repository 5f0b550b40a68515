//! Values of arguments, and what is wrong with them in words.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use anyhow::{anyhow, bail};
use chrono::{DateTime, Utc};
use domain::money::amount::Amount;

/// Reads credits.
pub(super) fn amount(text: &str) -> anyhow::Result<Amount> {
    text.parse().map_err(|_| anyhow!("must be a number of credits with at most three decimals"))
}

/// Reads a time.
pub(super) fn time(text: &str) -> anyhow::Result<DateTime<Utc>> {
    text.parse().map_err(|_| anyhow!("must be a time of RFC 3339, such as 2027-01-31T00:00:00Z"))
}

/// Reads a number in a range.
pub(super) fn number<T: FromStr + PartialOrd + Display>(
    text: &str,
    allowed: RangeInclusive<T>,
) -> anyhow::Result<T> {
    match text.parse() {
        Ok(number) if allowed.contains(&number) => Ok(number),
        _ => bail!("must be from {} to {}", allowed.start(), allowed.end()),
    }
}
