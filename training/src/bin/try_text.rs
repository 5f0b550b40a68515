//! Prints the verdict on each line of standard input, to be read by a person.
#![allow(clippy::print_stdout)]

use anyhow::{Result, anyhow};
use domain::operations::moderation::{TextDraft, TextMessage, decide, read};
use engine::text::NativeText;
use ports::text::TextInput;
use ports::text::{Category, TextMode};

fn main() -> Result<()> {
    let engine = NativeText::load()?;
    let explain = std::env::args().any(|argument| argument == "--explain");
    for content in std::io::stdin().lines() {
        let content = content?.replace("\\n", "\n");
        let draft = TextDraft { content: content.clone(), account_age_days: 30, ..Default::default() };
        let message = TextMessage::parse("", draft).map_err(|error| anyhow!(error.message))?;
        let scores = engine.score_one(&TextInput { content, mode: TextMode::Native, explain: true });
        let verdict = decide(&read(&message), &scores);
        let harms: Vec<String> = Category::ALL
            .iter()
            .filter(|category| scores.categories[**category] >= 0.1)
            .map(|category| format!("{} {:.2}", category.as_str(), scores.categories[*category]))
            .collect();
        println!(
            "{:<7} threat {:5.2} scam {:.2} review {:.2} | {} | {}",
            verdict.action.as_str(),
            verdict.threat_score,
            verdict.is_phishing_or_scam,
            verdict.requires_mod_review,
            message.content.chars().take(90).collect::<String>(),
            harms.join(", ")
        );
        if explain && let Some(why) = verdict.explanation {
            println!("        {:?}", why.normalized_text);
            for signal in why.signals {
                println!("        {:5.2} {} {}..{}", signal.weight, signal.name, signal.start, signal.end);
            }
        }
    }
    Ok(())
}
