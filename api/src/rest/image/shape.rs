//! The JSON shapes of image moderation, field for field as the contract has them.

use chrono::{DateTime, Utc};
use domain::{
    foundation::round::significant,
    money::billing::Paid,
    operations::moderation::image::{AgeEstimate, Finding, ModeratedImage},
};
use ports::image::{Background, Class};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A picture by its URL, or in base64.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)]
pub enum ImageModerationRequest {
    /// By its URL.
    Url(ImageByUrl),
    /// In base64.
    Base64(ImageInBase64),
}

/// A picture to be downloaded.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct ImageByUrl {
    /// Public HTTP or HTTPS URL, downloaded within 10 seconds.
    #[schema(
        format = "uri",
        pattern = "^[Hh][Tt][Tt][Pp][Ss]?://",
        example = "https://example.org/picture.jpg"
    )]
    image_url: String,
    /// Who posted it, kept in the moderation log.
    #[schema(max_length = 256)]
    author: Option<String>,
    /// Where it was posted, kept in the moderation log.
    #[schema(max_length = 256)]
    channel: Option<String>,
}

/// A picture in the body.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct ImageInBase64 {
    /// The file in base64, or a data URI of it.
    #[schema(min_length = 1, example = "data:image/png;base64,iVBORw0KGgo=")]
    image_base64: String,
    /// Who posted it, kept in the moderation log.
    #[schema(max_length = 256)]
    author: Option<String>,
    /// Where it was posted, kept in the moderation log.
    #[schema(max_length = 256)]
    channel: Option<String>,
}

/// An uploaded picture.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct ImageModerationForm {
    /// The file: JPEG, PNG or WebP.
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    image: String,
    /// Who posted it, kept in the moderation log.
    #[schema(max_length = 256)]
    author: Option<String>,
    /// Where it was posted, kept in the moderation log.
    #[schema(max_length = 256)]
    channel: Option<String>,
}

/// The fields of a JSON body, not validated yet.
#[derive(Debug, Deserialize)]
pub(crate) struct ImageFields {
    pub(super) image_url: Option<String>,
    pub(super) image_base64: Option<String>,
    pub(super) author: Option<String>,
    pub(super) channel: Option<String>,
    /// Empty; a flattened field makes serde accept objects alone.
    #[serde(flatten)]
    #[allow(dead_code)]
    only_objects: (),
}

/// What a picture shows.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImageModerationResponse {
    /// Always `success`.
    #[schema(example = "success")]
    pub status: &'static str,
    /// Identifier of the verdict, which feedback names.
    #[schema(example = "mod_01kahd7f3ye9pvsk8h0a5m5x30")]
    pub id: String,
    /// Identifier of the request, as in the ledger.
    #[schema(example = "req_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub request_id: String,
    /// Credits charged.
    #[schema(example = 1.0)]
    pub credits_deducted: f64,
    /// Credits left to spend.
    pub remaining_credits: f64,
    /// The verdict.
    pub data: ImageModerationData,
}

/// The verdict on a picture.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImageModerationData {
    /// Whether any category is flagged.
    pub is_flagged: bool,
    /// The verdict as text.
    #[schema(example = "Not flagged: nothing sexual (0.98). One face, about 31 years old (25-37).")]
    pub summary: String,
    /// The verdict by category.
    pub categories: ImageCategories,
    /// Probability of each class, the highest first; they sum to 1.
    pub classifications: Vec<Classification>,
    /// How it was reached.
    pub meta: ImageMeta,
}

/// The verdict by category.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImageCategories {
    /// Explicit photographs.
    pub nudity: ContentCategory,
    /// Explicit drawings.
    pub drawn_nudity: ContentCategory,
    /// Age of a face.
    pub age_estimation: AgeEstimation,
}

/// One category of content.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContentCategory {
    /// Probability, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub score: f64,
    /// Whether the score is over its threshold, or sexual content stands beside a likely minor.
    pub flagged: bool,
    /// What was detected: `explicit`, `suggestive`, `explicit_drawing`, `drawing`, `possible_minor`.
    pub labels: Vec<String>,
}

/// The age of the face most likely to be a minor's. `is_minor: false` proves nothing.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgeEstimation {
    /// Years; 0 when no face was found.
    pub estimated_age: u32,
    /// Range in years, one standard deviation to each side; `unknown` when no face was found.
    #[schema(example = "25-37")]
    pub age_range: String,
    /// Whether it is likely under 18.
    pub is_minor: bool,
    /// Confidence, 0 to 1, that there is a face and on which side of 18 it is.
    #[schema(minimum = 0, maximum = 1)]
    pub confidence: f64,
    /// Whether a face was found.
    pub face_detected: bool,
}

/// One class and its probability.
#[derive(Debug, Serialize, ToSchema)]
pub struct Classification {
    /// `Neutral`, `Drawing`, `Porn`, `Hentai` or `Sexy`.
    #[serde(rename = "className")]
    #[schema(example = "Neutral")]
    pub class_name: &'static str,
    /// 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub probability: f64,
}

/// How a verdict was reached.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImageMeta {
    /// `url`, `base64` or `upload`.
    #[schema(example = "upload")]
    pub source: &'static str,
    /// Processing time in milliseconds, a download included.
    pub latency_ms: f64,
    /// When the verdict was reached.
    pub processed_at: DateTime<Utc>,
    /// Names and versions of the models, and the runtime they ran on.
    pub model_backend: String,
    /// True if a part of the file is not there, is damaged, or is more than is decoded, so that the verdict is on the
    /// rest; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub truncated: Option<bool>,
    /// Pictures of an animation; only for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub frames: Option<u32>,
    /// The number of the frame, from 0, that the verdict is on: the worst one looked at. Only for animations.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub frame: Option<u32>,
    /// What a transparent picture was seen on, the worse of `white` and `black`; only for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "black")]
    pub background: Option<&'static str>,
}

impl ImageModerationResponse {
    pub(super) fn new(paid: &Paid<ModeratedImage>) -> Self {
        let image = &paid.outcome;
        let verdict = &paid.outcome.verdict;
        let mut classes = Class::ALL;
        classes.sort_by(|a, b| verdict.classes[*b].total_cmp(&verdict.classes[*a]));
        Self {
            status: "success",
            id: image.id.to_string(),
            request_id: paid.request_id.to_string(),
            credits_deducted: paid.receipt.deducted.credits(),
            remaining_credits: paid.receipt.remaining.credits(),
            data: ImageModerationData {
                is_flagged: verdict.is_flagged,
                summary: verdict.summary.clone(),
                categories: ImageCategories {
                    nudity: (&verdict.nudity).into(),
                    drawn_nudity: (&verdict.drawn_nudity).into(),
                    age_estimation: verdict.age.as_ref().into(),
                },
                classifications: classes
                    .map(|class| Classification {
                        class_name: class.as_str(),
                        probability: significant(verdict.classes[class]),
                    })
                    .into(),
                meta: ImageMeta {
                    source: image.origin.as_str(),
                    latency_ms: image.latency_ms,
                    processed_at: image.processed_at,
                    model_backend: verdict.model.clone(),
                    truncated: verdict.truncated.then_some(true),
                    frames: (verdict.frames > 1).then_some(verdict.frames),
                    frame: (verdict.frames > 1).then_some(verdict.frame),
                    background: verdict.background.map(background_name),
                },
            },
        }
    }
}

fn background_name(background: Background) -> &'static str {
    match background {
        Background::White => "white",
        Background::Black => "black",
    }
}

impl From<&Finding> for ContentCategory {
    fn from(finding: &Finding) -> Self {
        Self { score: significant(finding.score), flagged: finding.flagged, labels: finding.labels.clone() }
    }
}

impl From<Option<&AgeEstimate>> for AgeEstimation {
    fn from(age: Option<&AgeEstimate>) -> Self {
        match age {
            Some(age) => Self {
                estimated_age: age.estimated_age,
                age_range: age.range(),
                is_minor: age.is_minor,
                confidence: significant(age.confidence),
                face_detected: true,
            },
            None => Self {
                estimated_age: 0,
                age_range: "unknown".to_owned(),
                is_minor: false,
                confidence: 0.0,
                face_detected: false,
            },
        }
    }
}
