//! What a server understands of OpenAI's requests. Servers refuse members that they do not know; each refusal that
//! names one teaches us to leave it out.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::settings::{ChatSettings, Reasoning};

/// How long what was learnt is kept: the server may be replaced.
const KEPT_FOR: Duration = Duration::from_secs(3600);
/// What servers with a lower limit allow.
const LOW_TOP_LOGPROBS: usize = 5;

/// What a server understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    /// How many tokens it may be asked for; none where it has no `logprobs`.
    pub(super) top_logprobs: Option<usize>,
    /// Whether it takes `n`.
    pub(super) several: bool,
    /// Whether it takes `response_format`.
    schema: bool,
    temperature: bool,
    /// Whether it says `max_completion_tokens`.
    completion_tokens: bool,
    reasoning_effort: bool,
    chat_template: bool,
}

/// What has been learnt of one server.
pub(super) struct Learnt {
    first: Dialect,
    now: Mutex<Option<LearntDialect>>,
}

struct LearntDialect {
    dialect: Dialect,
    since: Instant,
}

/// How an answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One token, with the probabilities of others.
    Token,
    /// An answer that may have reasoning before it, with probabilities.
    Long,
    /// So many answers in JSON, one of so many letters each.
    Samples {
        count: usize,
        letters: usize,
    },
    Text,
}

impl Learnt {
    pub(super) fn new(settings: &ChatSettings) -> Self {
        let switches = settings.reasoning == Reasoning::Off;
        let first = Dialect {
            top_logprobs: Some(settings.top_logprobs),
            several: true,
            schema: true,
            temperature: true,
            completion_tokens: false,
            reasoning_effort: switches,
            chat_template: switches,
        };
        Self { first, now: Mutex::new(None) }
    }

    pub(super) fn now(&self) -> Dialect {
        let now = self.now.lock();
        let kept = now.as_ref().filter(|learnt| learnt.since.elapsed() < KEPT_FOR);
        kept.map_or(self.first, |learnt| learnt.dialect)
    }

    /// Learns from the refusal of a request in the dialect `sent`; returns whether another dialect may be understood.
    pub(super) fn learn(&self, sent: Dialect, refusal: &str, clients_text: &str) -> bool {
        if sent.without(refusal, clients_text).is_none() {
            return false;
        }
        // A request beside this one may have learnt something else meanwhile.
        self.change(|dialect| dialect.without(refusal, clients_text).unwrap_or(dialect));
        true
    }

    /// Remembers that the server ignores `logprobs`.
    pub(super) fn has_no_logprobs(&self) {
        self.change(|dialect| Dialect { top_logprobs: None, ..dialect });
    }

    fn change(&self, change: impl FnOnce(Dialect) -> Dialect) {
        let mut now = self.now.lock();
        let kept = now.take().filter(|learnt| learnt.since.elapsed() < KEPT_FOR);
        let before = kept.unwrap_or_else(|| LearntDialect { dialect: self.first, since: Instant::now() });
        *now = Some(LearntDialect { dialect: change(before.dialect), ..before });
    }
}

impl Dialect {
    /// The members of a request beside its model and messages.
    pub(super) fn members(&self, form: Form, settings: &ChatSettings) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert("stream".to_owned(), false.into());
        let tokens = match form {
            Form::Token => 1,
            Form::Long | Form::Text | Form::Samples { .. } => settings.answer_tokens,
        };
        let limit = if self.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        members.insert(limit.to_owned(), tokens.into());
        match form {
            Form::Token | Form::Long => {
                members.insert("logprobs".to_owned(), true.into());
                members.insert("top_logprobs".to_owned(), self.top_logprobs.unwrap_or(1).into());
            }
            Form::Samples { count, letters } => {
                if self.several && count > 1 {
                    members.insert("n".to_owned(), count.into());
                }
                if self.schema {
                    members.insert("response_format".to_owned(), schema(letters));
                }
            }
            Form::Text => {}
        }
        if self.temperature {
            let temperature = if matches!(form, Form::Samples { .. }) { 1 } else { 0 };
            members.insert("temperature".to_owned(), temperature.into());
        }
        if self.reasoning_effort {
            members.insert("reasoning_effort".to_owned(), "none".into());
        }
        if self.chat_template {
            members.insert("chat_template_kwargs".to_owned(), json!({ "enable_thinking": false }));
        }
        members.extend(settings.extra.clone());
        members
    }

    /// What is left to try after a refusal in these words. None if it names nothing that could be left out; or if the
    /// client's own text, which servers repeat, has the same words.
    pub(super) fn without(mut self, refusal: &str, clients_text: &str) -> Option<Self> {
        let refusal = refusal.to_ascii_lowercase();
        let words = RefusalWords { refusal: &refusal, clients_text };
        if self.chat_template && words.blame("chat_template_kwargs") {
            self.chat_template = false;
        } else if self.reasoning_effort
            && (words.blame("reasoning_effort") || words.blame("reasoning.effort"))
        {
            self.reasoning_effort = false;
        } else if !self.completion_tokens && words.blame("max_completion_tokens") {
            self.completion_tokens = true;
        } else if self.temperature && words.blame("temperature") {
            self.temperature = false;
        } else if self.top_logprobs.is_some_and(|top| top > LOW_TOP_LOGPROBS) && words.blame("top_logprobs") {
            self.top_logprobs = Some(LOW_TOP_LOGPROBS);
        } else if self.top_logprobs.is_some() && words.blame("logprobs") {
            self.top_logprobs = None;
        } else if self.schema && (words.blame("response_format") || words.blame("json_schema")) {
            self.schema = false;
        } else if self.several && ["one completion choice", "'n'", "\"n\""].iter().any(|n| words.blame(n)) {
            self.several = false;
        } else {
            return None;
        }
        Some(self)
    }
}

/// A refusal and what the client wrote, in lower case.
struct RefusalWords<'a> {
    refusal: &'a str,
    clients_text: &'a str,
}

impl RefusalWords<'_> {
    /// Whether the server names a member that is not a word of the client's.
    fn blame(&self, member: &str) -> bool {
        self.refusal.contains(member) && !self.clients_text.contains(member)
    }
}

fn schema(letters: usize) -> Value {
    let letters: Vec<String> = (0..letters).map(|at| super::prompt::letter(at).to_string()).collect();
    let schema = json!({
        "type": "object",
        "properties": { "answer": { "type": "string", "enum": letters } },
        "required": ["answer"],
        "additionalProperties": false,
    });
    json!({ "type": "json_schema", "json_schema": { "name": "answer", "strict": true, "schema": schema } })
}
