//! The config of a hybrid weight file: the passes of the decoder, and the weights that combine the models' log-odds.

use ports::text::{Categories, Category};
use serde::Deserialize;

use super::error::ConfigError;
use crate::{
    encoder::{Denoised, HARMS},
    text::{
        language::{ABUSE, Language, LanguagePenalties},
        linear::sigmoid,
    },
};

/// Probabilities are clamped to this distance from 0 and 1 before they become log-odds.
const EPSILON: f64 = 1e-6;

#[derive(Clone, Debug, Deserialize)]
pub(super) struct HybridConfig {
    /// Denoising passes.
    pub(super) steps: usize,
    combine: std::collections::HashMap<String, Combination>,
    #[serde(default)]
    languages: LanguagePenalties,
}

/// How the log-odds of one harm are combined: `native` times the native ones, plus `decoder` times the decoder's, plus
/// `bias`; but at least the native ones less `keep`, so that what the native model is sure of is not lost.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Combination {
    native: f64,
    decoder: f64,
    bias: f64,
    #[serde(default)]
    keep: Option<f64>,
}

/// What was fitted after the weights were made: how they are combined with the native model's.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct HybridFit {
    /// The version of the whole; that of the weight file is older.
    pub(super) version: String,
    combine: std::collections::HashMap<String, Combination>,
    #[serde(default)]
    languages: LanguagePenalties,
}

impl HybridConfig {
    /// Parses and checks the config of a weight file, with a later fit if there is one.
    ///
    /// # Errors A missing field, a negative weight, with which more evidence could lower a score, or a language penalty
    /// that would raise a score.
    pub(super) fn parse(text: &str, fit: Option<HybridFit>) -> Result<Self, ConfigError> {
        let mut config: Self = serde_json::from_str(text)?;
        if let Some(fit) = fit {
            config.combine = fit.combine;
            config.languages = fit.languages;
        }
        if !(1..=9).contains(&config.steps) {
            return Err(ConfigError::Steps(config.steps));
        }
        for harm in &Category::ALL[..HARMS] {
            let Some(combination) = config.combine.get(harm.as_str()) else {
                return Err(ConfigError::MissingCombination(harm.as_str()));
            };
            if !combination.is_monotone() {
                return Err(ConfigError::LowersScore(harm.as_str()));
            }
        }
        if !config.languages.0.values().all(|penalty| penalty.is_finite() && *penalty >= 0.0) {
            return Err(ConfigError::RaisesScore);
        }
        Ok(config)
    }

    /// Combines the two models' scores of a text in some language, for the first harms, which the decoder knows. The
    /// scores of the others are the native model's.
    pub(super) fn combine(
        &self,
        language: Language,
        native: &Categories,
        decoder: &[f32; HARMS],
    ) -> Categories {
        let penalty = f64::from(self.languages.of(language));
        Categories(std::array::from_fn(|n| {
            if n >= HARMS {
                return native.0[n];
            }
            let combination = self.combine[Category::ALL[n].as_str()];
            let penalty = if ABUSE.contains(&n) { penalty } else { 0.0 };
            sigmoid(combination.log_odds(log_odds(native.0[n]), f64::from(decoder[n])) - penalty)
        }))
    }
}

impl Combination {
    /// The log-odds of the harm.
    fn log_odds(&self, native: f64, decoder: f64) -> f64 {
        let both = self.native * native + self.decoder * decoder + self.bias;
        self.keep.map_or(both, |keep| both.max(native - keep))
    }

    /// Whether more evidence never lowers a score.
    fn is_monotone(&self) -> bool {
        let Combination { native, decoder, bias, keep } = *self;
        let weights = [native, decoder, bias, keep.unwrap_or(0.0)];
        native >= 0.0 && decoder >= 0.0 && weights.iter().all(|w| w.is_finite())
    }
}

/// Combines windows: the highest log-odds of each harm, and the action logits of the window with the lowest logit for
/// no action.
pub(super) fn worst(windows: &[Denoised]) -> Option<Denoised> {
    let mut windows = windows.iter().copied();
    let first = windows.next()?;
    Some(windows.fold(first, |worst, window| Denoised {
        harms: std::array::from_fn(|n| worst.harms[n].max(window.harms[n])),
        action: if window.action[0] < worst.action[0] { window.action } else { worst.action },
    }))
}

/// `ln(p / (1 - p))`, clamped.
pub(super) fn log_odds(p: f64) -> f64 {
    let p = p.clamp(EPSILON, 1.0 - EPSILON);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::normalize::normalize;

    fn language(content: &str) -> Language {
        let text = normalize(content, &[]);
        Language::detect(content, &text, 0..text.words.len())
    }

    fn text(weight: f64) -> String {
        let combine: Vec<String> = Category::ALL
            .map(|harm| {
                format!(r#""{}": {{"native": 0.6, "decoder": {weight}, "bias": -0.1}}"#, harm.as_str())
            })
            .to_vec();
        format!(r#"{{"steps": 1, "combine": {{{}}}}}"#, combine.join(","))
    }

    #[test]
    fn a_config_that_could_lower_a_score_is_refused() {
        assert!(HybridConfig::parse(&text(0.4), None).is_ok());
        for bad in [text(-0.1), text(0.4).replace("0.6", "1e999"), text(0.4).replace("1,", "0,"), "{}".into()]
        {
            assert!(HybridConfig::parse(&bad, None).is_err(), "{bad}");
        }
        assert!(HybridConfig::parse(&text(0.4).replace("hate", "love"), None).is_err());
        assert!(HybridConfig::parse(&with_language(-0.5), None).is_err());
    }

    /// The text with a penalty in Arabic.
    fn with_language(penalty: f32) -> String {
        text(0.4).replace("{\"steps\"", &format!("{{\"languages\": {{\"ar\": {penalty}}}, \"steps\""))
    }

    #[test]
    fn a_language_penalty_lowers_abuse_and_no_other_harm() {
        let config = HybridConfig::parse(&with_language(0.5), None).expect("a config");
        let native = Categories([0.5; Category::ALL.len()]);
        let [arabic, english] =
            ["مرحبا", "hello"].map(|content| config.combine(language(content), &native, &[0.0; HARMS]).0);
        for (n, (arabic, english)) in arabic.into_iter().zip(english).enumerate() {
            let lost = log_odds(english) - log_odds(arabic);
            assert!((lost - if ABUSE.contains(&n) { 0.5 } else { 0.0 }).abs() < 1e-6, "{n} loses {lost}");
        }
    }

    proptest! {
        #[test]
        fn more_evidence_never_lowers_a_harm(
            native in 0.0..=1.0f64, more in 0.0..=1.0f64, decoder in -30.0..30f32, louder in 0.0..30f32
        ) {
            let config = HybridConfig::parse(&text(0.4), None).expect("a config");
            let base = combined(&config, native, decoder);
            prop_assert!((0.0..=1.0).contains(&base));
            prop_assert!(combined(&config, native.max(more), decoder) >= base);
            prop_assert!(combined(&config, native, decoder + louder) >= base);
        }
    }

    /// The first harm's score, where all have the same.
    fn combined(config: &HybridConfig, native: f64, decoder: f32) -> f64 {
        let native = Categories([native; Category::ALL.len()]);
        config.combine(language("hello"), &native, &[decoder; HARMS]).0[0]
    }
}
