//! The settings of the backends that the operator names: `[backends.NAME]`.

use std::{net::IpAddr, path::PathBuf, sync::Arc, time::Duration};

use domain::{
    money::amount::Amount,
    operations::inference::{Backend, MAX_INPUT_BYTES, NamedBackend, RESERVED_NAMES},
};
use ports::{EngineError, decision::DecisionBackend};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    client::{BackendLimits, Server},
    openai_chat::{ChatSettings, OpenAiChat, Reasoning},
    openai_decisions::OpenAiDecisions,
    openrouter::OpenRouter,
    system_one::SystemOne,
};

const MAX_NAME_CHARS: usize = 32;
/// What fits the context that common servers give a model, 4,096 tokens, with room for the question.
const CHAT_STATE_BYTES: usize = 8 << 10;
const OPENROUTER_URL: &str = "https://openrouter.ai";
const OPENROUTER_MODEL: &str = "typesafe/jev-1.13";

/// What a backend speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BackendKind {
    /// `POST /v1/systemone`.
    SystemOne,
    /// `POST /v1/decisions`.
    OpenaiDecisions,
    /// `POST /v1/chat/completions`, of any LLM.
    OpenaiChat,
    /// OpenRouter's Decisions API.
    Openrouter,
}

/// The settings of one backend; docs/backends.md describes each.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedSettings {
    kind: BackendKind,
    #[serde(default)]
    url: String,
    #[serde(default)]
    api_key: String,
    #[serde(default)]
    api_key_file: Option<PathBuf>,
    #[serde(default)]
    model: String,
    timeout_s: Option<u64>,
    retries: Option<u64>,
    concurrency: Option<u64>,
    price: Option<f64>,
    max_state_bytes: Option<u64>,
    external: Option<bool>,
    rotations: Option<u64>,
    top_logprobs: Option<u64>,
    samples: Option<u64>,
    answer_tokens: Option<u64>,
    #[serde(default)]
    reasoning: Reasoning,
    #[serde(default)]
    extra: Map<String, Value>,
}

/// A setting of one backend, for error messages.
struct Named<'a> {
    name: &'a str,
    settings: &'a NamedSettings,
}

impl NamedSettings {
    /// Creates the backend without connecting. `usual` are the limits of servers without their own.
    ///
    /// # Errors
    /// Names the invalid setting, with its allowed values.
    pub(super) fn open(&self, name: &str, usual: &BackendLimits) -> Result<NamedBackend, EngineError> {
        Named { name, settings: self }.open(usual)
    }
}

impl Named<'_> {
    fn open(&self, usual: &BackendLimits) -> Result<NamedBackend, EngineError> {
        self.check_name()?;
        let url = self.url()?;
        let key = self.key()?;
        let prefix = format!("backends.{}.", self.name);
        // Settings live as long as the process.
        let backend: &'static str = String::leak(self.name.to_owned());
        let server = Server { backend, settings: &prefix, url: &url, key: key.as_deref() };
        let limits = self.limits(usual)?;
        let model = (!self.settings.model.is_empty()).then(|| self.settings.model.clone());
        let chat = self.chat()?;
        let backend: Arc<dyn DecisionBackend> = match self.settings.kind {
            BackendKind::SystemOne => Arc::new(SystemOne::new(&server, model, limits)?),
            BackendKind::OpenaiDecisions => Arc::new(OpenAiDecisions::new(&server, model, limits)?),
            BackendKind::OpenaiChat => Arc::new(OpenAiChat::new(&server, model, limits, chat)?),
            BackendKind::Openrouter => {
                if key.is_none() {
                    return Err(self.fault("api_key", "is required for the kind openrouter"));
                }
                let model = model.unwrap_or_else(|| OPENROUTER_MODEL.to_owned());
                Arc::new(OpenRouter::new(&server, model, limits)?)
            }
        };
        let usual_bytes = match self.settings.kind {
            BackendKind::OpenaiChat => CHAT_STATE_BYTES,
            BackendKind::SystemOne | BackendKind::OpenaiDecisions | BackendKind::Openrouter => {
                MAX_INPUT_BYTES
            }
        };
        let bytes = self.settings.max_state_bytes;
        Ok(NamedBackend {
            backend,
            price: self.price()?,
            max_state_bytes: self
                .whole("max_state_bytes", bytes, 1, MAX_INPUT_BYTES as u64)?
                .map_or(usual_bytes, |bytes| bytes as usize),
            external: self.settings.external.unwrap_or_else(|| !is_own(&url)),
            shown_as: match self.settings.kind {
                BackendKind::Openrouter => Backend::Openrouter,
                BackendKind::SystemOne | BackendKind::OpenaiDecisions | BackendKind::OpenaiChat => {
                    Backend::Local
                }
            },
            calibrated_here: true,
        })
    }

    fn check_name(&self) -> Result<(), EngineError> {
        let name = self.name;
        let fits = !name.is_empty()
            && name.len() <= MAX_NAME_CHARS
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte));
        if !fits {
            return Err(EngineError(format!(
                "backends.{name}: the name must be 1 to {MAX_NAME_CHARS} of a-z, 0-9, _ and -"
            )));
        }
        if RESERVED_NAMES.contains(&name) {
            let reserved = RESERVED_NAMES.join(", ");
            return Err(EngineError(format!(
                "backends.{name}: the name must not be one of {reserved}, which mean Gavel's own backends"
            )));
        }
        Ok(())
    }

    fn url(&self) -> Result<String, EngineError> {
        match (self.settings.url.as_str(), self.settings.kind) {
            ("", BackendKind::Openrouter) => Ok(OPENROUTER_URL.to_owned()),
            ("", BackendKind::SystemOne | BackendKind::OpenaiDecisions | BackendKind::OpenaiChat) => {
                Err(self.fault("url", "is required, such as http://127.0.0.1:8000"))
            }
            (url, _) => Ok(url.to_owned()),
        }
    }

    fn key(&self) -> Result<Option<String>, EngineError> {
        let key = &self.settings.api_key;
        let Some(file) = &self.settings.api_key_file else {
            return Ok((!key.is_empty()).then(|| key.clone()));
        };
        if !key.is_empty() {
            return Err(self.fault("api_key_file", "must be left out where api_key is set"));
        }
        let read = std::fs::read_to_string(file);
        let read = read.map_err(|error| {
            self.fault("api_key_file", &format!("cannot be read: {}: {error}", file.display()))
        })?;
        match read.trim() {
            "" => Err(self.fault("api_key_file", &format!("is empty: {}", file.display()))),
            key => Ok(Some(key.to_owned())),
        }
    }

    fn limits(&self, usual: &BackendLimits) -> Result<BackendLimits, EngineError> {
        let NamedSettings { timeout_s, retries, concurrency, .. } = self.settings;
        Ok(BackendLimits {
            timeout: self.whole("timeout_s", *timeout_s, 1, 25)?.map_or(usual.timeout, Duration::from_secs),
            retries: self
                .whole("retries", *retries, 0, 10)?
                .map_or(usual.retries, |retries| retries as usize),
            concurrency: self
                .whole("concurrency", *concurrency, 1, 100_000)?
                .map_or(usual.concurrency, |concurrency| concurrency as usize),
            ..usual.clone()
        })
    }

    fn price(&self) -> Result<Option<Amount>, EngineError> {
        let Some(price) = self.settings.price else { return Ok(None) };
        match Amount::from_credits("price", price) {
            Ok(amount) if (0..=1_000_000_000).contains(&amount.milli()) => Ok(Some(amount)),
            _ => Err(self.fault("price", "must be from 0 to 1000000 credits, with at most three decimals")),
        }
    }

    fn chat(&self) -> Result<ChatSettings, EngineError> {
        let NamedSettings { kind, rotations, top_logprobs, samples, answer_tokens, .. } = self.settings;
        let of_chat = [
            ("rotations", rotations.is_some()),
            ("top_logprobs", top_logprobs.is_some()),
            ("samples", samples.is_some()),
            ("answer_tokens", answer_tokens.is_some()),
            ("extra", !self.settings.extra.is_empty()),
        ];
        if let Some((setting, _)) = of_chat.iter().find(|(_, set)| *set && *kind != BackendKind::OpenaiChat) {
            return Err(self.fault(setting, "is a setting of the kind openai_chat only"));
        }
        for name in ["model", "messages", "stream"] {
            if self.settings.extra.contains_key(name) {
                return Err(
                    self.fault("extra", &format!("must not have the member `{name}`, which Gavel sends"))
                );
            }
        }
        Ok(ChatSettings {
            rotations: self.whole("rotations", *rotations, 1, 20)?.unwrap_or(2) as usize,
            top_logprobs: self.whole("top_logprobs", *top_logprobs, 2, 20)?.unwrap_or(20) as usize,
            samples: self.whole("samples", *samples, 1, 50)?.unwrap_or(6) as usize,
            answer_tokens: self.whole("answer_tokens", *answer_tokens, 16, 32_768)?.unwrap_or(1_024) as u32,
            reasoning: self.settings.reasoning,
            extra: self.settings.extra.clone(),
        })
    }

    fn whole(
        &self,
        setting: &str,
        value: Option<u64>,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, EngineError> {
        match value {
            Some(value) if !(least..=most).contains(&value) => {
                Err(self.fault(setting, &format!("must be from {least} to {most}, not {value}")))
            }
            fits => Ok(fits),
        }
    }

    fn fault(&self, setting: &str, what: &str) -> EngineError {
        EngineError(format!("backends.{}.{setting} {what}", self.name))
    }
}

/// Whether an address is of this machine or of a private network.
fn is_own(url: &str) -> bool {
    let url = Url::parse(url).ok();
    let Some(host) = url.as_ref().and_then(Url::host_str) else { return false };
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private(),
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn open(name: &str, settings: Value) -> Result<NamedBackend, String> {
        let usual = BackendLimits {
            timeout: Duration::from_secs(9),
            retries: 2,
            concurrency: 64,
            breaker_failures: 5,
            breaker_cool_down: Duration::from_secs(15),
        };
        let settings: NamedSettings = serde_json::from_value(settings).map_err(|error| error.to_string())?;
        settings.open(name, &usual).map_err(|error| error.to_string())
    }

    /// The settings of an LLM with more members.
    fn chat(more: Value) -> Value {
        let mut settings = json!({ "kind": "openai_chat", "url": "http://127.0.0.1:8080/v1" });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        settings
    }

    #[test]
    fn a_setting_that_is_not_allowed_is_named_with_what_is() {
        let url = "http://127.0.0.1:8080/v1";
        assert!(open("ollama", chat(json!({ "price": 1.25, "timeout_s": 25, "rotations": 4 }))).is_ok());
        for (name, settings, says) in [
            ("ollama", json!({ "kind": "openai_chat" }), "backends.ollama.url is required"),
            ("ollama", json!({ "kind": "telepathy", "url": url }), "telepathy"),
            ("ollama", json!({ "url": url }), "kind"),
            ("ollama", chat(json!({ "modle": "x" })), "modle"),
            ("Ollama", chat(json!({})), "a-z"),
            ("openrouter", chat(json!({})), "must not be one of"),
            (
                "ollama",
                chat(json!({ "timeout_s": 26 })),
                "backends.ollama.timeout_s must be from 1 to 25, not 26",
            ),
            ("ollama", chat(json!({ "concurrency": 0 })), "concurrency must be from 1 to 100000"),
            ("ollama", chat(json!({ "price": 0.0001 })), "price must be from 0"),
            ("ollama", chat(json!({ "price": -1 })), "price must be from 0"),
            ("ollama", chat(json!({ "max_state_bytes": 1 << 30 })), "max_state_bytes must be from 1 to"),
            ("ollama", chat(json!({ "top_logprobs": 1 })), "top_logprobs must be from 2 to 20"),
            ("ollama", chat(json!({ "samples": 0 })), "samples must be from 1 to 50"),
            ("ollama", chat(json!({ "rotations": 21 })), "rotations must be from 1 to 20"),
            ("ollama", chat(json!({ "extra": { "stream": true } })), "must not have the member `stream`"),
            ("ollama", chat(json!({ "api_key_file": "/nowhere" })), "api_key_file cannot be read"),
            ("ollama", json!({ "kind": "system_one", "url": url, "samples": 3 }), "only"),
            ("ollama", json!({ "kind": "openai_decisions", "url": url, "rotations": 3 }), "only"),
            ("ollama", json!({ "kind": "openai_decisions" }), "backends.ollama.url is required"),
            ("far", json!({ "kind": "openrouter" }), "api_key is required"),
            ("ollama", json!({ "kind": "system_one", "url": "ftp://x" }), "http:// or https://"),
        ] {
            let error = open(name, settings.clone()).err().unwrap_or_default();
            assert!(error.contains(says), "{settings}: {error}");
        }
    }

    #[test]
    fn servers_of_other_networks_are_external_unless_the_operator_says_otherwise() {
        for (url, external) in [
            ("http://localhost:11434", false),
            ("http://127.0.0.1:8000/v1", false),
            ("http://[::1]:8000", false),
            ("http://10.1.2.3:8000", false),
            ("http://gpu.internal:8000", true),
            ("https://api.openai.com", true),
            ("http://8.8.8.8", true),
        ] {
            let settings = json!({ "kind": "openai_chat", "url": url });
            assert_eq!(open("it", settings).unwrap().external, external, "{url}");
        }
        let said = json!({ "kind": "openai_chat", "url": "http://gpu.internal", "external": false });
        assert!(!open("it", said).unwrap().external);
    }
}
