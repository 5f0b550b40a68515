//! `gavel moderate text`: prints the verdict on a message.

use std::io::Read;

use clap::Args;
use domain::{
    Error,
    foundation::round::significant,
    operations::moderation::{self, TextDraft, TextMessage, Verdict},
};
use ports::text::{Category, TextMode};
use serde_json::{Map, Value, json};

use crate::{cli::output::Output, compose, config::Config};

/// Print the verdict on a message.
#[derive(Args)]
pub(in crate::cli) struct Text {
    /// The message; `-` reads it from stdin.
    content: String,
    /// The author's name.
    #[arg(long, default_value = "user#0001")]
    author: String,
    /// The channel's name.
    #[arg(long, default_value = "#general")]
    channel: String,
    /// Age of the author's account, in days.
    #[arg(long, default_value_t = 30)]
    account_age_days: u64,
    /// Number of user and role mentions.
    #[arg(long, default_value_t = 0)]
    mentions_count: u64,
    /// The message has attachments.
    #[arg(long)]
    has_attachments: bool,
    /// The engine: hybrid or native.
    #[arg(long, default_value = "hybrid")]
    mode: String,
    /// Explain the verdict.
    #[arg(long)]
    explain: bool,
    /// Show the message without personal data.
    #[arg(long)]
    redact: bool,
}

impl Text {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let mut content = self.content;
        if content == "-" {
            content.clear();
            std::io::stdin().read_to_string(&mut content)?;
        }
        let message = TextMessage::parse(
            "",
            TextDraft {
                content,
                author: Some(self.author),
                channel: Some(self.channel),
                account_age_days: self.account_age_days,
                mentions_count: self.mentions_count,
                has_attachments: self.has_attachments,
                mode: TextMode::parse("mode", &self.mode).map_err(Error::from)?,
                policy: None,
                redact: self.redact,
                ..TextDraft::default()
            },
        )?;
        let engine = compose::text_engine(config)?;
        let verdicts =
            moderation::evaluate(engine.as_ref(), std::slice::from_ref(&message), self.explain).await?;
        let mut verdict = verdicts.into_iter().next().ok_or_else(|| Error::internal("no verdict"))?;
        verdict.explanation = verdict.explanation.map(|why| why.in_characters(&message.content));
        let mut text = describe(&verdict);
        let mut value = value(&verdict);
        if message.redact {
            let content =
                moderation::redact(&message.content, &moderation::find_personal_data(&message.content));
            text.push_str(&format!("\nredacted    {content}\n"));
            value["redacted"] = json!({ "content": content });
        }
        output.show(&text, value);
        Ok(())
    }
}

fn describe(verdict: &Verdict) -> String {
    let p = verdict.action_probabilities;
    let mut text = format!(
        "action               {}\nthreat_score         {:.3}\nis_phishing_or_scam  {:.3}\nrequires_mod_review  {:.3}\n\
         probabilities        ban {:.3}, timeout {:.3}, warn {:.3}, none {:.3}\nmodel                {}\n",
        verdict.action.as_str(),
        verdict.threat_score,
        verdict.is_phishing_or_scam,
        verdict.requires_mod_review,
        p.ban,
        p.timeout,
        p.warn,
        p.none,
        verdict.model,
    );
    if let Some(why) = &verdict.explanation {
        let categories =
            Category::ALL.map(|category| format!("{} {:.3}", category.as_str(), why.categories[category]));
        text.push_str(&format!(
            "\nread as     {}\nlanguage    {}\ncategories  {}\n",
            why.normalized_text,
            why.language,
            categories.join(", ")
        ));
        for signal in &why.signals {
            text.push_str(&format!("signal      {:+.2}  {}\n", signal.weight, signal.name));
        }
    }
    text
}

fn value(verdict: &Verdict) -> Value {
    let p = verdict.action_probabilities;
    let mut value = json!({
        "action": verdict.action.as_str(),
        "threat_score": significant(verdict.threat_score),
        "is_phishing_or_scam": significant(verdict.is_phishing_or_scam),
        "requires_mod_review": significant(verdict.requires_mod_review),
        "action_probabilities": {
            "ban": significant(p.ban), "timeout": significant(p.timeout), "warn": significant(p.warn),
            "none": significant(p.none),
        },
        "routing_model": verdict.model,
    });
    if let Some(why) = &verdict.explanation {
        let categories: Map<String, Value> = Category::ALL
            .into_iter()
            .map(|category| (category.as_str().to_owned(), json!(significant(why.categories[category]))))
            .collect();
        let mut signals = why.signals.clone();
        signals.iter_mut().for_each(|signal| signal.weight = significant(signal.weight));
        value["explanation"] = json!({
            "categories": categories, "signals": signals, "normalized_text": why.normalized_text,
            "language": why.language,
        });
    }
    value
}
