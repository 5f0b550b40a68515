//! Settings: `config.default.toml`, then a file, then `GAVEL_*` in the environment. One flat list of keys.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use figment::{
    Figment,
    providers::{Env, Format, Toml},
};
use serde::Deserialize;

/// The documented defaults, part of the binary.
const DEFAULTS: &str = include_str!("../config.default.toml");

/// Every setting; `config.default.toml` says what each means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) data_dir: PathBuf,
    database_url: String,
    pub(crate) database_pool: u32,
    redis_url: String,
    pub(crate) log: String,
    pub(crate) log_format: LogFormat,
    pub(crate) rate_limit_per_minute: u32,
    pub(crate) batch_messages: usize,
    pub(crate) text_body_bytes: usize,
    pub(crate) batch_body_bytes: usize,
    pub(crate) inference_body_bytes: usize,
    pub(crate) import_body_bytes: usize,
    pub(crate) graphql_body_bytes: usize,
    pub(crate) graphql_depth: usize,
    pub(crate) graphql_complexity: usize,
    pub(crate) graphql_timeout_s: u64,
    pub(crate) graphql_introspection: bool,
    pub(crate) sign_up: String,
    pub(crate) sign_up_credits: f64,
    pub(crate) websockets: usize,
    pub(crate) allowed_origins: String,
    pub(crate) secure_cookies: bool,
    pub(crate) strict_model_names: bool,
    pub(crate) image_body_bytes: usize,
    pub(crate) image_bytes: usize,
    pub(crate) image_pixels: u64,
    pub(crate) images_at_once: usize,
    pub(crate) images_in_flight: usize,
    pub(crate) models_dir: PathBuf,
    pub(crate) onnx_runtime: String,
    pub(crate) image_model: String,
    pub(crate) encoder_threads: usize,
    pub(crate) inference_tokens: usize,
    pub(crate) image_nudity_threshold: f64,
    pub(crate) image_drawn_nudity_threshold: f64,
    pub(crate) image_suggestive_threshold: f64,
    pub(crate) image_minor_threshold: f64,
    pub(crate) local_url: String,
    pub(crate) local_api_key: String,
    pub(crate) local_model: String,
    pub(crate) openrouter_url: String,
    pub(crate) openrouter_api_key: String,
    pub(crate) openrouter_model: String,
    pub(crate) escalate_below: f64,
    pub(crate) diffusion_url: String,
    pub(crate) diffusion_api_key: String,
    pub(crate) diffusion_model: String,
    pub(crate) text_escalate_below: f64,
    pub(crate) text_escalation_timeout_s: u64,
    pub(crate) backend_timeout_s: u64,
    pub(crate) backend_retries: usize,
    pub(crate) backend_concurrency: usize,
    pub(crate) backend_breaker_failures: u32,
    pub(crate) backend_breaker_cool_down_s: u64,
    pub(crate) fetch_allow: String,
    pub(crate) fetch_timeout_s: u64,
    pub(crate) requests_in_flight: usize,
    pub(crate) connections: usize,
    pub(crate) header_timeout_s: u64,
    pub(crate) shutdown_grace_s: u64,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// One JSON object a line.
    Json,
    /// For people.
    Text,
}

impl Config {
    /// Reads all three layers.
    ///
    /// # Errors
    /// When the file cannot be read, names an unknown setting, or a value is of the wrong kind.
    pub(crate) fn read(file: Option<&Path>) -> anyhow::Result<Self> {
        let defaults = Figment::from(Toml::string(DEFAULTS));
        // Only settings, so that GAVEL_CONFIG and variables of other tools are left alone.
        let names: Vec<String> = defaults
            .extract::<BTreeMap<String, serde_json::Value>>()
            .context("config.default.toml")?
            .into_keys()
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut layers = defaults;
        if let Some(file) = file {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("settings file {}", file.display()))?;
            layers = layers.merge(Toml::string(&text));
        }
        layers.merge(Env::prefixed("GAVEL_").only(&names)).extract().context("the settings are not valid")
    }

    /// The database's address: the one set, or SQLite in the data directory.
    pub(crate) fn database_url(&self) -> String {
        if self.database_url.is_empty() {
            return format!("sqlite://{}", self.data_dir.join("gavel.sqlite").display());
        }
        self.database_url.clone()
    }

    /// Redis' address, when one is set.
    pub(crate) fn redis_url(&self) -> Option<&str> {
        (!self.redis_url.is_empty()).then_some(self.redis_url.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_defaults_are_complete() {
        let config = Config::read(None).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.database_url(), "sqlite://data/gavel.sqlite");
        assert_eq!(config.redis_url(), None);
    }

    #[test]
    fn a_file_changes_what_it_names_and_may_not_invent_settings() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "listen = \"[::1]:9000\"").unwrap();
        assert_eq!(Config::read(Some(file.path())).unwrap().listen.to_string(), "[::1]:9000");
        writeln!(file, "lisen = 1").unwrap();
        let error = format!("{:#}", Config::read(Some(file.path())).unwrap_err());
        assert!(error.contains("lisen"), "{error}");
    }
}
