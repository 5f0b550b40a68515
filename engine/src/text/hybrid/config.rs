//! The config of a hybrid weight file: the passes of the decoder, and the weights that combine the models' log-odds.

use ports::text::{Categories, Category};
use serde::Deserialize;

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
pub(super) struct Config {
    /// Denoising passes.
    pub(super) steps: usize,
    combine: std::collections::HashMap<String, Combination>,
    #[serde(default)]
    languages: LanguagePenalties,
}

/// The weights of one harm: `native` times the native log-odds, plus `decoder` times the decoder's, plus `bias`.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Combination {
    native: f64,
    decoder: f64,
    bias: f64,
}

impl Config {
    /// Parses and checks the config.
    ///
    /// # Errors
    /// A missing field, a negative weight, with which more evidence could lower a score, or a language that would raise one.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let config: Self = serde_json::from_str(text).map_err(|error| format!("the config: {error}"))?;
        if !(1..=9).contains(&config.steps) {
            return Err(format!("{} passes, where 1 to 9 are possible", config.steps));
        }
        for harm in &Category::ALL[..HARMS] {
            let combination = config.combine.get(harm.as_str());
            let Combination { native, decoder, bias } =
                *combination.ok_or_else(|| format!("no combination for {}", harm.as_str()))?;
            if !(native >= 0.0 && decoder >= 0.0 && [native, decoder, bias].iter().all(|w| w.is_finite())) {
                return Err(format!("a combination for {} that could lower a score", harm.as_str()));
            }
        }
        if !config.languages.0.values().all(|penalty| penalty.is_finite() && *penalty >= 0.0) {
            return Err("a language penalty that could raise a score".into());
        }
        Ok(config)
    }

    /// Combines the two models' scores of a text in some language, for each harm that the decoder knows, the first ones; the others are the
    /// native model's.
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
            let Combination { native: a, decoder: b, bias } = self.combine[Category::ALL[n].as_str()];
            let penalty = if ABUSE.contains(&n) { penalty } else { 0.0 };
            sigmoid(a * log_odds(native.0[n]) + b * f64::from(decoder[n]) + bias - penalty)
        }))
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
        assert!(Config::parse(&text(0.4)).is_ok());
        for bad in [text(-0.1), text(0.4).replace("0.6", "1e999"), text(0.4).replace("1,", "0,"), "{}".into()]
        {
            assert!(Config::parse(&bad).is_err(), "{bad}");
        }
        assert!(Config::parse(&text(0.4).replace("hate", "love")).is_err());
        assert!(Config::parse(&with_language(-0.5)).is_err());
    }

    /// The text with a penalty in Arabic.
    fn with_language(penalty: f32) -> String {
        text(0.4).replace("{\"steps\"", &format!("{{\"languages\": {{\"ar\": {penalty}}}, \"steps\""))
    }

    #[test]
    fn a_language_penalty_lowers_abuse_and_no_other_harm() {
        let some = Config::parse(&with_language(0.5)).expect("a config");
        let combined = |content| {
            some.combine(language(content), &Categories([0.5; Category::ALL.len()]), &[0.0; HARMS]).0
        };
        let arabic = combined("مرحبا");
        let english = combined("hello");
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
            let config = Config::parse(&text(0.4)).expect("a config");
            let combine = |native: f64, decoder: f32| config.combine(language("hello"), &Categories([native; Category::ALL.len()]), &[decoder; HARMS]).0[0];
            let base = combine(native, decoder);
            prop_assert!((0.0..=1.0).contains(&base));
            prop_assert!(combine(native.max(more), decoder) >= base);
            prop_assert!(combine(native, decoder + louder) >= base);
        }
    }
}
