//! The query of the challenge that strangers solve before they sign in or up.

use async_graphql::{Context, Json, Object};
use serde_json::Value;

use crate::graphql::{
    context::services,
    error::{FieldResult, field_error},
};

/// The complexity of a challenge, which is signed.
const CHALLENGE_COST: usize = 10;

#[derive(Default)]
pub(crate) struct ProofOfWorkQuery;

#[Object]
impl ProofOfWorkQuery {
    /// A new challenge, whose solution is the `proofOfWork` of `signIn` or `signUp`; null if this deployment needs none
    /// (its setting `proof_of_work_bits`). A JSON object of ALTCHA's second version, which its libraries solve; the
    /// algorithm is SHA-256. It is valid for 5 minutes, for one attempt with the same e-mail address. For everybody.
    #[graphql(complexity = "CHALLENGE_COST")]
    async fn proof_of_work_challenge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The e-mail address, written as in the sign-in or sign-up.")] email: String,
    ) -> FieldResult<Option<Json<Value>>> {
        let challenge = services(ctx)?.proofs.challenge(&email).map_err(field_error)?;
        Ok(challenge.map(Json))
    }
}
