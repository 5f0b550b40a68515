//! How the decision model and its networks are listed.

use ports::{EngineError, decision::ModelInfo};

use super::{
    config::DecisionConfig,
    weights::{ENGLISH, MULTILINGUAL, MULTILINGUAL_WEIGHTS, NAME, WEIGHTS},
};
use crate::{encoder::Weights, error::named};

/// How the model in the binary and its networks are listed. Loads nothing.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded_model_infos() -> Result<Vec<ModelInfo>, EngineError> {
    Ok(model_infos(release_date(WEIGHTS)?, release_date(MULTILINGUAL_WEIGHTS)?))
}

fn release_date(weights: &'static [u8]) -> Result<String, EngineError> {
    let weights = Weights::read(weights).map_err(|error| EngineError(error.to_string()))?;
    let config = DecisionConfig::parse(&weights.config).map_err(|error| named(&weights.name, error))?;
    Ok(config.release_date)
}

/// The model, which is as old as the multilingual network, and its networks.
pub(super) fn model_infos(english: String, multilingual: String) -> Vec<ModelInfo> {
    let description = "Gavel's own: typed questions about any state, on the CPU. Two networks answer about English, \
                       and the multilingual one about other languages";
    let model =
        ModelInfo { name: NAME.into(), description: description.into(), release_date: multilingual.clone() };
    let description =
        "The multilingual network of gavel-decision alone: reads a state once for all questions";
    let network =
        ModelInfo { name: MULTILINGUAL.into(), description: description.into(), release_date: multilingual };
    vec![model, english_info(ENGLISH.into(), english), network]
}

pub(super) fn english_info(name: String, release_date: String) -> ModelInfo {
    let description = "The English network of gavel-decision alone: a marker cross-encoder";
    ModelInfo { name, description: description.into(), release_date }
}
