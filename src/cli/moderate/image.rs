//! `gavel moderate image`: prints the verdict on an image.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use anyhow::Context as _;
use clap::Args;
use domain::{
    foundation::round::significant,
    operations::moderation::image::{self, Finding, ImageVerdict, Origin},
};
use ports::image::Class;
use serde_json::{Value, json};

use crate::{cli::output::Output, compose, config::Config};

/// Print the verdict on an image.
#[derive(Args)]
pub(in crate::cli) struct Image {
    /// The image file: JPEG, PNG or WebP; `-` reads it from stdin.
    file: PathBuf,
}

impl Image {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let file: Box<dyn Read> = if self.file.as_os_str() == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(&self.file).with_context(|| self.file.display().to_string())?)
        };
        // Reads one byte beyond the limit, to detect a file that is too large.
        let mut bytes = Vec::new();
        let most = config.api.image_bytes;
        file.take(most as u64 + 1).read_to_end(&mut bytes).context("cannot read the picture")?;
        if bytes.len() > most {
            return Err(image::too_large(most).into());
        }
        let engine = compose::image_engine(config).context("`gavel models install` installs the models")?;
        let policy = config.domain.image_policy();
        let verdict = image::evaluate(&engine, bytes.into(), Origin::Upload, &policy).await?;
        output.show(&describe(&verdict), value(&verdict));
        Ok(())
    }
}

fn describe(verdict: &ImageVerdict) -> String {
    let classes = Class::ALL.map(|class| format!("{} {:.3}", class.as_str(), verdict.classes[class]));
    format!(
        "{}\n\nnudity        {}\ndrawn nudity  {}\nclasses       {}\nmodel         {}\n",
        verdict.summary,
        describe_finding(&verdict.nudity),
        describe_finding(&verdict.drawn_nudity),
        classes.join(", "),
        verdict.model,
    )
}

fn describe_finding(finding: &Finding) -> String {
    let flagged = if finding.flagged { "  flagged" } else { "" };
    let mut text = format!("{:.3}{flagged}", finding.score);
    if !finding.labels.is_empty() {
        text += "  ";
        text += finding.labels.join(", ").as_str();
    }
    text
}

/// The `data` of the API's response, with the models instead of `meta`.
fn value(verdict: &ImageVerdict) -> Value {
    let age = match &verdict.age {
        Some(age) => json!({
            "estimated_age": age.estimated_age, "age_range": age.range(), "is_minor": age.is_minor,
            "confidence": significant(age.confidence), "face_detected": true,
        }),
        None => json!({
            "estimated_age": 0, "age_range": "unknown", "is_minor": false, "confidence": 0.0, "face_detected": false,
        }),
    };
    let mut classes = Class::ALL;
    classes.sort_by(|a, b| verdict.classes[*b].total_cmp(&verdict.classes[*a]));
    let classes = classes.map(
        |class| json!({ "className": class.as_str(), "probability": significant(verdict.classes[class]) }),
    );
    json!({
        "is_flagged": verdict.is_flagged,
        "summary": verdict.summary,
        "categories": {
            "nudity": finding_value(&verdict.nudity),
            "drawn_nudity": finding_value(&verdict.drawn_nudity),
            "age_estimation": age,
        },
        "classifications": classes,
        "model_backend": verdict.model,
    })
}

fn finding_value(finding: &Finding) -> Value {
    json!({ "score": significant(finding.score), "flagged": finding.flagged, "labels": finding.labels })
}
