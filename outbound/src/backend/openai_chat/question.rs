//! Asks an LLM one question: in several orders of its options, whose probabilities are averaged, and in groups where
//! the options are many.

use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use ports::decision::{Choice, DecisionFault, Question, QuestionKind};
use serde_json::{Map, Value, json};

use super::{
    ask::{Asking, text_answer, unusable},
    dialect::Form,
    letters::{self, Unread},
    orders,
    prompt::{self, Sheet},
    settings::Reasoning,
    wire::{ChatChoice, ChatReply, ChatToken},
};

/// Requests of one question that are sent at once, as far as the backend has places for them.
const AT_ONCE: usize = 8;
/// Requests of a server that answers with one sample each time.
const MAX_SINGLE_SAMPLES: usize = 50;

/// One question and the state that it is about.
pub(super) struct Asked<'a> {
    pub(super) asking: &'a Asking<'a>,
    pub(super) question: &'a Question,
    pub(super) state: &'a str,
}

/// Options that are shown at once, in the order of their letters.
struct Shown<'a> {
    options: Vec<&'a Choice>,
    /// How many orders share the samples of the question.
    orders: usize,
}

impl Asked<'_> {
    /// The answer in System One's shape.
    pub(super) async fn answer(self) -> Result<Value, DecisionFault> {
        if self.question.kind == QuestionKind::Prompt {
            return self.text().await;
        }
        let options = self.question.kind.options();
        let p = self.distribution(&options).await?;
        Ok(match &self.question.kind {
            QuestionKind::Noul { .. } | QuestionKind::Prompt => json!({ "type": "noul", "noul": p[0] }),
            QuestionKind::Choice(_) => json!({ "type": "choice", "probabilities": named(&options, &p) }),
            QuestionKind::Score(_) => json!({ "type": "score", "probabilities": named(&options, &p) }),
        })
    }

    async fn text(&self) -> Result<Value, DecisionFault> {
        let messages = prompt::text_messages(self.question, self.state);
        let reply = self.asking.send(&messages, |_| Some(Form::Text)).await?;
        let text = reply.and_then(|reply| reply.choices.first().map(|choice| choice.message.text()));
        match text.as_deref().map(letters::after_reasoning) {
            None | Some("") => Err(unusable("answered without text")),
            Some(text) => Ok(text_answer(text)),
        }
    }

    /// The probability of each option. Where they are many, the winner of each group meets those of the others.
    async fn distribution(&self, options: &[Choice]) -> Result<Vec<f64>, DecisionFault> {
        let most = self.asking.learnt.now().top_logprobs.unwrap_or(self.asking.settings.top_logprobs);
        let mut p = vec![1.0; options.len()];
        let mut left = orders::canonical(&self.question.kind, options);
        // The options that each of those left stands for.
        let mut stands_for: Vec<Vec<usize>> = (0..options.len()).map(|option| vec![option]).collect();
        while left.len() > 1 {
            let groups = orders::groups(&left, most);
            let asked: Vec<_> = groups.iter().map(|group| self.group(options, group).boxed()).collect();
            let shares: Vec<Vec<f64>> = stream::iter(asked).buffered(AT_ONCE).try_collect().await?;
            let mut winners = Vec::with_capacity(groups.len());
            for (group, shares) in groups.iter().zip(&shares) {
                let mut all = Vec::new();
                let mut winner = 0;
                for (at, option) in group.iter().enumerate() {
                    for member in &stands_for[*option] {
                        p[*member] *= shares[at];
                    }
                    all.append(&mut stands_for[*option]);
                    winner = if shares[at] > shares[winner] { at } else { winner };
                }
                stands_for[group[winner]] = all;
                winners.push(group[winner]);
            }
            left = if groups.len() == 1 { Vec::new() } else { winners };
        }
        Ok(p)
    }

    /// The share of each option of a group, averaged over the orders in which they are shown: the normalised geometric
    /// mean, in which a liking for a place cancels out.
    async fn group(&self, options: &[Choice], group: &[usize]) -> Result<Vec<f64>, DecisionFault> {
        if group.len() == 1 {
            return Ok(vec![1.0]);
        }
        let rotations = self.asking.settings.rotations;
        let orders = orders::orders(&self.question.kind, group, rotations);
        let count = orders.len();
        let shown = orders.iter().map(|order| Shown {
            options: order.iter().map(|option| &options[*option]).collect(),
            orders: count,
        });
        let asked: Vec<_> = shown.map(|shown| self.shown(shown).boxed()).collect();
        let read: Vec<Vec<f64>> = stream::iter(asked).buffered(AT_ONCE).try_collect().await?;
        let mut logs = vec![0.0; group.len()];
        for (order, p) in orders.iter().zip(&read) {
            for (option, p) in order.iter().zip(p) {
                let at = group.iter().position(|member| member == option).unwrap_or_default();
                logs[at] += p.ln() / count as f64;
            }
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        Ok(weights.into_iter().map(|weight| weight / sum).collect())
    }

    /// The probability of each option of one order.
    async fn shown(&self, shown: Shown<'_>) -> Result<Vec<f64>, DecisionFault> {
        let offered = shown.options.len();
        let messages = self.sheet(&shown, false).messages();
        let forms = match self.asking.settings.reasoning {
            Reasoning::Off => &[Form::Token, Form::Long][..],
            Reasoning::Allowed => &[Form::Long],
        };
        for form in forms {
            let reply = self.asking.send(&messages, |dialect| dialect.top_logprobs.map(|_| *form)).await?;
            let Some(reply) = reply else { return self.sampled(&shown).await };
            let choice = &reply.choices[0];
            let tokens = choice.logprobs.as_ref().and_then(|logprobs| logprobs.content.as_deref());
            let Some(tokens) = tokens.filter(|tokens| has_logprobs(tokens)) else {
                // Some servers ignore what they do not have.
                self.asking.learnt.has_no_logprobs();
                return self.sampled(&shown).await;
            };
            let text = choice.message.text();
            let answer = letters::after_reasoning(&text);
            match letters::read(tokens, offered, answer, *form == Form::Long) {
                Ok(p) => return Ok(p),
                Err(Unread::Impossible) => return Err(unusable("answered with an impossible probability")),
                // It wants to say something else first.
                Err(Unread::NoLetter) => {}
            }
        }
        Err(unusable("answered with none of the options offered"))
    }

    /// The share of each option among samples, each option with half a sample more, so that none is impossible.
    async fn sampled(&self, shown: &Shown<'_>) -> Result<Vec<f64>, DecisionFault> {
        let letters = shown.options.len();
        let wanted = self.asking.settings.samples.div_ceil(shown.orders);
        let messages = self.sheet(shown, true).messages();
        let mut counts = vec![0.5; letters];
        let mut drawn = 0;
        for _ in 0..MAX_SINGLE_SAMPLES {
            let count = wanted - drawn;
            let asked = self.asking.send(&messages, |_| Some(Form::Samples { count, letters })).await?;
            let Some(reply) = asked else { break };
            drawn += count_samples(&reply, &mut counts)?;
            if drawn >= wanted {
                break;
            }
        }
        let sum: f64 = counts.iter().sum();
        Ok(counts.into_iter().map(|count| count / sum).collect())
    }

    fn sheet<'a>(&'a self, shown: &Shown<'a>, json: bool) -> Sheet<'a> {
        Sheet { question: self.question, options: shown.options.clone(), state: self.state, json }
    }
}

/// Whether a server has `logprobs`. An answer without tokens says nothing of it: a client's text may have caused that.
fn has_logprobs(tokens: &[ChatToken]) -> bool {
    tokens.is_empty() || tokens.iter().any(|token| !token.top_logprobs.is_empty())
}

/// Adds the samples of a reply; returns how many there were.
fn count_samples(reply: &ChatReply, counts: &mut [f64]) -> Result<usize, DecisionFault> {
    for choice in &reply.choices {
        let at = sample(choice, counts.len());
        let at = at.ok_or_else(|| unusable("answered with none of the options offered"))?;
        counts[at] += 1.0;
    }
    Ok(reply.choices.len())
}

/// The option that a sample names: in JSON, or as a plain letter where the server knows no schema.
fn sample(choice: &ChatChoice, letters: usize) -> Option<usize> {
    let text = choice.message.text();
    let answer = letters::after_reasoning(&text);
    let json = answer.find('{').zip(answer.rfind('}')).and_then(|(start, end)| answer.get(start..=end));
    let parsed = json.and_then(|json| serde_json::from_str::<Value>(json).ok());
    match parsed.as_ref().and_then(|parsed| parsed["answer"].as_str()) {
        Some(letter) => letters::named(letter, letters),
        None => letters::named(answer, letters),
    }
}

fn named(options: &[Choice], p: &[f64]) -> Map<String, Value> {
    options.iter().zip(p).map(|(option, p)| (option.value.clone(), json!(p))).collect()
}
