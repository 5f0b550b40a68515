//! Amounts of money in whole milli-credits; never computed in floating point.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// An amount of credits, stored as whole milli-credits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Amount(i64);

impl Amount {
    pub const fn from_milli(milli: i64) -> Self {
        Self(milli)
    }

    /// The amount of a number of credits, as in JSON.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming `field`, unless it is a number with at most three decimals.
    pub fn from_credits(field: &str, credits: f64) -> Result<Self> {
        credits.to_string().parse().map_err(|_| invalid(field))
    }

    pub const fn milli(self) -> i64 {
        self.0
    }

    /// The amount in credits, for JSON. Exact to three decimals below 9 trillion credits.
    pub fn credits(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// The amount multiplied by `times`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the product overflows an `i64`.
    pub fn times(self, times: usize) -> Result<Self> {
        i64::try_from(times)
            .ok()
            .and_then(|times| self.0.checked_mul(times))
            .map(Self)
            .ok_or_else(|| Error::internal("an amount of credits overflowed"))
    }

    /// The sum of two amounts.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it overflows an `i64`.
    pub fn plus(self, other: Self) -> Result<Self> {
        let sum = self.0.checked_add(other.0);
        sum.map(Self).ok_or_else(|| Error::internal("an amount of credits overflowed"))
    }
}

impl std::ops::Neg for Amount {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Amount {
    /// Formats the amount in credits, such as `0.5` or `-12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let milli = self.0.unsigned_abs();
        write!(f, "{sign}{}", milli / 1000)?;
        match milli % 1000 {
            0 => Ok(()),
            rest => f.write_str(format!(".{rest:03}").trim_end_matches('0')),
        }
    }
}

impl std::str::FromStr for Amount {
    type Err = Error;

    /// Parses credits: an optional minus sign, digits, and at most three decimals.
    fn from_str(text: &str) -> Result<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() || decimals.len() > 3 || !all_digits(whole) || !all_digits(decimals) {
            return Err(invalid("amount"));
        }
        let milli: i64 = format!("{whole}{decimals:0<3}").parse().map_err(|_| invalid("amount"))?;
        Ok(Self(sign * milli))
    }
}

fn invalid(field: &str) -> Error {
    Error::invalid(field, "must be a number of credits with at most three decimals")
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_formatted_amount_parses_to_the_same_amount(milli in -i64::MAX..=i64::MAX) {
            let amount = Amount::from_milli(milli);
            prop_assert_eq!(amount.to_string().parse::<Amount>().unwrap(), amount);
        }

        #[test]
        fn arbitrary_text_is_parsed_or_refused(text in "\\PC*") {
            if let Ok(amount) = text.parse::<Amount>() {
                prop_assert_eq!(amount.to_string().parse::<Amount>().unwrap(), amount);
            }
        }
    }

    #[test]
    fn credits_have_at_most_three_decimals() {
        assert_eq!("0.5".parse::<Amount>().unwrap(), Amount::from_milli(500));
        assert_eq!("-12".parse::<Amount>().unwrap().to_string(), "-12");
        for wrong in ["", "-", ".5", "1.2345", "1e3", "+1", " 1", "1,5", "99999999999999999999"] {
            assert!(wrong.parse::<Amount>().is_err(), "{wrong:?} was accepted");
        }
    }
}
