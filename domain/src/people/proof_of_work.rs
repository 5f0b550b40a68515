//! Proofs of work: a stranger solves a challenge before a password is hashed for them, so that many attempts cost the
//! strangers more than the service. A challenge is made and checked in microseconds.
//!
//! The challenges are those of ALTCHA's second version (<https://altcha.org/docs/v2/proof-of-work-captcha>) with
//! SHA-256 and a counter that the server chose, so that the work has a bound. They are signed with a secret of the
//! deployment and the e-mail address, and nothing is stored until one is solved.

use std::{num::NonZeroUsize, sync::Arc};

use altcha::{CreateChallengeOptions, Payload, VerifySolutionOptions};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, Mac};
use lru::LruCache;
use parking_lot::Mutex;
use rand::Rng;
use serde_json::Value;
use sha2::Sha256;

use crate::{Error, Result};

/// How long a challenge is valid.
const LIFETIME: TimeDelta = TimeDelta::minutes(5);
/// Maximum bytes of a proof, which usually has some 600.
const MAX_PROOF_BYTES: usize = 2_048;
/// Maximum bytes of an e-mail address as somebody types it.
const MAX_ADDRESS_BYTES: usize = 1_024;
/// Solved challenges that a process remembers: about 5 MB. When there are more within [`LIFETIME`], the oldest can be
/// used again.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(65_536).expect("not zero");
const FIELD: &str = "proof_of_work";

/// Challenges for strangers, and the check of their solutions; by default nobody needs any. Cheap to clone.
#[derive(Clone, Default)]
pub struct ProofsOfWork(Option<Arc<Issuer>>);

struct Issuer {
    /// The most hashes that a challenge takes.
    hashes: u32,
    secret: [u8; 32],
    /// The nonces of solved challenges.
    used: Mutex<LruCache<u128, ()>>,
}

impl ProofsOfWork {
    /// Strangers need a proof of up to 2 to the power of `bits` hashes, under a secret of the deployment. `bits`: below
    /// 32; at 24, a browser takes half a minute.
    pub fn new(bits: u32, secret: [u8; 32]) -> Self {
        let used = Mutex::new(LruCache::new(REMEMBERED));
        Self(Some(Arc::new(Issuer { hashes: 1 << bits, secret, used })))
    }

    /// A challenge for an attempt to sign in or up with an address, as JSON; none where nobody needs a proof.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`, naming `email`, for an address that is too long.
    pub fn challenge(&self, address: &str) -> Result<Option<Value>> {
        let Some(issuer) = &self.0 else { return Ok(None) };
        issuer.challenge(address, Utc::now() + LIFETIME).map(Some)
    }

    /// Accepts a proof for an attempt to sign in or up with an address, once.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`, naming `proof_of_work`, where one is needed and it is missing, wrong, expired or used.
    pub(crate) fn accept(&self, address: &str, proof: Option<&str>) -> Result<()> {
        let Some(issuer) = &self.0 else { return Ok(()) };
        issuer.accept(address, proof).inspect_err(|_| {
            metrics::counter!("gavel_proofs_of_work_refused_total").increment(1);
        })
    }
}

impl Issuer {
    fn challenge(&self, address: &str, expires_at: DateTime<Utc>) -> Result<Value> {
        let challenge = altcha::create_challenge(CreateChallengeOptions {
            algorithm: "SHA-256".to_owned(),
            cost: 1,
            counter: Some(rand::rng().random_range(0..self.hashes)),
            expires_at: Some(expires_at.timestamp()),
            hmac_signature_secret: Some(self.key(address)?),
            ..CreateChallengeOptions::default()
        });
        serde_json::to_value(challenge.map_err(Error::internal)?).map_err(Error::internal)
    }

    fn accept(&self, address: &str, proof: Option<&str>) -> Result<()> {
        let Some(proof) = proof else {
            return Err(Error::invalid(FIELD, "is needed: a solution of `proofOfWorkChallenge`"));
        };
        let Payload { challenge, solution } = parse(proof)?;
        let options = VerifySolutionOptions::new(&challenge, &solution, self.key(address)?);
        let verified = altcha::verify_solution(options).map_err(|_| unreadable())?;
        if verified.expired {
            let message = format!("has expired: a challenge is valid for {} minutes", LIFETIME.num_minutes());
            return Err(Error::invalid(FIELD, message));
        }
        if verified.invalid_signature != Some(false) {
            return Err(Error::invalid(
                FIELD,
                "must solve a challenge that this server issued for the same e-mail address",
            ));
        }
        if !verified.verified {
            return Err(Error::invalid(FIELD, "does not solve its challenge"));
        }
        let nonce = u128::from_str_radix(&challenge.parameters.nonce, 16).map_err(Error::internal)?;
        if self.used.lock().put(nonce, ()).is_some() {
            return Err(Error::invalid(FIELD, "was used before: a challenge is valid for one attempt"));
        }
        Ok(())
    }

    /// The key that signs the challenges for an address.
    fn key(&self, address: &str) -> Result<String> {
        if address.len() > MAX_ADDRESS_BYTES {
            return Err(Error::invalid("email", "must be an e-mail address, such as ann@example.com"));
        }
        let code = Hmac::<Sha256>::new_from_slice(&self.secret).map_err(Error::internal)?;
        let code = code.chain_update(b"gavel proof of work").chain_update(address);
        Ok(BASE64_STANDARD.encode(code.finalize().into_bytes()))
    }
}

fn parse(proof: &str) -> Result<Payload> {
    let json = (proof.len() <= MAX_PROOF_BYTES).then(|| BASE64_STANDARD.decode(proof).ok()).flatten();
    json.and_then(|json| serde_json::from_slice(&json).ok()).ok_or_else(unreadable)
}

fn unreadable() -> Error {
    Error::invalid(FIELD, "must be base64 of a JSON object with `challenge` and `solution`")
}

#[cfg(test)]
mod tests {
    use altcha::SolveChallengeOptions;

    use super::*;

    const ADDRESS: &str = "a@example.test";

    fn issuer(proofs: &ProofsOfWork) -> &Issuer {
        proofs.0.as_ref().unwrap()
    }

    fn solved(challenge: &Value) -> String {
        let challenge: altcha::Challenge = serde_json::from_value(challenge.clone()).unwrap();
        let solution = altcha::solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
        BASE64_STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap())
    }

    #[track_caller]
    fn refused(proofs: &ProofsOfWork, proof: &str, why: &str) {
        let error = proofs.accept(ADDRESS, Some(proof)).unwrap_err();
        assert_eq!(error.details[0].field, FIELD);
        assert!(error.details[0].message.contains(why), "{error}");
    }

    #[test]
    fn a_proof_is_accepted_once_by_all_who_have_the_secret() {
        let proofs = ProofsOfWork::new(6, [7; 32]);
        let proof = solved(&proofs.challenge(ADDRESS).unwrap().unwrap());
        assert!(proof.len() < MAX_PROOF_BYTES / 2, "{}", proof.len());
        assert!(proofs.accept("b@example.test", Some(&proof)).is_err());
        proofs.accept(ADDRESS, Some(&proof)).unwrap();
        refused(&proofs, &proof, "was used before");
        ProofsOfWork::new(9, [7; 32]).accept(ADDRESS, Some(&proof)).unwrap();
        refused(&ProofsOfWork::new(6, [8; 32]), &proof, "a challenge that this server issued");
    }

    #[test]
    fn a_challenge_expires() {
        let proofs = ProofsOfWork::new(4, [7; 32]);
        let past = Utc::now() - TimeDelta::seconds(2);
        refused(&proofs, &solved(&issuer(&proofs).challenge(ADDRESS, past).unwrap()), "has expired");
    }

    #[test]
    fn what_is_no_proof_is_refused() {
        let proofs = ProofsOfWork::new(4, [7; 32]);
        for wrong in ["", "!", "e30=", &"A".repeat(4_096)] {
            refused(&proofs, wrong, "must be base64");
        }
        let challenge = proofs.challenge(ADDRESS).unwrap().unwrap();
        let mut easier = challenge.clone();
        easier["parameters"]["keyPrefix"] = "00".into();
        refused(&proofs, &solved(&easier), "a challenge that this server issued");
        let mut unsigned = challenge.clone();
        unsigned.as_object_mut().unwrap().remove("signature");
        refused(&proofs, &solved(&unsigned), "a challenge that this server issued");
        let guess =
            serde_json::json!({ "challenge": challenge, "solution": { "counter": 0, "derivedKey": "00" } });
        refused(&proofs, &BASE64_STANDARD.encode(guess.to_string()), "does not solve");
    }

    #[test]
    fn nobody_needs_a_proof_by_default() {
        let none = ProofsOfWork::default();
        assert_eq!(none.challenge(ADDRESS).unwrap(), None);
        none.accept(ADDRESS, None).unwrap();
    }
}
