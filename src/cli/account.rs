//! `gavel account`.

use clap::Subcommand;
use domain::{
    foundation::{allowed_backends::AllowedBackends, audit, database::Database},
    money::amount::Amount,
    people::{
        account::{Accounts, NewAccount},
        api_key::{ApiKeys, NewKey},
    },
};
use serde_json::json;

use super::{
    arguments::amount,
    backend_list::{allowed_backends, named},
    named_account::named_account,
    output::{Output, table},
    password::PasswordArgs,
};
use crate::{config::Config, database};

/// Manage accounts.
#[derive(Subcommand)]
pub(super) enum Account {
    /// Create an account with its owner and first API key. Without a password, the owner cannot sign in.
    Create {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        #[command(flatten)]
        password: PasswordArgs,
        /// Initial credits.
        #[arg(long, default_value = "0", value_parser = amount)]
        credits: Amount,
    },
    /// List all accounts.
    List,
    /// Permanently erase an account: its users, keys, Judges, datasets and stored answers. The amounts in its ledger
    /// are kept.
    Erase {
        /// `acc_…` or the owner's e-mail address.
        #[arg(long)]
        account: String,
        /// The account's name, as shown by `account list`, as confirmation.
        #[arg(long)]
        confirm: String,
    },
    /// Set the rate limit of all keys of an account together, and of each of its signed-in people.
    SetRateLimit {
        /// `acc_…` or the owner's e-mail address.
        #[arg(long)]
        account: String,
        /// Requests per minute, or 0 for no limit; defaults to the deployment's limit.
        #[arg(long)]
        per_minute: Option<u32>,
    },
    /// Limit an account, with its keys and people, to some backends.
    SetBackends {
        /// `acc_…` or the owner's e-mail address.
        #[arg(long)]
        account: String,
        /// Backends that it may use beside the default model; by default, all. `gavel` alone allows no other.
        #[arg(long, value_delimiter = ',')]
        backends: Option<Vec<String>>,
    },
}

impl Account {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let db = &database::open(config).await?;
        match self {
            Account::Create { email, password, credits } => {
                let password = password.read()?;
                let (id, user) = Accounts::new(db.clone())
                    .create(NewAccount { email: email.clone(), password, credits, at: None })
                    .await?;
                let (key, secret) = ApiKeys::new(db.clone()).create(&id, NewKey::default()).await?;
                let secret = secret.reveal();
                output.show(
                    &format!(
                        "account  {id}\nuser     {user}\ncredits  {credits}\nkey      {key}\nAPI key  {secret}\n\n\
                         The API key is shown only once."
                    ),
                    json!({
                        "account_id": id, "user_id": user, "email": email, "credits": credits.credits(),
                        "key_id": key, "api_key": secret,
                    }),
                );
            }
            Account::List => list(db, output).await?,
            Account::Erase { account, confirm } => {
                let id = named_account(db, &account).await?;
                Accounts::new(db.clone()).erase_by_command_line(&id, &confirm).await?;
                output.show(&format!("erased {id}"), json!({ "account_id": id, "erased": true }));
            }
            Account::SetRateLimit { account, per_minute } => {
                let id = named_account(db, &account).await?;
                Accounts::new(db.clone()).set_rate_limit(audit::COMMAND_LINE, &id, per_minute).await?;
                let limit = per_minute.map_or("the deployment's limit".to_owned(), |limit| limit.to_string());
                output.show(
                    &format!("requests per minute for {id}: {limit}; takes effect within 5 seconds"),
                    json!({ "account_id": id, "rate_limit_per_minute": per_minute }),
                );
            }
            Account::SetBackends { account, backends } => {
                set_backends(db, output, &account, &allowed_backends(config, backends)?).await?;
            }
        }
        Ok(())
    }
}

async fn list(db: &Database, output: &Output) -> anyhow::Result<()> {
    let accounts = Accounts::new(db.clone()).list().await?;
    let rows: Vec<_> = accounts
        .iter()
        .map(|row| {
            let balance = Amount::from_milli(row.balance);
            let held = Amount::from_milli(row.held);
            [
                row.id.clone(),
                row.name.clone(),
                balance.to_string(),
                held.to_string(),
                row.created_at.to_rfc3339(),
            ]
        })
        .collect();
    let listed: Vec<_> = accounts
        .iter()
        .map(|row| {
            json!({
                "account_id": row.id, "name": row.name,
                "balance": Amount::from_milli(row.balance).credits(),
                "held": Amount::from_milli(row.held).credits(),
                "rate_limit_per_minute": row.rate_limit_per_minute,
                "backends": AllowedBackends::stored(row.backends.as_deref()).names(),
                "created_at": row.created_at,
            })
        })
        .collect();
    output.show(
        &table(["ACCOUNT", "NAME", "BALANCE", "HELD", "CREATED"], &rows),
        json!({ "accounts": listed }),
    );
    Ok(())
}

async fn set_backends(
    db: &Database,
    output: &Output,
    account: &str,
    backends: &AllowedBackends,
) -> anyhow::Result<()> {
    let id = named_account(db, account).await?;
    Accounts::new(db.clone()).set_backends(audit::COMMAND_LINE, &id, backends).await?;
    output.show(
        &format!("backends of {id}: {}; takes effect within 5 seconds", named(backends)),
        json!({ "account_id": id, "backends": backends.names() }),
    );
    Ok(())
}
