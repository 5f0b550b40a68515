//! A classifier's manifest: its labels, input size and preprocessing. Users write manifests for custom models, so
//! errors name the file, the field and what is allowed.

use std::{
    io,
    path::{Path, PathBuf},
};

use ports::{EngineError, image::Class};
use serde::Deserialize;
use thiserror::Error;

/// The largest side of a classifier's input, in pixels.
const MAX_SIDE: u32 = 2048;

/// `<name>.json`, beside `<name>.onnx`, whose input `image` is f32 and whose output `probabilities` is `[1, labels]`.
/// An input value is `(pixel * scale - mean) / std`, by channel: red, green, blue.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifierManifest {
    /// The file's stem, such as `nsfwjs-mobilenet-v2`.
    pub name: String,
    /// The version of the weights, such as `4.4.0`.
    pub version: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The class of each output. The probabilities of outputs of the same class are added.
    #[serde(deserialize_with = "labels")]
    pub labels: Vec<Class>,
    /// The order of the input's dimensions.
    pub layout: Layout,
    /// The factor for a pixel, which is from 0 to 255.
    pub scale: f32,
    /// Subtracted after scaling.
    pub mean: [f32; 3],
    /// The divisor after subtraction.
    pub std: [f32; 3],
    /// How a picture is resized. The aspect ratio is not kept, and nothing is cropped.
    pub resize: Resize,
    /// Whether the outputs are logits, to which softmax must be applied.
    pub softmax: bool,
    /// The licence of the weights.
    pub licence: String,
    /// The origin of the weights.
    pub source: String,
}

/// The order of the input's dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// `[1, channels, rows, columns]`.
    Nchw,
    /// `[1, rows, columns, channels]`.
    Nhwc,
}

/// How a picture is resized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resize {
    /// Bilinear with aligned corners, as `tf.image.resizeBilinear(.., alignCorners = true)`.
    BilinearAlignCorners,
    /// Triangle filter with antialiasing, as Pillow's and torchvision's `BILINEAR` with `antialias`.
    Antialiased,
}

/// Why a manifest cannot be used.
#[derive(Debug, Error)]
pub enum ManifestError {
    #[error("`{0}` is not the name of a model")]
    Name(String),
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("{}: {fault}", path.display())]
    File { path: PathBuf, fault: ManifestFault },
}

/// What is wrong with the text of a manifest.
#[derive(Debug, Error)]
pub enum ManifestFault {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("`{field}`: {why}")]
    Field { field: String, why: String },
}

impl From<ManifestError> for EngineError {
    fn from(error: ManifestError) -> Self {
        EngineError(error.to_string())
    }
}

impl ClassifierManifest {
    /// Reads and validates `<models_dir>/<name>.json`.
    ///
    /// # Errors
    /// The file, and the field that is missing, unknown or wrong.
    pub fn read(models_dir: &Path, name: &str) -> Result<Self, ManifestError> {
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
            return Err(ManifestError::Name(name.to_owned()));
        }
        let path = models_dir.join(format!("{name}.json"));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => return Err(ManifestError::Read { path, error }),
        };
        match Self::parse(&text) {
            Ok(manifest) if manifest.name == name => Ok(manifest),
            Ok(manifest) => {
                let why = format!("is `{}`, but the file is named `{name}`", manifest.name);
                Err(ManifestError::File { path, fault: fault("name", why) })
            }
            Err(fault) => Err(ManifestError::File { path, fault }),
        }
    }

    /// Parses and validates the text of a manifest.
    ///
    /// # Errors
    /// The field that is missing, unknown or wrong.
    pub fn parse(text: &str) -> Result<Self, ManifestFault> {
        let mut json = serde_json::Deserializer::from_str(text);
        let manifest: Self = match serde_path_to_error::deserialize(&mut json) {
            Ok(manifest) => manifest,
            Err(error) => {
                let field = error.path().to_string();
                let error = error.into_inner();
                return Err(if field == "." { error.into() } else { fault(&field, error.to_string()) });
            }
        };
        json.end()?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), ManifestFault> {
        let wrong = [
            ("name", self.name.trim().is_empty(), "is empty".to_owned()),
            ("version", self.version.trim().is_empty(), "is empty".to_owned()),
            ("width", !(1..=MAX_SIDE).contains(&self.width), format!("must be 1 to {MAX_SIDE}")),
            ("height", !(1..=MAX_SIDE).contains(&self.height), format!("must be 1 to {MAX_SIDE}")),
            ("labels", self.labels.is_empty(), "is empty".to_owned()),
            ("scale", !self.scale.is_finite() || self.scale <= 0.0, "must be above 0".to_owned()),
            ("mean", !are_finite(&self.mean), "must be finite 32-bit numbers".to_owned()),
            (
                "std",
                !are_finite(&self.std) || self.std.contains(&0.0),
                "must be finite 32-bit numbers other than 0".to_owned(),
            ),
        ];
        match wrong.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
            Some((field, _, why)) => Err(fault(field, why)),
            None => Ok(()),
        }
    }
}

fn fault(field: &str, why: String) -> ManifestFault {
    ManifestFault::Field { field: field.to_owned(), why }
}

fn are_finite(values: &[f32]) -> bool {
    values.iter().all(|value| value.is_finite())
}

fn labels<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Class>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let classes = names.iter().map(|name| {
        Class::parse(name).ok_or_else(|| {
            let allowed = Class::ALL.map(Class::as_str).join(", ");
            serde::de::Error::custom(format!("`{name}` must be one of {allowed}"))
        })
    });
    classes.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn valid() -> Value {
        json!({
            "name": "mine", "version": "1", "width": 224, "height": 224, "labels": ["Porn", "Neutral", "Porn"],
            "layout": "nchw", "scale": 0.00392156862745098, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5],
            "resize": "antialiased", "softmax": true, "licence": "MIT", "source": "https://models.example",
        })
    }

    #[test]
    fn a_valid_manifest_is_read() {
        let manifest = ClassifierManifest::parse(&valid().to_string()).unwrap();
        assert_eq!(manifest.labels, [Class::Porn, Class::Neutral, Class::Porn]);
        assert_eq!((manifest.layout, manifest.resize), (Layout::Nchw, Resize::Antialiased));
    }

    #[test]
    fn each_field_is_needed_and_named_when_it_is_missing() {
        for field in valid().as_object().unwrap().keys() {
            let mut manifest = valid();
            manifest.as_object_mut().unwrap().remove(field);
            let why = fault_of(&manifest);
            assert!(why.contains(&format!("missing field `{field}`")), "{field}: {why}");
        }
    }

    #[test]
    fn a_wrong_value_is_answered_with_its_field() {
        let wrong = [
            ("name", json!("")),
            ("version", json!(4)),
            ("width", json!(0)),
            ("height", json!(100_000)),
            ("width", json!(-1)),
            ("labels", json!([])),
            ("labels", json!(["Neutral", "Nude"])),
            ("layout", json!("hwc")),
            ("scale", json!(0)),
            ("mean", json!([0, 0])),
            ("mean", json!([0, 0, 1e300])),
            ("std", json!([1, 0, 1])),
            ("resize", json!("nearest")),
            ("softmax", json!("yes")),
            ("licence", json!(null)),
        ];
        for (field, value) in wrong {
            let mut manifest = valid();
            manifest[field] = value.clone();
            let why = fault_of(&manifest);
            assert!(why.starts_with(&format!("`{field}")), "{field} {value}: {why}");
        }
    }

    #[test]
    fn an_unknown_field_is_rejected() {
        let mut manifest = valid();
        manifest["crop"] = json!(true);
        let why = fault_of(&manifest);
        assert!(why.contains("unknown field `crop`"), "{why}");
    }

    fn fault_of(manifest: &Value) -> String {
        ClassifierManifest::parse(&manifest.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn a_name_does_not_leave_the_folder() {
        for name in ["", "..", "../secret", "a/b", ".hidden"] {
            let error = ClassifierManifest::read(Path::new("/nowhere"), name).unwrap_err();
            assert!(matches!(error, ManifestError::Name(_)), "{error}");
        }
    }
}
