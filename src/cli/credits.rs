//! `gavel credits`.

use clap::Subcommand;
use domain::{
    foundation::database::Database,
    money::amount::Amount,
    people::account::{Accounts, CreditGrant},
};
use serde_json::json;

use super::{arguments, named_account::named_account, output::Output};

/// Grant credits.
#[derive(Subcommand)]
pub(super) enum Credits {
    /// Grant credits to an account, or withdraw credits with a negative amount.
    Grant {
        /// `acc_…` or the owner's e-mail address.
        #[arg(long)]
        account: String,
        /// Credits, with at most three decimal places.
        #[arg(long, allow_hyphen_values = true, value_parser = arguments::amount)]
        amount: Amount,
        /// A note for the ledger, up to 200 characters.
        #[arg(long)]
        note: Option<String>,
    },
}

impl Credits {
    pub(super) async fn run(self, db: &Database, output: &Output) -> anyhow::Result<()> {
        let Credits::Grant { account, amount, note } = self;
        let id = named_account(db, &account).await?;
        let receipt = Accounts::new(db.clone())
            .grant_by_command_line(CreditGrant { account: id.clone(), amount, note })
            .await?;
        output.show(
            &format!("granted {amount} credits to {id}; {} available", receipt.remaining),
            json!({
                "account_id": id, "granted": amount.credits(),
                "remaining_credits": receipt.remaining.credits(),
            }),
        );
        Ok(())
    }
}
