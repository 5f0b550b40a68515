//! Tells owners when the credits of their account run low, once until they have enough again.

use entity::{account, user};
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};

use super::{
    Mails,
    preferences::{MailKind, UnsubscribeKey},
    texts::Recipient,
};
use crate::{
    Result,
    foundation::{actor::Role, database::Database},
    money::amount::Amount,
};
use ports::id::UserId;

/// Accounts that are told in one run; the next run tells the others.
const ACCOUNTS_PER_RUN: u64 = 500;

impl Mails {
    /// Tells the owners of accounts whose credits have run low.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn tell_low_balances(&self, db: &Database) -> Result<()> {
        let below = self.settings.low_balance.milli();
        if !self.are_sent() || below == 0 {
            return Ok(());
        }
        use account::Column;
        let available = Expr::col(Column::Balance).sub(Expr::col(Column::Held));
        account::Entity::update_many()
            .col_expr(Column::LowBalanceTold, false.into())
            .filter(Column::LowBalanceTold.eq(true))
            .filter(available.clone().gte(below))
            .exec(db.write())
            .await?;
        // An account that never had credits has not run out of them.
        let low = account::Entity::find()
            .filter(Column::LowBalanceTold.eq(false))
            .filter(Column::ErasedAt.is_null())
            .filter(Column::LedgerSeq.gt(0))
            .filter(available.lt(below))
            .limit(ACCOUNTS_PER_RUN);
        for account in low.all(db.read()).await? {
            let owners = owners(db, &account.id, MailKind::LowBalance).await?;
            let told = account::Entity::update_many()
                .col_expr(Column::LowBalanceTold, true.into())
                .filter(Column::Id.eq(&account.id))
                .filter(Column::LowBalanceTold.eq(false));
            if told.exec(db.write()).await?.rows_affected == 0 {
                continue;
            }
            let available = Amount::from_milli(account.balance - account.held);
            for owner in &owners {
                self.low_balance(owner, &account.name, available);
            }
        }
        Ok(())
    }
}

/// The owners of an account who want e-mails of a kind.
pub(super) async fn owners(db: &Database, account: &str, kind: MailKind) -> Result<Vec<Recipient>> {
    let owners = user::Entity::find()
        .select_only()
        .columns([user::Column::Id, user::Column::Email])
        .filter(user::Column::AccountId.eq(account))
        .filter(user::Column::Role.eq(Role::Owner.as_str()))
        .filter(kind.column().eq(true))
        .into_tuple::<(String, String)>();
    let owners = owners.all(db.read()).await?;
    let key = UnsubscribeKey::read(db).await?;
    let mut recipients = Vec::with_capacity(owners.len());
    for (id, email) in owners {
        recipients.push(Recipient { email, unsubscribe: key.token(&UserId::from(id), kind)? });
    }
    Ok(recipients)
}
