//! The domain's settings, named as in the settings file.

use std::sync::Arc;

use chrono::TimeDelta;
use ports::decision::{CascadeStep, DataBoundary, cascade};
use serde::Deserialize;

use crate::{
    batch::BatchLimits,
    money::amount::Amount,
    operations::moderation::image::ImagePolicy,
    people::account::{SignUp, SignUpMode},
};

/// Why a setting is invalid; the message names it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetting(String);

/// The domain's settings; `config.default.toml` describes each.
#[derive(Clone, Debug, Deserialize)]
pub struct DomainSettings {
    sign_up: String,
    sign_up_credits: f64,
    proof_of_work_bits: u32,
    account_bytes: u64,
    bulk_items: usize,
    bulk_open: u64,
    bulk_files: u64,
    bulk_account_bytes: u64,
    bulk_expiry_h: u32,
    bulk_kept_days: u32,
    image_nudity_threshold: f64,
    image_drawn_nudity_threshold: f64,
    image_suggestive_threshold: f64,
    image_minor_threshold: f64,
    escalate_below: f64,
    text_escalate_below: f64,
    text_escalation_backend: String,
    channel_memory: bool,
    plain_rules_price: f64,
    plain_rules_backend: String,
    cascade: Vec<CascadeStep>,
    data_boundary: DataBoundary,
}

impl DomainSettings {
    /// Opens sign-up, unless the operator has set a policy.
    pub fn open_sign_up_by_default(&mut self) {
        if self.sign_up == "auto" {
            self.sign_up = "open".to_owned();
        }
    }

    /// The sign-up policy and the credits of a new account.
    ///
    /// # Errors
    /// When one of them is invalid.
    pub fn sign_up(&self) -> Result<SignUp, InvalidSetting> {
        let mode = match self.sign_up.as_str() {
            "auto" => SignUpMode::Closed,
            name => {
                let message = "sign_up must be one of: open, invite, closed, auto";
                name.parse().map_err(|_| InvalidSetting(message.to_owned()))?
            }
        };
        match self.sign_up_credits.to_string().parse::<Amount>() {
            Ok(credits) if credits.milli() >= 0 => Ok(SignUp { mode, credits }),
            _ => {
                let message = "sign_up_credits must be 0 or more, with at most three decimals";
                Err(InvalidSetting(message.to_owned()))
            }
        }
    }

    /// The work that a stranger does before a password is verified, as its binary logarithm; 0 for none.
    pub fn proof_of_work_bits(&self) -> u32 {
        self.proof_of_work_bits
    }

    /// The bytes that the samples of one account may take.
    pub fn account_bytes(&self) -> i64 {
        match self.account_bytes {
            0 => i64::MAX,
            bytes => i64::try_from(bytes).unwrap_or(i64::MAX),
        }
    }

    /// The limits of bulk batches.
    pub fn batch_limits(&self) -> BatchLimits {
        BatchLimits {
            items: self.bulk_items,
            open: self.bulk_open,
            files: self.bulk_files,
            account_bytes: i64::try_from(self.bulk_account_bytes).unwrap_or(i64::MAX),
            expiry: TimeDelta::hours(self.bulk_expiry_h.into()),
            kept: TimeDelta::days(self.bulk_kept_days.into()),
        }
    }

    /// The thresholds above which images are flagged.
    pub fn image_policy(&self) -> ImagePolicy {
        ImagePolicy {
            nudity: self.image_nudity_threshold,
            drawn_nudity: self.image_drawn_nudity_threshold,
            suggestive: self.image_suggestive_threshold,
            minor: self.image_minor_threshold,
        }
    }

    /// Whether messages that name a channel are compared with those before them.
    pub fn channel_memory(&self) -> bool {
        self.channel_memory
    }

    /// The price of every ten rules in plain language, or part of ten, that are asked about a message.
    ///
    /// # Errors
    /// A negative one, or one with more than three decimals.
    pub fn plain_rules_price(&self) -> Result<Amount, InvalidSetting> {
        match self.plain_rules_price.to_string().parse::<Amount>() {
            Ok(price) if price.milli() >= 0 => Ok(price),
            _ => {
                let message = "plain_rules_price must be 0 or more, with at most three decimals";
                Err(InvalidSetting(message.to_owned()))
            }
        }
    }

    /// The backend that is asked about rules in plain language, as `NAME` or `NAME/model`; none for the default model.
    pub fn plain_rules_backend(&self) -> Option<&str> {
        Some(self.plain_rules_backend.as_str()).filter(|name| !name.is_empty())
    }

    /// The certainty below which `backend: auto` also asks OpenRouter; none for never.
    pub fn escalate_below(&self) -> Option<f64> {
        (self.escalate_below > 0.0).then_some(self.escalate_below)
    }

    /// The backends that `backend: auto` asks in turn, if there are any.
    ///
    /// # Errors
    /// When a step is invalid, or escalation is enabled too.
    pub fn cascade(&self) -> Result<Option<Arc<[CascadeStep]>>, InvalidSetting> {
        cascade::check("cascade", &self.cascade).map_err(|error| InvalidSetting(error.to_string()))?;
        if self.cascade.is_empty() {
            return Ok(None);
        }
        if self.escalate_below > 0.0 {
            let message =
                "cascade and escalate_below must not both be set: a cascade says what escalates to what";
            return Err(InvalidSetting(message.to_owned()));
        }
        Ok(Some(self.cascade.clone().into()))
    }

    /// Where any content may be sent.
    pub fn data_boundary(&self) -> DataBoundary {
        self.data_boundary
    }

    /// The backend that gives a second opinion on messages, as `NAME` or `NAME/model`; none for the diffusion model.
    pub fn text_escalation_backend(&self) -> Option<&str> {
        Some(self.text_escalation_backend.as_str()).filter(|name| !name.is_empty())
    }

    /// The certainty below which a message is also evaluated by another backend; none for never.
    pub fn text_escalate_below(&self) -> Option<f64> {
        (self.text_escalate_below > 0.0).then_some(self.text_escalate_below)
    }
}
