//! `gavel mcp`: the MCP of a running Gavel for clients that start their servers as programs.

use clap::Args;
use outbound::mcp_relay;

/// Serve a running Gavel's MCP on standard input and output, for agents that start their servers as programs.
#[derive(Args)]
pub(super) struct Mcp {
    /// The address of the running Gavel.
    #[arg(long, env = "GAVEL_URL", default_value = "http://127.0.0.1:8080")]
    url: String,

    /// An API key with the scopes of the tools that are to be used.
    #[arg(long, env = "GAVEL_API_KEY", hide_env_values = true)]
    key: String,
}

impl Mcp {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        Ok(mcp_relay::relay_stdio(&self.url, &self.key).await?)
    }
}
