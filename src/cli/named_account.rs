//! Finds the account that a command names.

use domain::{Result, foundation::database::Database, people::account::Accounts};
use ports::id::AccountId;

/// Finds an account by `acc_…` or by its owner's e-mail address.
pub(super) async fn named_account(db: &Database, name: &str) -> Result<AccountId> {
    if name.contains('@') {
        return Accounts::new(db.clone()).find_by_email(name).await;
    }
    let id = AccountId::from(name.to_owned());
    Accounts::new(db.clone()).find(&id).await?;
    Ok(id)
}
