//! The demo account's credentials, and what newcomers are told.

use std::{fs, io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use anyhow::Context as _;
use domain::{
    Code,
    money::amount::Amount,
    people::{
        account::NewAccount,
        api_key::{NewKey, Scope},
    },
    services::Services,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::seed::{self, Seed};
use crate::{cli::output::Output, server::Server};

const EMAIL: &str = "demo@gavel.invalid";
/// Enough for thousands of answers and several Checkpoints.
const CREDITS: Amount = Amount::from_milli(20_000_000);

/// The demo account's credentials, stored in the data directory in a file that only its owner can read.
#[derive(Serialize, Deserialize)]
pub(in crate::cli) struct Demo {
    account_id: String,
    api_key: String,
    email: String,
    password: String,
}

impl Demo {
    /// The demo account of the last run if its key is still valid, otherwise a new one. With `seeded`, a new account
    /// gets a policy, moderated messages, a Judge with samples and a Checkpoint, while the server is already running.
    pub(in crate::cli) async fn open(services: &Services, file: &Path, seeded: bool) -> anyhow::Result<Self> {
        if let Some(demo) = fs::read(file).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok())
            && services.keys.identify(&demo.api_key).await.is_ok()
        {
            return Ok(demo);
        }
        let password = domain::people::password::random();
        let new = NewAccount {
            email: EMAIL.to_owned(),
            password: Some(password.clone()),
            credits: CREDITS,
            at: seeded.then(seed::beginning),
        };
        let (id, is_new) = match services.accounts.create(new).await {
            Ok((id, _)) => (id, true),
            Err(error) if error.code == Code::Conflict => {
                services.accounts.reset_password(EMAIL, &password).await?;
                (services.accounts.find_by_email(EMAIL).await?, false)
            }
            Err(error) => return Err(error.into()),
        };
        let all = NewKey { scopes: Scope::ALL.to_vec(), ..NewKey::default() };
        let (key, secret) = services.api_keys.create(&id, all).await?;
        if seeded && is_new {
            Seed::new(services, &id, &key).start();
        }
        let demo = Self {
            account_id: id.to_string(),
            api_key: secret.reveal().to_owned(),
            email: EMAIL.to_owned(),
            password,
        };
        // Removed first, so that the permissions of an old file do not apply.
        let _ = fs::remove_file(file);
        let mut secret_file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(file)
            .with_context(|| format!("cannot write {}", file.display()))?;
        secret_file.write_all(&serde_json::to_vec_pretty(&demo)?)?;
        Ok(demo)
    }

    /// Prints the sign-in, and commands to begin with.
    pub(in crate::cli) fn introduce(&self, server: &Server, output: &Output) {
        let base = format!("http://{}", server.address);
        let body =
            r#"{"content":"free nitro for everyone, claim it at dlscord-gift.com/nitro","explain":true}"#;
        let curl = format!(
            "curl {base}/api/v1/moderate/text -H 'Authorization: Bearer {}' -H 'Content-Type: application/json' \
             -d '{body}'",
            self.api_key
        );
        let image_curl = format!(
            "curl {base}/api/v1/moderate/image -H 'Authorization: Bearer {}' -F image=@picture.jpg",
            self.api_key
        );
        let text = format!(
            "Gavel's dashboard is at {base}\n\n  \
             API key   {}\n  docs      {base}/docs\n  GraphQL   {base}/graphql\n  sign-in   {} / {}\n\n\
             Try it:\n\n{curl}\n\nWith your own picture:\n\n{image_curl}\n",
            self.api_key, self.email, self.password
        );
        output.show(
            &text,
            json!({
                "url": base, "account_id": self.account_id, "api_key": self.api_key,
                "email": self.email, "password": self.password, "curl": curl, "image_curl": image_curl,
            }),
        );
    }
}
