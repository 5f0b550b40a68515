//! Devices on which somebody has signed in before. Strangers cannot keep such a device from signing in: what they try
//! does not count against it.
//!
//! A device's token is a message authentication code under the hash of its user's password, so nothing is stored, every
//! replica knows it, and a new password ends it. It proves nothing but that its holder once knew the password.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use entity::user;
use hmac::{Hmac, Mac};
use rand::RngCore;
use sea_orm::EntityTrait;
use sha2::{Digest, Sha256};

use super::Sessions;
use crate::Result;
use ports::id::{AccountId, UserId};

/// Bytes that tell the tokens of a user apart.
const NONCE_BYTES: usize = 16;

/// A device on which somebody signed in before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDevice {
    pub user: UserId,
    pub account: AccountId,
}

impl Sessions {
    /// The device with a token; none for a token that is nobody's, or no longer.
    pub async fn identify_device(&self, token: &str) -> Result<Option<KnownDevice>> {
        let Some((id, _)) = token.split_once('.').filter(|(id, _)| !id.contains('\0')) else {
            return Ok(None);
        };
        let found = self.db.in_time(user::Entity::find_by_id(id).one(self.db.read())).await?;
        Ok(found.filter(|user| is_of(user, token)).map(|user| KnownDevice {
            user: UserId::from(user.id),
            account: AccountId::from(user.account_id),
        }))
    }
}

/// A new token for a device of a user; empty for a user without a password.
pub(super) fn token(user: &user::Model) -> String {
    let mut nonce = [0; NONCE_BYTES];
    rand::rng().fill_bytes(&mut nonce);
    let Some(code) = code(user, &nonce).map(|code| code.finalize().into_bytes()) else {
        return String::new();
    };
    format!("{}.{}", user.id, BASE64_URL_SAFE_NO_PAD.encode([&nonce[..], &code].concat()))
}

fn is_of(user: &user::Model, token: &str) -> bool {
    let code_of = token.strip_prefix(user.id.as_str()).and_then(|rest| rest.strip_prefix('.'));
    let Some(Ok(given)) = code_of.map(|code| BASE64_URL_SAFE_NO_PAD.decode(code)) else { return false };
    let Some((nonce, given)) = given.split_at_checked(NONCE_BYTES) else { return false };
    code(user, nonce).is_some_and(|code| code.verify_slice(given).is_ok())
}

/// The authentication code of a nonce and the user's id; none for a user without a password.
fn code(user: &user::Model, nonce: &[u8]) -> Option<Hmac<Sha256>> {
    let key = Sha256::digest(user.password_hash.as_ref()?);
    let code = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    Some(code.chain_update(b"gavel device").chain_update(nonce).chain_update(&user.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str, hash: Option<&str>) -> user::Model {
        user::Model {
            id: id.to_owned(),
            account_id: "acc_1".to_owned(),
            email: "a@example.test".to_owned(),
            password_hash: hash.map(str::to_owned),
            role: "owner".to_owned(),
            operator: false,
            weekly_summary: true,
            low_balance: true,
            created_at: chrono::Utc::now(),
        }
    }

    #[test]
    fn a_device_is_its_users_until_the_password_changes() {
        let one = user("user_1", Some("$argon2id$one"));
        let token = token(&one);
        assert!(is_of(&one, &token) && token != super::token(&one));
        for other in [
            user("user_2", Some("$argon2id$one")),
            user("user_1", Some("$argon2id$two")),
            user("user_1", None),
        ] {
            assert!(!is_of(&other, &token));
        }
        for wrong in
            ["", ".", "user_1.", "user_1.!", &token[1..], &token[..40], &super::token(&user("user_1", None))]
        {
            assert!(!is_of(&one, wrong), "{wrong}");
        }
    }
}
