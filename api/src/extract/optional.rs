//! Optional members of a body: null is as if the member were absent. Integers may be written as `30.0`, which JSON
//! Schema counts as one.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, Unexpected, Visitor},
};

/// Two to the power of 64, from which a double is no `u64`.
const END_OF_U64: f64 = 18_446_744_073_709_551_616.0;

/// Deserialises a member; null is the default of its type.
pub(crate) fn or_default<'de, T, D>(value: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(value)?.unwrap_or_default())
}

/// Deserialises an optional integer of 0 or more.
pub(crate) fn integer<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let integer: Option<Integer> = Option::deserialize(value)?;
    Ok(integer.map(|Integer(integer)| integer))
}

/// Deserialises the optional number of a version.
pub(crate) fn version<'de, D: Deserializer<'de>>(value: D) -> Result<Option<i32>, D::Error> {
    let Some(number) = integer(value)? else { return Ok(None) };
    let version = i32::try_from(number);
    version.map(Some).map_err(|_| D::Error::custom("must be the number of a version: 1, 2, 3, …"))
}

struct Integer(u64);

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(IntegerVisitor).map(Self)
    }
}

struct IntegerVisitor;

impl Visitor<'_> for IntegerVisitor {
    type Value = u64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an integer of 0 or more")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
        u64::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<u64, E> {
        if number.fract() == 0.0 && (0.0..END_OF_U64).contains(&number) {
            return Ok(number as u64);
        }
        Err(E::invalid_value(Unexpected::Float(number), &self))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_integer_may_have_a_fraction_of_zero() {
        for (written, read) in [
            ("30", Some(30)),
            ("30.0", Some(30)),
            ("3e1", Some(30)),
            ("-0.0", Some(0)),
            // No double is between 0 and this.
            ("1e-400", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("null", None),
        ] {
            let value: Value = serde_json::from_str(written).unwrap();
            assert_eq!(integer(value).unwrap(), read, "{written}");
        }
        for wrong in [json!(30.5), json!(-1), json!(-1.0), json!(18_446_744_073_709_551_616.0), json!("30")] {
            let error = integer(wrong.clone()).unwrap_err().to_string();
            assert!(error.ends_with("expected an integer of 0 or more"), "{wrong}: {error}");
        }
    }
}
