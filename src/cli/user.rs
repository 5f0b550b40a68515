//! `gavel user`.

use clap::Subcommand;
use domain::{account, actor::Role, database::Database, password};
use serde_json::json;

use super::{named_account, output::Output};

/// Manage the people who sign in.
#[derive(Subcommand)]
pub(super) enum User {
    /// Add a person to an account.
    Create {
        /// `acc_…` or the e-mail address of somebody in it.
        #[arg(long)]
        account: String,
        /// Their e-mail address, which nobody else may have.
        #[arg(long)]
        email: String,
        /// Their role: owner, editor or analyst.
        #[arg(long)]
        role: String,
        /// Their password, at least 10 characters; without it one is generated and shown.
        #[arg(long)]
        password: Option<String>,
    },
    /// Give a person a new password; their sessions end.
    ResetPassword {
        /// Their e-mail address.
        #[arg(long)]
        email: String,
        /// The new password, at least 10 characters; without it one is generated and shown.
        #[arg(long)]
        password: Option<String>,
    },
    /// Make a person an operator, who sees every account's money, grants credits and sets prices.
    Operator {
        /// Their e-mail address.
        #[arg(long)]
        email: String,
        /// Revoke operator rights.
        #[arg(long)]
        revoke: bool,
    },
}

impl User {
    pub(super) async fn run(self, db: &Database, output: &Output) -> anyhow::Result<()> {
        match self {
            User::Create { account, email, role, password } => {
                let account = named_account(db, &account).await?;
                let (role, made) = (Role::parse(&role)?, password.is_none());
                let password = password.unwrap_or_else(password::random);
                let id = account::add_person(db, &account, &email, Some(&password), role).await?;
                let mut shown =
                    json!({ "user_id": id, "account_id": account, "email": email, "role": role.as_str() });
                let mut text = format!("user     {id}\naccount  {account}\nrole     {}", role.as_str());
                if made {
                    shown["password"] = json!(password);
                    text += format!("\npassword {password}\n\nThe password is shown this once.").as_str();
                }
                output.show(&text, shown);
            }
            User::ResetPassword { email, password } => {
                let made = password.is_none();
                let password = password.unwrap_or_else(password::random);
                account::reset_password(db, &email, &password).await?;
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
                let id = account::set_operator(db, &email, !revoke).await?;
                let verb = if revoke { "no longer runs" } else { "runs" };
                output.show(
                    &format!("{email} {verb} this deployment"),
                    json!({ "user_id": id, "email": email, "operator": !revoke }),
                );
            }
        }
        Ok(())
    }
}
