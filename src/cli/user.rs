//! `gavel user`.

use clap::Subcommand;
use domain::{
    foundation::{actor::Role, database::Database},
    people::{account::Accounts, password},
};
use serde_json::json;

use super::{named_account::named_account, output::Output, password::PasswordArgs};

/// Manage users.
#[derive(Subcommand)]
pub(super) enum User {
    /// Add a user to an account. Without a password, one is generated and shown.
    Create {
        /// `acc_…` or the e-mail address of one of its users.
        #[arg(long)]
        account: String,
        /// The user's e-mail address, which must not be in use yet.
        #[arg(long)]
        email: String,
        /// The user's role: owner, editor, analyst or moderator.
        #[arg(long)]
        role: String,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// Set a user's password and end their sessions. Without a password, one is generated and shown.
    ResetPassword {
        /// The user's e-mail address.
        #[arg(long)]
        email: String,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// Make a user an operator, who can see every account's balance, grant credits and set prices.
    Operator {
        /// The user's e-mail address.
        #[arg(long)]
        email: String,
        /// Revoke the user's operator rights instead.
        #[arg(long)]
        revoke: bool,
    },
}

impl User {
    pub(super) async fn run(self, db: &Database, output: &Output) -> anyhow::Result<()> {
        match self {
            User::Create { account, email, role, password } => {
                let account = named_account(db, &account).await?;
                let password = password.read()?;
                let role = Role::parse(&role)?;
                let made = password.is_none();
                let password = password.unwrap_or_else(password::random);
                let id =
                    Accounts::new(db.clone()).add_person(&account, &email, Some(&password), role).await?;
                let mut shown =
                    json!({ "user_id": id, "account_id": account, "email": email, "role": role.as_str() });
                let mut text = format!("user     {id}\naccount  {account}\nrole     {}", role.as_str());
                if made {
                    shown["password"] = json!(password);
                    text += format!("\npassword {password}\n\nThe password is shown only once.").as_str();
                }
                output.show(&text, shown);
            }
            User::ResetPassword { email, password } => {
                let password = password.read()?;
                let made = password.is_none();
                let password = password.unwrap_or_else(password::random);
                Accounts::new(db.clone()).reset_password(&email, &password).await?;
                if made {
                    output.show(
                        &format!("new password of {email}: {password}"),
                        json!({ "email": email, "password": password }),
                    );
                } else {
                    output.show(&format!("{email} has a new password"), json!({ "email": email }));
                }
            }
            User::Operator { email, revoke } => {
                let id = Accounts::new(db.clone()).set_operator(&email, !revoke).await?;
                let verb = if revoke { "is no longer" } else { "is now" };
                output.show(
                    &format!("{email} {verb} an operator of this deployment"),
                    json!({ "user_id": id, "email": email, "operator": !revoke }),
                );
            }
        }
        Ok(())
    }
}
