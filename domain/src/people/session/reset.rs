//! Forgotten passwords: a link by e-mail, valid once and for an hour, sets a new one.

use std::time::Duration;

use chrono::Utc;
use entity::{password_reset, user};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, QueryFilter,
    sea_query::{Expr, OnConflict},
};

use super::{SignIn, SignedIn, begin, end_others, throttle::Origin};
use crate::{
    Error, Result,
    foundation::{audit, database::Database, network::Network},
    people::{
        email::{self, Syntax},
        password::{self, Requester},
        token::{self, Token},
    },
};
use ports::id::UserId;

/// How long a link is valid.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// A new password by a link.
#[derive(Clone)]
pub struct NewPassword<'a> {
    /// The token of the link.
    pub token: &'a str,
    pub password: &'a str,
    /// The browser's `User-Agent`.
    pub user_agent: &'a str,
    /// The network that the request came from.
    pub network: Network,
}

impl SignIn {
    /// Sends a link to an address, if somebody signs in with it; says nothing of whether somebody does. An earlier link
    /// ends.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an invalid address, or a proof of work that is needed and missing or wrong; `FORBIDDEN`
    /// where no e-mail is sent; `RATE_LIMITED` after five requests for an address from one network.
    pub async fn request_reset(
        &self,
        address: &str,
        network: Network,
        proof_of_work: Option<&str>,
    ) -> Result<()> {
        if !self.mails.are_sent() {
            let message = "no e-mail is sent here: ask whoever runs this service for a new password";
            return Err(Error::new(crate::Code::Forbidden, message));
        }
        self.proofs.accept(address, proof_of_work)?;
        let normal = email::normalize(address, Syntax::Any)?;
        self.resets.count_attempt(&Origin::Network(network), &normal)?;
        let found = self.db.in_time(email::find_person(self.db.read(), address)).await?;
        let Some(user) = found else { return Ok(()) };
        let token = Token::generate();
        let db = self.db.clone();
        let mails = self.mails.clone();
        // In the background, so that the time of the response does not tell whether the address is known.
        tokio::spawn(async move {
            match store(&db, &user.id, &token).await {
                Ok(()) => {
                    mails.reset_password(&user.email, &token);
                }
                Err(error) => tracing::error!(cause = error.with_cause(), "could not store a password reset"),
            }
        });
        Ok(())
    }

    /// Sets a new password by a link, ends all sessions of its user and begins a new one.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`, naming `token` when it is unknown, used or expired, or `password` when that is too short or
    /// too long; `RATE_LIMITED` when too many passwords are being hashed.
    pub async fn reset_password(&self, new: NewPassword<'_>) -> Result<SignedIn> {
        password::require_length("password", new.password)?;
        let found = password_reset::Entity::find_by_id(token::hash(new.token))
            .filter(password_reset::Column::ExpiresAt.gt(Utc::now()));
        let reset = self.db.in_time(found.one(self.db.read())).await?.ok_or_else(invalid)?;
        let hash = password::hash("password", new.password, &Requester::Network(new.network)).await?;
        let tx = self.db.begin().await?;
        let used = password_reset::Entity::delete_by_id(&reset.hash).exec(&tx).await?;
        if used.rows_affected == 0 {
            return Err(invalid());
        }
        user::Entity::update_many()
            .col_expr(user::Column::PasswordHash, Expr::value(hash.as_str()))
            .filter(user::Column::Id.eq(&reset.user_id))
            .exec(&tx)
            .await?;
        let user = user::Entity::find_by_id(&reset.user_id).one(&tx).await?.ok_or_else(invalid)?;
        end_others(&tx, &UserId::from(user.id.clone()), None).await?;
        let signed_in = begin(&tx, &user, new.user_agent).await?;
        let change = audit::Change::by(&signed_in.actor, audit::Action::UserResetPassword, &user.id);
        audit::write(&tx, change).await?;
        tx.commit().await?;
        Ok(signed_in)
    }
}

/// Stores a link in place of an earlier one.
async fn store(db: &Database, user: &str, token: &Token) -> Result<()> {
    use password_reset::Column;
    let row = password_reset::ActiveModel {
        hash: Set(token.hash()),
        user_id: Set(user.to_owned()),
        expires_at: Set(Utc::now() + LIFETIME),
    };
    let mut replace = OnConflict::column(Column::UserId);
    replace.update_columns([Column::Hash, Column::ExpiresAt]);
    let stored = password_reset::Entity::insert(row).on_conflict(replace);
    db.in_time(stored.exec_without_returning(db.write())).await?;
    Ok(())
}

fn invalid() -> Error {
    Error::invalid("token", "is unknown, used or older than an hour: ask for a new link")
}
