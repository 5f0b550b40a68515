//! Settings: `config.default.toml`, overridden by a file, overridden by `GAVEL_*` environment variables. The keys form
//! one flat list, of which each crate reads its own part.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use figment::{
    Figment,
    providers::{Env, Format, Toml},
};
use outbound::{backend, fetch::FetchSettings, mail::SmtpSettings, webhook::WebhookSettings};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{setting_faults::in_words, setting_ranges};

/// The documented defaults.
pub(crate) const DEFAULTS: &str = include_str!("../config.default.toml");

/// The prefix of environment variables that are settings.
const PREFIX: &str = "GAVEL_";
/// The prefix of the variables of named backends.
const BACKENDS: &str = "GAVEL_BACKENDS__";
/// Variables with this prefix that are not settings: the command line reads the first, clients read the others. Tests
/// use `GAVEL_TEST_…`.
const OTHER_VARIABLES: [&str; 6] = ["CONFIG", "URL", "API_KEY", "KEY", "EMAIL", "PASSWORD"];

/// Every setting, by the crate that uses it; `config.default.toml` describes each.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) process: ProcessSettings,
    pub(crate) api: api::ApiSettings,
    pub(crate) domain: domain::DomainSettings,
    pub(crate) engine: engine::EngineSettings,
    pub(crate) backends: backend::BackendSettings,
    pub(crate) fetch: FetchSettings,
    pub(crate) webhooks: WebhookSettings,
    pub(crate) smtp: SmtpSettings,
    pub(crate) worker: worker::WorkerSettings,
}

/// The settings of the process itself: its addresses, its data and its log.
#[derive(Clone, Deserialize)]
pub(crate) struct ProcessSettings {
    pub(crate) listen: SocketAddr,
    operations_listen: String,
    pub(crate) data_dir: PathBuf,
    database_url: String,
    pub(crate) database_pool: u32,
    redis_url: String,
    pub(crate) log: String,
    pub(crate) log_format: LogFormat,
    pub(crate) drain_delay_s: u32,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// One JSON object per line.
    Json,
    /// Text, for people.
    Text,
}

impl Config {
    /// Reads all three layers.
    ///
    /// # Errors
    /// If the file cannot be read, a setting is unknown, or a value has the wrong type or is out of its range.
    pub(crate) fn read(file: Option<&Path>) -> anyhow::Result<Self> {
        let defaults = Figment::from(Toml::string(DEFAULTS));
        let known = names(&defaults).context("config.default.toml")?;
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let mut layers = defaults;
        if let Some(file) = file {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("settings file {}", file.display()))?;
            layers = layers.merge(Toml::string(&text));
        }
        require_known_variables(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()), &known)?;
        let layers = layers.merge(Env::prefixed(PREFIX).only(&known)).merge(backend_variables());
        Self::from_layers(&layers, &known).context("the settings are not valid")
    }

    fn from_layers(layers: &Figment, known: &[&str]) -> anyhow::Result<Self> {
        if let Some(name) = names(layers)?.iter().find(|name| !known.contains(&name.as_str())) {
            bail!("unknown setting `{name}`; config.default.toml lists all settings");
        }
        setting_ranges::check(layers)?;
        Ok(Self {
            process: extract(layers)?,
            api: extract(layers)?,
            domain: extract(layers)?,
            engine: extract(layers)?,
            backends: extract(layers)?,
            fetch: extract(layers)?,
            webhooks: extract(layers)?,
            smtp: extract(layers)?,
            worker: extract(layers)?,
        })
    }
}

impl ProcessSettings {
    /// The database URL from the settings, or SQLite in the data directory.
    pub(crate) fn database_url(&self) -> String {
        if self.database_url.is_empty() {
            return format!("sqlite://{}", self.data_dir.join("gavel.sqlite").display());
        }
        self.database_url.clone()
    }

    /// The address of the separate listener for health and metrics, if one is set.
    ///
    /// # Errors
    /// If it is not an address.
    pub(crate) fn operations_listen(&self) -> anyhow::Result<Option<SocketAddr>> {
        let set = (!self.operations_listen.is_empty()).then(|| self.operations_listen.parse());
        set.transpose().context("operations_listen must be an address and a port, such as 127.0.0.1:9090")
    }

    /// The Redis URL, if one is set.
    pub(crate) fn redis_url(&self) -> Option<&str> {
        (!self.redis_url.is_empty()).then_some(self.redis_url.as_str())
    }
}

/// The variables of named backends: `GAVEL_BACKENDS__NAME__URL` is `url` in `[backends.NAME]`.
fn backend_variables() -> Env {
    Env::prefixed(BACKENDS).map(|name| format!("backends.{}", name.as_str().replace("__", ".")).into())
}

/// Refuses `GAVEL_…` variables that are not settings, because they are probably misspelt.
fn require_known_variables(variables: impl Iterator<Item = String>, known: &[&str]) -> anyhow::Result<()> {
    for variable in variables {
        let Some(name) = variable.strip_prefix(PREFIX) else { continue };
        if variable.starts_with(BACKENDS) {
            continue;
        }
        let setting = known.iter().any(|known| known.eq_ignore_ascii_case(name));
        if !setting && !OTHER_VARIABLES.contains(&name) && !name.starts_with("TEST_") {
            bail!(
                "there is no setting for the environment variable {variable}; config.default.toml lists all settings"
            );
        }
    }
    Ok(())
}

fn extract<T: DeserializeOwned>(layers: &Figment) -> anyhow::Result<T> {
    layers.extract().map_err(|error| in_words(&error))
}

fn names(layers: &Figment) -> anyhow::Result<Vec<String>> {
    Ok(layers.extract::<BTreeMap<String, Value>>()?.into_keys().collect())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, io::Write};

    use serde::{Deserializer, de::Visitor};

    use super::*;

    #[test]
    fn the_defaults_are_complete() {
        let config = Config::read(None).unwrap();
        assert_eq!(config.process.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.process.database_url(), "sqlite://data/gavel.sqlite");
        assert_eq!(config.process.redis_url(), None);
    }

    #[test]
    fn too_small_a_buffer_is_named_with_what_is_allowed() {
        let api = Config::read(None).unwrap().api;
        api.check().unwrap();
        let mut small = api;
        small.arriving_bytes = 33_554_431;
        let error = small.check().unwrap_err().to_string();
        assert!(error.starts_with("arriving_bytes must be at least 33554432"), "{error}");
    }

    #[test]
    fn every_setting_is_used() {
        let tables = [
            fields::<ProcessSettings>(),
            fields::<api::ApiSettings>(),
            fields::<domain::DomainSettings>(),
            fields::<engine::EngineSettings>(),
            fields::<backend::BackendSettings>(),
            fields::<FetchSettings>(),
            fields::<WebhookSettings>(),
            fields::<SmtpSettings>(),
            fields::<worker::WorkerSettings>(),
        ];
        let read: BTreeSet<&str> = tables.concat().into_iter().collect();
        let documented = names(&Figment::from(Toml::string(DEFAULTS))).unwrap();
        assert_eq!(read, documented.iter().map(String::as_str).collect());
    }

    #[test]
    fn a_file_overrides_settings_and_cannot_add_any() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "listen = \"[::1]:9000\"").unwrap();
        assert_eq!(Config::read(Some(file.path())).unwrap().process.listen.to_string(), "[::1]:9000");
        writeln!(file, "lisen = 1").unwrap();
        let error = format!("{:#}", Config::read(Some(file.path())).err().unwrap());
        assert!(error.contains("lisen"), "{error}");
    }

    #[test]
    fn a_misspelt_variable_is_refused() {
        for known in
            ["GAVEL_LISTEN", "GAVEL_CONFIG", "GAVEL_API_KEY", "GAVEL_KEY", "GAVEL_TEST_REDIS_URL", "PATH"]
        {
            require_known(known).unwrap();
        }
        assert!(format!("{:#}", require_known("GAVEL_LISEN").unwrap_err()).contains("GAVEL_LISEN"));
    }

    fn require_known(name: &str) -> anyhow::Result<()> {
        require_known_variables([name.to_owned()].into_iter(), &["listen", "log"])
    }

    /// The names that a derived `Deserialize` asks for.
    fn fields<T: DeserializeOwned>() -> Vec<&'static str> {
        struct FieldNames<'a>(&'a mut Vec<&'static str>);

        impl<'de> Deserializer<'de> for FieldNames<'_> {
            type Error = serde::de::value::Error;

            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
                visitor.visit_unit()
            }

            fn deserialize_struct<V: Visitor<'de>>(
                self,
                _: &'static str,
                fields: &'static [&'static str],
                visitor: V,
            ) -> Result<V::Value, Self::Error> {
                self.0.extend(fields);
                visitor.visit_unit()
            }

            serde::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
                unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
            }
        }

        let mut names = Vec::new();
        assert!(T::deserialize(FieldNames(&mut names)).is_err(), "there is nothing to read");
        names
    }
}
