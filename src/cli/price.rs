//! `gavel price`.

use clap::Subcommand;
use domain::{
    foundation::database::Database,
    money::{
        amount::Amount,
        pricing::{Operation, Prices},
    },
};
use serde_json::{Map, json};

use super::{
    arguments,
    output::{Output, table},
};

/// Show and set prices.
#[derive(Subcommand)]
pub(super) enum Price {
    /// Show all prices, in credits.
    List,
    /// Set a price. It takes effect on every replica within a second, without a restart.
    Set {
        /// One of: text, image, inference, checkpoint.
        operation: String,
        /// The price in credits, with at most three decimal places.
        #[arg(value_parser = arguments::amount)]
        amount: Amount,
    },
}

impl Price {
    pub(super) async fn run(self, db: &Database, output: &Output) -> anyhow::Result<()> {
        let prices = Prices::new(db.clone());
        if let Price::Set { operation, amount } = &self {
            prices.set(Operation::parse(operation)?, *amount).await?;
        }
        let mut rows = Vec::new();
        let mut listed = Map::new();
        for operation in Operation::ALL {
            let amount = prices.of(operation).await?;
            rows.push([operation.as_str().to_owned(), amount.to_string()]);
            listed.insert(operation.as_str().to_owned(), json!(amount.credits()));
        }
        output.show(&table(["OPERATION", "CREDITS"], &rows), json!({ "prices": listed }));
        Ok(())
    }
}
