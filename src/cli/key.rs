//! `gavel key`.

use chrono::{DateTime, Utc};
use clap::Subcommand;
use domain::{
    foundation::{allowed_backends::AllowedBackends, database::Database},
    people::api_key::{ApiKeys, NewKey, Scope},
};
use ports::id::KeyId;
use serde_json::json;

use super::{
    arguments,
    backend_list::{allowed_backends, named},
    named_account::named_account,
    output::{Output, table},
};
use crate::{config::Config, database};

/// Manage API keys.
#[derive(Subcommand)]
pub(super) enum Key {
    /// Create a key. It is shown only once.
    Create {
        /// `acc_…` or the owner's e-mail address.
        #[arg(long)]
        account: String,
        /// A name for the key.
        #[arg(long, default_value = "default")]
        name: String,
        /// Scopes of the key: any of moderate, infer, manage, read.
        #[arg(long, value_delimiter = ',', default_value = "moderate,infer")]
        scopes: Vec<String>,
        /// Time of expiry, such as 2027-01-31T00:00:00Z.
        #[arg(long, value_parser = arguments::time)]
        expires_at: Option<DateTime<Utc>>,
        /// Requests per minute; by default, and with 0, only the account's limit applies.
        #[arg(long)]
        rate_limit_per_minute: Option<u32>,
        /// Backends that it may use beside the default model; by default, all. `gavel` alone allows no other.
        #[arg(long, value_delimiter = ',')]
        backends: Option<Vec<String>>,
    },
    /// Limit a key, and the keys that it made, to some backends.
    SetBackends {
        /// `key_…`
        #[arg(long)]
        key: String,
        /// Backends that it may use beside the default model; by default, all. `gavel` alone allows no other.
        #[arg(long, value_delimiter = ',')]
        backends: Option<Vec<String>>,
    },
    /// List keys, without their secrets.
    List {
        /// List only keys of this account: `acc_…` or the owner's e-mail address.
        #[arg(long)]
        account: Option<String>,
    },
    /// Revoke a key; it is refused everywhere within 5 seconds.
    Revoke {
        /// `key_…`
        #[arg(long)]
        key: String,
    },
}

impl Key {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let db = &database::open(config).await?;
        match self {
            Key::Create { account, name, scopes, expires_at, rate_limit_per_minute, backends } => {
                let account = named_account(db, &account).await?;
                let scopes = scopes.iter().map(|scope| Scope::parse(scope)).collect::<domain::Result<_>>()?;
                let backends = allowed_backends(config, backends)?;
                let new = NewKey { name, scopes, expires_at, rate_limit_per_minute, backends };
                let (id, secret) = ApiKeys::new(db.clone()).create(&account, new).await?;
                output.show(
                    &format!(
                        "key      {id}\nAPI key  {}\n\nThe API key is shown only once.",
                        secret.reveal()
                    ),
                    json!({ "account_id": account, "key_id": id, "api_key": secret.reveal() }),
                );
            }
            Key::SetBackends { key, backends } => {
                let id = KeyId::from(key);
                let backends = allowed_backends(config, backends)?;
                ApiKeys::new(db.clone()).set_backends(&id, &backends).await?;
                output.show(
                    &format!("backends of {id}: {}; takes effect within 5 seconds", named(&backends)),
                    json!({ "key_id": id, "backends": backends.names() }),
                );
            }
            Key::List { account } => list(db, account.as_deref(), output).await?,
            Key::Revoke { key } => {
                let id = KeyId::from(key);
                ApiKeys::new(db.clone()).revoke(&id).await?;
                output.show(
                    &format!("revoked {id}; it is refused everywhere within 5 seconds"),
                    json!({ "key_id": id, "revoked": true }),
                );
            }
        }
        Ok(())
    }
}

async fn list(db: &Database, account: Option<&str>, output: &Output) -> anyhow::Result<()> {
    let account = match account {
        Some(name) => Some(named_account(db, name).await?),
        None => None,
    };
    let keys = ApiKeys::new(db.clone()).list(account.as_ref()).await?;
    let now = Utc::now();
    let states: Vec<&str> = keys.iter().map(|key| state(key.revoked_at, key.expires_at, now)).collect();
    let rows: Vec<_> = keys
        .iter()
        .zip(&states)
        .map(|(key, state)| {
            let hint = format!("{}…", key.hint);
            [
                key.id.clone(),
                key.account_id.clone(),
                key.name.clone(),
                hint,
                key.scopes.clone(),
                (*state).to_owned(),
                key.last_used_at.map_or("-".to_owned(), |time| time.to_rfc3339()),
            ]
        })
        .collect();
    let listed: Vec<_> = keys
        .iter()
        .zip(&states)
        .map(|(key, state)| {
            json!({
                "key_id": key.id, "account_id": key.account_id, "name": key.name, "hint": key.hint,
                "scopes": key.scopes.split(',').collect::<Vec<_>>(), "state": state,
                "rate_limit_per_minute": key.rate_limit_per_minute,
                "backends": AllowedBackends::stored(key.backends.as_deref()).names(), "expires_at": key.expires_at,
                "revoked_at": key.revoked_at, "last_used_at": key.last_used_at, "created_at": key.created_at,
            })
        })
        .collect();
    let header = ["KEY", "ACCOUNT", "NAME", "BEGINS", "SCOPES", "STATE", "LAST USED"];
    output.show(&table(header, &rows), json!({ "keys": listed }));
    Ok(())
}

fn state(
    revoked_at: Option<DateTime<Utc>>,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> &'static str {
    if revoked_at.is_some() {
        "revoked"
    } else if expires_at.is_some_and(|end| end <= now) {
        "expired"
    } else {
        "live"
    }
}
