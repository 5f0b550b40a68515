//! Classifies a picture. Rejects outputs that are not probabilities.

use std::path::Path;

use ports::{
    EngineError,
    image::{Class, ClassScores},
};

use super::{
    decode::Picture,
    manifest::{ClassifierManifest, Layout},
    resample::resample,
};
use crate::{
    error::named,
    runtime::{Input, OnnxModel, Runtime},
};

/// The largest distance from 1 of the sum of the probabilities, which a model computes in 32 bits.
const SUM_TOLERANCE: f64 = 1e-3;

/// A classifier with its manifest.
#[derive(Debug)]
pub struct Classifier {
    manifest: ClassifierManifest,
    model: OnnxModel,
}

/// Why a model's outputs are no scores.
#[derive(Debug, thiserror::Error)]
enum OutputError {
    #[error("the model has {outputs} outputs, its manifest {labels} labels")]
    Count { outputs: usize, labels: usize },
    #[error("the outputs {0:?} are not probabilities; check `softmax` in the manifest")]
    NotProbabilities(Vec<f64>),
}

impl Classifier {
    /// Loads `<name>.json` and `<name>.onnx` from the models' folder, and runs the model once.
    ///
    /// # Errors
    /// The file that is missing or wrong, and why.
    pub fn open(runtime: &Runtime, models_dir: &Path, name: &str) -> Result<Self, EngineError> {
        let manifest = ClassifierManifest::read(models_dir, name)?;
        let model = runtime.load(&models_dir.join(format!("{name}.onnx")))?;
        let classifier = Self { manifest, model };
        classifier.classify(&Picture { width: 1, height: 1, rgb: vec![128; 3] })?;
        Ok(classifier)
    }

    /// The name and the version, such as `nsfwjs-mobilenet-v2-4.4.0`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.manifest.name, self.manifest.version)
    }

    /// Computes a probability for each class; they sum to 1. Takes some milliseconds on one core.
    pub fn classify(&self, picture: &Picture) -> Result<ClassScores, EngineError> {
        let values = resample(picture, &self.manifest);
        let width = self.manifest.width as usize;
        let height = self.manifest.height as usize;
        let shape = match self.manifest.layout {
            Layout::Nchw => [1, 3, height, width],
            Layout::Nhwc => [1, height, width, 3],
        };
        let outputs = self.model.run(&[Input::f32("image", &shape, &values)])?;
        let outputs = outputs.first().map_or(&[][..], |tensor| &tensor.data);
        scores(outputs, &self.manifest).map_err(|error| named(&self.manifest.name, error))
    }
}

fn scores(outputs: &[f32], manifest: &ClassifierManifest) -> Result<ClassScores, OutputError> {
    if outputs.len() != manifest.labels.len() {
        return Err(OutputError::Count { outputs: outputs.len(), labels: manifest.labels.len() });
    }
    let mut values: Vec<f64> = outputs.iter().map(|&value| f64::from(value)).collect();
    if manifest.softmax {
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        values.iter_mut().for_each(|value| *value = (*value - highest).exp());
        let sum: f64 = values.iter().sum();
        values.iter_mut().for_each(|value| *value /= sum);
    }
    let sum: f64 = values.iter().sum();
    let probable = values.iter().all(|value| (-SUM_TOLERANCE..=1.0 + SUM_TOLERANCE).contains(value));
    if !probable || (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(OutputError::NotProbabilities(values));
    }
    let mut scores = ClassScores::default();
    for (class, value) in manifest.labels.iter().zip(values) {
        scores[*class] += value.max(0.0);
    }
    let sum: f64 = Class::ALL.into_iter().map(|class| scores[class]).sum();
    scores.0.iter_mut().for_each(|score| *score /= sum);
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(softmax: bool) -> ClassifierManifest {
        let text = format!(
            r#"{{"name": "m", "version": "1", "width": 2, "height": 2, "labels": ["Porn", "Neutral", "Porn"],
                "layout": "nchw", "scale": 1, "mean": [0, 0, 0], "std": [1, 1, 1],
                "resize": "antialiased", "softmax": {softmax}, "licence": "", "source": ""}}"#
        );
        ClassifierManifest::parse(&text).unwrap()
    }

    #[test]
    fn outputs_of_one_class_are_added() {
        let scores = scores(&[0.25, 0.5, 0.25], &manifest(false)).unwrap();
        assert_eq!((scores[Class::Porn], scores[Class::Neutral], scores[Class::Sexy]), (0.5, 0.5, 0.0));
    }

    #[test]
    fn logits_become_probabilities() {
        let scores = scores(&[1000.0, 1000.0 + 2f32.ln(), -1000.0], &manifest(true)).unwrap();
        assert!((scores[Class::Neutral] - 2.0 / 3.0).abs() < 1e-3, "{scores:?}");
    }

    #[test]
    fn outputs_that_are_not_probabilities_are_rejected() {
        for outputs in [[2.0, -1.0, 0.0], [0.5, 0.1, 0.1], [f32::NAN, 0.5, 0.5]] {
            let error = scores(&outputs, &manifest(false)).unwrap_err();
            assert!(matches!(error, OutputError::NotProbabilities(_)), "{error}");
        }
        assert!(scores(&[f32::NAN, 0.5, 0.5], &manifest(true)).is_err());
        assert!(scores(&[1.0], &manifest(false)).unwrap_err().to_string().contains("1 outputs"));
    }
}
