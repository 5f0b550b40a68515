//! The scalars `Date` and `DateTime`. Times are in UTC and to the microsecond, like exports, and within the years that
//! every database can compare.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use chrono::{FixedOffset, SecondsFormat, SubsecRound, Utc};

/// The beginning of the year 1, in seconds since 1970. Earlier times are clamped.
const FIRST_SECOND: i64 = -62_135_596_800;
/// The last second of the year 9999, in seconds since 1970. Later times are clamped.
const LAST_SECOND: i64 = 253_402_300_799;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DateTime(pub(crate) chrono::DateTime<Utc>);

/// A time in UTC in the format of RFC 3339, such as `2026-11-21T20:42:25.123456Z`. Inputs may have any offset.
#[Scalar(name = "DateTime", specified_by_url = "https://datatracker.ietf.org/doc/html/rfc3339")]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        let Value::String(text) = &value else { return Err(InputValueError::expected_type(value)) };
        let read = text.parse::<chrono::DateTime<FixedOffset>>().map(|time| time.to_utc());
        let read = read.map_err(|_| InputValueError::custom("RFC 3339 is expected: 2026-11-21T20:42:25Z"))?;
        let first = chrono::DateTime::from_timestamp(FIRST_SECOND, 0).unwrap_or(read);
        let last = chrono::DateTime::from_timestamp(LAST_SECOND, 999_999_000).unwrap_or(read);
        Ok(Self(read.clamp(first, last)))
    }

    // Validation calls this, so wrong values are refused before anything is run.
    fn is_valid(value: &Value) -> bool {
        Self::parse(value.clone()).is_ok()
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.trunc_subsecs(6).to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl From<chrono::DateTime<Utc>> for DateTime {
    fn from(time: chrono::DateTime<Utc>) -> Self {
        Self(time)
    }
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date(pub(crate) chrono::NaiveDate);

/// A date in the format of RFC 3339, such as `2026-11-21`.
#[Scalar(name = "Date", specified_by_url = "https://datatracker.ietf.org/doc/html/rfc3339")]
impl ScalarType for Date {
    fn parse(value: Value) -> InputValueResult<Self> {
        let Value::String(text) = &value else { return Err(InputValueError::expected_type(value)) };
        let read = text.parse::<chrono::NaiveDate>();
        read.map(Self).map_err(|_| InputValueError::custom("a date is expected: 2026-11-21"))
    }

    fn is_valid(value: &Value) -> bool {
        Self::parse(value.clone()).is_ok()
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Value> {
        DateTime::parse(Value::from(text)).ok().map(|time| time.to_value())
    }

    #[test]
    fn times_are_read_with_any_offset_and_written_in_utc() {
        for (sent, written) in [
            ("2026-11-21T20:42:25Z", "2026-11-21T20:42:25Z"),
            ("2026-11-21T22:42:25.123456789+02:00", "2026-11-21T20:42:25.123456Z"),
            ("-200000-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("+262000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"),
        ] {
            assert_eq!(read(sent), Some(Value::from(written)), "{sent}");
        }
        for wrong in ["", "yesterday", "2026-11-21"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert!(!DateTime::is_valid(&Value::from(5)));
    }
}
