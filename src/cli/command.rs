//! The arguments of `gavel`, and which command runs.

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use super::{
    account::Account, backends::Backends, credits::Credits, decide::Decide, doctor, health, jobs::Jobs,
    key::Key, log, mcp::Mcp, models::Models, moderate::Moderate, output::Output, price::Price, serve::Serve,
    user::User,
};
use crate::{config::Config, database, server, traces::Traces};

/// Content in, decisions out: a self-hosted, credit-metered moderation and decision service.
#[derive(Parser)]
#[command(version, propagate_version = true)]
pub(crate) struct Cli {
    /// Settings file; see config.default.toml for all settings.
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
    /// Serve the API and run all background tasks in one process.
    Serve(Serve),
    /// Serve only the HTTP API; several processes can share one PostgreSQL database.
    Api,
    /// Run only background jobs: batches, Checkpoints, webhooks. Any number of workers can share one PostgreSQL
    /// database and one Redis.
    Worker,
    /// Apply pending database migrations.
    Migrate,
    /// Check the installation: settings, files, database, models, servers; say what to do. Fails if a check fails.
    Doctor,
    /// Ask the Gavel that runs with these settings whether it is ready; fail if it is not.
    Health,
    /// Print the API description (OpenAPI 3.1.0).
    Openapi,
    /// Print the GraphQL schema (SDL).
    Schema,
    /// List, verify and install models.
    #[command(subcommand)]
    Models(Models),
    /// Moderate a message or an image, without a server or a charge.
    #[command(subcommand)]
    Moderate(Moderate),
    /// Answer typed questions about a state, without a server or a charge.
    Decide(Decide),
    /// Serve a running Gavel's MCP on standard input and output.
    Mcp(Mcp),
    /// List, test and calibrate the backends of the settings.
    #[command(subcommand)]
    Backends(Backends),
    /// Manage accounts.
    #[command(subcommand)]
    Account(Account),
    /// Grant credits.
    #[command(subcommand)]
    Credits(Credits),
    /// Manage API keys.
    #[command(subcommand)]
    Key(Key),
    /// Manage users.
    #[command(subcommand)]
    User(User),
    /// Show and set prices.
    #[command(subcommand)]
    Price(Price),
    /// List, retry and cancel background jobs.
    #[command(subcommand)]
    Jobs(Jobs),
}

impl Cli {
    /// Runs the command and reports its result.
    pub(crate) async fn run(self) -> ExitCode {
        let output = Output::new(self.json);
        if let Command::Doctor = self.command {
            return doctor::run(self.config.as_deref(), &output).await;
        }
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
        let serves = matches!(self.command, Command::Serve(_) | Command::Api | Command::Worker);
        let traces = if serves { Traces::start()? } else { None };
        log::start(&config, serves, traces.as_ref())?;
        let done = self.command.run(&config, output).await;
        if let Some(traces) = traces {
            traces.end().await;
        }
        done
    }
}

impl Command {
    async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        match self {
            Command::Serve(serve) => serve.run(config, output).await,
            Command::Api => server::Server::bind(config, false).await?.run().await,
            Command::Worker => server::run_worker(config).await,
            Command::Migrate => {
                database::open(config).await?;
                output.show("the database is up to date", serde_json::json!({ "migrated": true }));
                Ok(())
            }
            // It runs even if the settings cannot be read.
            Command::Doctor => Ok(()),
            Command::Health => health::run(config, output),
            Command::Openapi => {
                output.raw(&api::openapi()?);
                Ok(())
            }
            Command::Schema => {
                output.raw(&api::graphql_schema());
                Ok(())
            }
            Command::Models(models) => models.run(config, output),
            Command::Moderate(moderate) => moderate.run(config, output).await,
            Command::Decide(decide) => decide.run(config, output).await,
            Command::Mcp(mcp) => mcp.run().await,
            Command::Backends(backends) => backends.run(config, output).await,
            Command::Account(account) => account.run(config, output).await,
            Command::Credits(credits) => credits.run(&database::open(config).await?, output).await,
            Command::Key(key) => key.run(config, output).await,
            Command::User(user) => user.run(&database::open(config).await?, output).await,
            Command::Price(price) => price.run(&database::open(config).await?, output).await,
            Command::Jobs(jobs) => jobs.run(&database::open(config).await?, output).await,
        }
    }
}
