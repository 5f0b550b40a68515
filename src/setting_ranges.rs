//! The ranges of the settings that are numbers.

use std::ops::RangeInclusive;

use anyhow::bail;
use figment::Figment;

use crate::setting_faults::in_words;

/// A number that a setting may be, with both ends.
struct SettingRange {
    name: &'static str,
    allowed: RangeInclusive<f64>,
}

const fn range(name: &'static str, least: f64, most: f64) -> SettingRange {
    SettingRange { name, allowed: least..=most }
}

/// As many bytes as anybody has.
const TIB: f64 = (1_u64 << 40) as f64;
/// As many as a JSON number counts exactly.
const UNLIMITED: f64 = (1_u64 << 53) as f64;
const DAY_S: f64 = 86_400.0;

/// The range of each setting that is a number, in the order of `config.default.toml`. `sign_up_credits` and
/// `plain_rules_price` are missing: they have checks of their own, of their decimals too.
const RANGES: [SettingRange; 58] = [
    range("database_pool", 1.0, 1_000.0),
    range("proof_of_work_bits", 0.0, 24.0),
    range("low_balance_credits", 0.0, 1e12),
    range("account_bytes", 0.0, UNLIMITED),
    range("worker_bulk_jobs", 0.0, 1_024.0),
    range("worker_training_jobs", 1.0, 64.0),
    range("worker_webhook_jobs", 1.0, 1_024.0),
    range("worker_drain_s", 0.0, DAY_S),
    range("bulk_body_bytes", 1.0, TIB),
    range("bulk_items", 1.0, 1e6),
    range("bulk_open", 1.0, 1e6),
    range("bulk_files", 1.0, 1e6),
    range("bulk_account_bytes", 1.0, UNLIMITED),
    range("bulk_expiry_h", 1.0, 8_760.0),
    range("bulk_kept_days", 1.0, 3_650.0),
    range("webhook_timeout_s", 1.0, 30.0),
    range("encoder_threads", 0.0, 1_024.0),
    range("checkpoint_cache_bytes", 0.0, TIB),
    range("training_threads", 1.0, 1_024.0),
    range("image_nudity_threshold", 0.0, 2.0),
    range("image_drawn_nudity_threshold", 0.0, 2.0),
    range("image_suggestive_threshold", 0.0, 2.0),
    range("image_minor_threshold", 0.0, 1.0),
    range("fetch_timeout_s", 1.0, 25.0),
    range("inference_tokens", 1.0, 1e8),
    range("escalate_below", 0.0, 1.0),
    range("text_escalate_below", 0.0, 1.0),
    range("text_escalation_timeout_s", 1.0, 20.0),
    range("backend_timeout_s", 1.0, 25.0),
    range("backend_retries", 0.0, 10.0),
    range("backend_concurrency", 1.0, 100_000.0),
    range("backend_breaker_failures", 1.0, 1e6),
    range("backend_breaker_cool_down_s", 1.0, DAY_S),
    range("rate_limit_per_minute", 0.0, 1e9),
    range("batch_messages", 1.0, 10_000.0),
    range("text_body_bytes", 1.0, TIB),
    range("batch_body_bytes", 1.0, TIB),
    range("inference_body_bytes", 1.0, TIB),
    range("import_body_bytes", 1.0, TIB),
    range("graphql_body_bytes", 1.0, TIB),
    range("graphql_depth", 1.0, 1_000.0),
    range("graphql_complexity", 1.0, 1e9),
    range("graphql_operation_bytes", 1.0, TIB),
    range("graphql_account_bytes", 1.0, TIB),
    range("graphql_timeout_s", 1.0, 30.0),
    range("image_body_bytes", 1.0, TIB),
    range("image_bytes", 1.0, TIB),
    range("image_pixels", 1.0, 1e9),
    range("images_at_once", 0.0, 1_024.0),
    range("images_in_flight", 1.0, 1e6),
    range("requests_in_flight", 1.0, 1e6),
    range("connections", 1.0, 1e6),
    range("connections_per_network", 1.0, 1e6),
    range("arriving_bytes", 1.0, TIB),
    range("websockets", 0.0, 1e6),
    range("header_timeout_s", 1.0, 3_600.0),
    range("shutdown_grace_s", 0.0, DAY_S),
    range("drain_delay_s", 0.0, DAY_S),
];

/// Checks that each number is in its range.
///
/// # Errors
/// Names the first setting that is not, with its range.
pub(crate) fn check(layers: &Figment) -> anyhow::Result<()> {
    for SettingRange { name, allowed } in &RANGES {
        let value: f64 = layers.extract_inner(name).map_err(|error| in_words(&error))?;
        if !allowed.contains(&value) {
            bail!("{name} must be from {} to {}, not {value}", allowed.start(), allowed.end());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use figment::providers::{Format, Toml};
    use serde_json::Value;

    use super::*;
    use crate::config::DEFAULTS;

    /// The error for a value of a setting.
    fn refused(name: &str, value: f64) -> Option<String> {
        let layers = Figment::from(Toml::string(DEFAULTS)).merge((name, value));
        check(&layers).err().map(|error| error.to_string())
    }

    #[test]
    fn every_number_has_a_range_that_its_default_is_in() {
        let defaults = Figment::from(Toml::string(DEFAULTS));
        check(&defaults).unwrap();
        let settings: BTreeMap<String, Value> = defaults.extract().unwrap();
        let own = ["sign_up_credits", "plain_rules_price"];
        let numbers =
            settings.iter().filter(|(name, value)| value.is_number() && !own.contains(&name.as_str()));
        let ranges: Vec<&str> = RANGES.iter().map(|range| range.name).collect();
        for (name, _) in numbers.clone() {
            assert!(ranges.contains(&name.as_str()), "{name} has no range");
        }
        assert_eq!(numbers.count(), ranges.len());
    }

    #[test]
    fn a_number_out_of_its_range_is_named_with_what_is_allowed() {
        for SettingRange { name, allowed } in &RANGES {
            assert_eq!(refused(name, *allowed.start()), None);
            assert_eq!(refused(name, *allowed.end()), None);
            let above = refused(name, 2.0 * allowed.end() + 1.0).unwrap();
            assert!(above.starts_with(&format!("{name} must be from ")), "{above}");
            assert!(refused(name, -1.0).is_some());
        }
        assert_eq!(refused("database_pool", 0.0).unwrap(), "database_pool must be from 1 to 1000, not 0");
    }
}
