//! `gavel serve`, and its demo account.

use std::{fs, io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use anyhow::{Context as _, bail};
use clap::Args;
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

use super::output::Output;
use crate::{config::Config, server::Server};

const DEMO_EMAIL: &str = "demo@gavel.invalid";
/// Enough for thousands of answers and several Checkpoints.
const DEMO_CREDITS: Amount = Amount::from_milli(20_000_000);

/// Serve the API and run all background tasks in one process.
#[derive(Args)]
pub(super) struct Serve {
    /// Create a demo account once, and print its key, its sign-in and a working curl command. Requires a loopback
    /// address and SQLite.
    #[arg(long)]
    demo: bool,
}

/// The demo account's credentials, stored in the data directory in a file that only its owner can read.
#[derive(Serialize, Deserialize)]
struct Demo {
    account_id: String,
    api_key: String,
    email: String,
    password: String,
}

impl Serve {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        if self.demo
            && !(config.process.listen.ip().is_loopback()
                && config.process.database_url().starts_with("sqlite:"))
        {
            bail!("--demo is for local use: it requires a loopback address in `listen`, and SQLite");
        }
        let mut config = config.clone();
        if self.demo {
            config.domain.open_sign_up_by_default();
        }
        let server = Server::bind(&config, true).await?;
        if self.demo {
            let demo = demo(&server.services, &config.process.data_dir.join("demo.json")).await?;
            introduce(&demo, &server, output);
        }
        server.run().await
    }
}

/// The demo account of the last run if its key is still valid, otherwise a new one.
async fn demo(services: &Services, file: &Path) -> anyhow::Result<Demo> {
    if let Some(demo) = fs::read(file).ok().and_then(|bytes| serde_json::from_slice::<Demo>(&bytes).ok())
        && services.keys.identify(&demo.api_key).await.is_ok()
    {
        return Ok(demo);
    }
    let password = domain::people::password::random();
    let new =
        NewAccount { email: DEMO_EMAIL.to_owned(), password: Some(password.clone()), credits: DEMO_CREDITS };
    let id = match services.accounts.create(new).await {
        Ok((id, _)) => id,
        Err(error) if error.code == Code::Conflict => {
            services.accounts.reset_password(DEMO_EMAIL, &password).await?;
            services.accounts.find_by_email(DEMO_EMAIL).await?
        }
        Err(error) => return Err(error.into()),
    };
    let all = NewKey { scopes: Scope::ALL.to_vec(), ..NewKey::default() };
    let (_, secret) = services.api_keys.create(&id, all).await?;
    let demo = Demo {
        account_id: id.to_string(),
        api_key: secret.reveal().to_owned(),
        email: DEMO_EMAIL.to_owned(),
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

fn introduce(demo: &Demo, server: &Server, output: &Output) {
    let base = format!("http://{}", server.address);
    let body = r#"{"content":"free nitro for everyone, claim it at dlscord-gift.com/nitro","explain":true}"#;
    let curl = format!(
        "curl {base}/api/v1/moderate/text -H 'Authorization: Bearer {}' -H 'Content-Type: application/json' \
         -d '{body}'",
        demo.api_key
    );
    let image_curl = format!(
        "curl {base}/api/v1/moderate/image -H 'Authorization: Bearer {}' -F image=@picture.jpg",
        demo.api_key
    );
    let text = format!(
        "Gavel's dashboard is at {base}\n\n  \
         API key   {}\n  docs      {base}/docs\n  GraphQL   {base}/graphql\n  sign-in   {} / {}\n\n\
         Try it:\n\n{curl}\n\nWith your own picture:\n\n{image_curl}\n",
        demo.api_key, demo.email, demo.password
    );
    output.show(
        &text,
        json!({
            "url": base, "account_id": demo.account_id, "api_key": demo.api_key,
            "email": demo.email, "password": demo.password, "curl": curl, "image_curl": image_curl,
        }),
    );
}
