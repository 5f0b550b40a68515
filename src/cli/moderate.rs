//! `gavel moderate`: runs the moderation engines on the command line, without a server and without a charge.

mod image;
mod text;

use clap::Subcommand;

use super::output::Output;
use crate::config::Config;

/// Moderate a message or an image.
#[derive(Subcommand)]
pub(super) enum Moderate {
    /// Print the verdict on a message.
    Text(text::Text),
    /// Print the verdict on an image.
    Image(image::Image),
}

impl Moderate {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        match self {
            Moderate::Text(text) => text.run(config, output).await,
            Moderate::Image(image) => image.run(config, output).await,
        }
    }
}
