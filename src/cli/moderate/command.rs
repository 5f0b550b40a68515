//! The arguments of `gavel moderate`.

use clap::Subcommand;

use super::{image::Image, text::Text};
use crate::{cli::output::Output, config::Config};

/// Moderate a message or an image.
#[derive(Subcommand)]
pub(in crate::cli) enum Moderate {
    /// Print the verdict on a message.
    Text(Text),
    /// Print the verdict on an image.
    Image(Image),
}

impl Moderate {
    pub(in crate::cli) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        match self {
            Moderate::Text(text) => text.run(config, output).await,
            Moderate::Image(image) => image.run(config, output).await,
        }
    }
}
