//! The command line: one file a noun. The only place that prints.

mod account;
mod credits;
mod decide;
mod key;
mod log;
mod models;
mod moderate;
mod output;
mod price;
mod serve;
mod user;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::{compose, config::Config};
use output::Output;

/// Content in, decisions out: a self-hosted, credit-metered moderation service.
#[derive(Parser)]
#[command(version, propagate_version = true)]
pub(crate) struct Cli {
    /// Settings file; config.default.toml lists the settings.
    #[arg(long, global = true, env = "GAVEL_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve everything from one process.
    Serve(serve::Serve),
    /// Serve the HTTP API alone; any number may run on one PostgreSQL.
    Api,
    /// Apply missing database migrations.
    Migrate,
    /// Print the OpenAPI 3.1.0 description of the API.
    Openapi,
    /// Print the GraphQL schema, in the schema definition language.
    Schema,
    /// List, verify and install models.
    #[command(subcommand)]
    Models(models::Models),
    /// Moderate from the command line, without a server and without a charge.
    #[command(subcommand)]
    Moderate(moderate::Moderate),
    /// Answer typed questions from the command line, without a server and without a charge.
    Decide(decide::Decide),
    /// Manage accounts.
    #[command(subcommand)]
    Account(account::Account),
    /// Grant credits.
    #[command(subcommand)]
    Credits(credits::Credits),
    /// Manage API keys.
    #[command(subcommand)]
    Key(key::Key),
    /// Manage the people who sign in.
    #[command(subcommand)]
    User(user::User),
    /// List and set prices.
    #[command(subcommand)]
    Price(price::Price),
}

impl Cli {
    /// Runs the command and prints its result or error.
    pub(crate) async fn run(self) -> ExitCode {
        let output = Output::new(self.json);
        match self.dispatch(&output).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                output.fail(&error);
                ExitCode::FAILURE
            }
        }
    }

    async fn dispatch(self, output: &Output) -> anyhow::Result<()> {
        let config = Config::read(self.config.as_deref())?;
        let serves = matches!(self.command, Command::Serve(_) | Command::Api);
        log::start(&config, serves)?;
        match self.command {
            Command::Serve(serve) => serve.run(&config, output).await,
            Command::Api => compose::Server::bind(&config).await?.run().await,
            Command::Migrate => {
                compose::open(&config).await?;
                output.show("the database is up to date", serde_json::json!({ "migrated": true }));
                Ok(())
            }
            Command::Openapi => {
                output.raw(&api::openapi()?);
                Ok(())
            }
            Command::Schema => {
                output.raw(&api::graphql_schema());
                Ok(())
            }
            Command::Models(models) => models.run(&config, output),
            Command::Moderate(moderate) => moderate.run(&config, output).await,
            Command::Decide(decide) => decide.run(&config, output).await,
            Command::Account(account) => account.run(&compose::open(&config).await?, output).await,
            Command::Credits(credits) => credits.run(&compose::open(&config).await?, output).await,
            Command::Key(key) => key.run(&compose::open(&config).await?, output).await,
            Command::User(user) => user.run(&compose::open(&config).await?, output).await,
            Command::Price(price) => price.run(&compose::open(&config).await?, output).await,
        }
    }
}

/// The account that an operator names by `acc_…` or by its owner's e-mail address.
async fn named_account(db: &domain::database::Database, name: &str) -> domain::Result<domain::id::AccountId> {
    if name.contains('@') {
        return domain::account::find_by_email(db, name).await;
    }
    let id = domain::id::AccountId::from(name.to_owned());
    domain::account::find(db, &id).await?;
    Ok(id)
}
