//! `gavel serve`.

use anyhow::bail;
use clap::Args;

use super::{demo::Demo, output::Output};
use crate::{config::Config, server::Server};

/// Serve the API and run all background tasks in one process.
#[derive(Args)]
pub(super) struct Serve {
    /// Create a demo account once, and print its key, its sign-in and a working curl command. Requires a loopback
    /// address and SQLite.
    #[arg(long)]
    demo: bool,
    /// Leave the demo account empty, without its example messages and Judge.
    #[arg(long, requires = "demo")]
    empty: bool,
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
            let file = config.process.data_dir.join("demo.json");
            Demo::open(&server.services, &file, !self.empty).await?.introduce(&server, output);
        }
        server.run().await
    }
}
