//! `gavel moderate image`: a verdict on a picture.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use anyhow::Context as _;
use clap::Args;
use domain::moderation::image::{self, Class, Finding, ImageVerdict, Origin};
use serde_json::{Value, json};

use crate::{cli::output::Output, compose, config::Config};

/// The picture to moderate.
#[derive(Args)]
pub(in crate::cli) struct Image {
    /// The file: JPEG, PNG or WebP; `-` reads it from stdin.
    file: PathBuf,
}

impl Image {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let file: Box<dyn Read> = if self.file.as_os_str() == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(&self.file).with_context(|| self.file.display().to_string())?)
        };
        // One byte more than allowed, to detect a picture that is too large.
        let (mut bytes, most) = (Vec::new(), config.api.image_bytes);
        file.take(most as u64 + 1).read_to_end(&mut bytes).context("the picture could not be read")?;
        if bytes.len() > most {
            return Err(image::too_large(most).into());
        }
        let engine = compose::image_engine(config).context("`gavel models install` fetches the models")?;
        let policy = config.domain.image_policy();
        let verdict = image::evaluate(&engine, bytes.into(), Origin::Upload, &policy).await?;
        output.show(&describe(&verdict), value(&verdict));
        Ok(())
    }
}

fn describe(verdict: &ImageVerdict) -> String {
    let classes = Class::ALL.map(|class| format!("{} {:.3}", class.as_str(), verdict.classes[class]));
    let finding = |finding: &Finding| {
        let labels = if finding.labels.is_empty() {
            String::new()
        } else {
            format!("  {}", finding.labels.join(", "))
        };
        format!("{:.3}{}{labels}", finding.score, if finding.flagged { "  flagged" } else { "" })
    };
    format!(
        "{}\n\nnudity        {}\ndrawn nudity  {}\nclasses       {}\nmodel         {}\n",
        verdict.summary,
        finding(&verdict.nudity),
        finding(&verdict.drawn_nudity),
        classes.join(", "),
        verdict.model,
    )
}

/// The same as `data` of an answer, with the models in place of `meta`.
fn value(verdict: &ImageVerdict) -> Value {
    let finding = |finding: &Finding| json!({ "score": finding.score, "flagged": finding.flagged, "labels": finding.labels });
    let age = match &verdict.age {
        Some(age) => json!({
            "estimated_age": age.estimated_age, "age_range": age.range(), "is_minor": age.is_minor,
            "confidence": age.confidence, "face_detected": true,
        }),
        None => json!({
            "estimated_age": 0, "age_range": "unknown", "is_minor": false, "confidence": 0.0, "face_detected": false,
        }),
    };
    let mut classes = Class::ALL;
    classes.sort_by(|a, b| verdict.classes[*b].total_cmp(&verdict.classes[*a]));
    let classes =
        classes.map(|class| json!({ "className": class.as_str(), "probability": verdict.classes[class] }));
    json!({
        "is_flagged": verdict.is_flagged,
        "summary": verdict.summary,
        "categories": {
            "nudity": finding(&verdict.nudity),
            "drawn_nudity": finding(&verdict.drawn_nudity),
            "age_estimation": age,
        },
        "classifications": classes,
        "model_backend": verdict.model,
    })
}
