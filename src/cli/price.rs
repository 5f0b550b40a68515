//! `gavel price`.

use clap::Subcommand;
use domain::{
    amount::Amount,
    database::Database,
    pricing::{Operation, Prices},
};
use serde_json::{Map, json};

use super::output::{Output, table};

/// List and set prices.
#[derive(Subcommand)]
pub(super) enum Price {
    /// Show all prices, in credits.
    List,
    /// Change a price; every replica charges it within a second, without a restart.
    Set {
        /// The operation: text, image, inference or checkpoint.
        operation: String,
        /// Credits, with at most three decimals.
        amount: Amount,
    },
}

impl Price {
    pub(super) async fn run(self, db: &Database, output: &Output) -> anyhow::Result<()> {
        let prices = Prices::new(db.clone());
        if let Price::Set { operation, amount } = &self {
            prices.set(Operation::parse(operation)?, *amount).await?;
        }
        let (mut rows, mut listed) = (Vec::new(), Map::new());
        for operation in Operation::ALL {
            let amount = prices.of(operation).await?;
            rows.push([operation.as_str().to_owned(), amount.to_string()]);
            listed.insert(operation.as_str().to_owned(), json!(amount.credits()));
        }
        output.show(&table(["OPERATION", "CREDITS"], &rows), json!({ "prices": listed }));
        Ok(())
    }
}
