//! `gavel user`.

use clap::Subcommand;
use domain::{account, database::Database};
use serde_json::json;

use super::output::Output;

/// People who sign in.
#[derive(Subcommand)]
pub(super) enum User {
    /// Give a person a new password.
    ResetPassword {
        /// Their address.
        #[arg(long)]
        email: String,
        /// The new password, at least 10 characters; left out, one is made and shown.
        #[arg(long)]
        password: Option<String>,
    },
}

impl User {
    pub(super) async fn run(self, db: &Database, output: &Output) -> anyhow::Result<()> {
        let User::ResetPassword { email, password } = self;
        let made = password.is_none();
        let password = password.unwrap_or_else(domain::password::random);
        account::reset_password(db, &email, &password).await?;
        if made {
            output.show(
                &format!("new password of {email}: {password}"),
                json!({ "email": email, "password": password }),
            );
        } else {
            output.show(&format!("{email} has a new password"), json!({ "email": email }));
        }
        Ok(())
    }
}
