//! Inference through Judges.

use std::sync::Arc;

use super::{ActiveJudge, Judges, ValidDraft, ValidDrafts};
use crate::{
    Code, Result,
    foundation::tenant::Tenant,
    money::{
        amount::Amount,
        billing::{Billing, Paid, Payment},
        credits::SideRow,
    },
    operations::inference::{Inference, InferenceRequest, Inferred, InferredEach, JudgeRun, JudgedRequest},
};
use ports::id::AccountId;

/// Answers requests, through a Judge if they name one. Cheap to clone.
#[derive(Clone)]
pub struct JudgeInference {
    pub judges: Judges,
    pub inference: Inference,
    pub billing: Arc<Billing>,
}

impl JudgeInference {
    /// Answers a request, through a Judge if it names one, charged once. The Judge is read from the database each time,
    /// so that an edit takes effect at once on every replica.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a Judge in the account, or when it is archived; `VALIDATION_FAILED` for instructions
    /// whose answers cannot be recorded, and for a state that does not fit the Judge's schema, or is too large together
    /// with its instructions; the errors of [`Inference::infer`].
    pub async fn infer(&self, mut payment: Payment, draft: ValidDraft) -> Result<Paid<Inferred>> {
        let (request, judge) = match self.inherit(&payment.account, draft).await {
            // A request that was answered before its Judge was archived or changed gets the same answer again.
            Err(error) if [Code::NotFound, Code::ValidationFailed].contains(&error.code) => {
                return self.billing.replayed(&payment).await?.ok_or(error);
            }
            inherited => inherited?,
        };
        payment.judge = judge.as_ref().map(|run| run.judge.clone());
        self.inference.infer(&self.billing, payment, request, judge).await
    }

    /// Answers the same questions about several states, all or none, charged together.
    ///
    /// # Errors
    /// Those of [`JudgeInference::infer`].
    pub async fn infer_each(&self, mut payment: Payment, drafts: ValidDrafts) -> Result<Paid<InferredEach>> {
        payment.judge = drafts.judge().cloned();
        let requests = match self.inherit_each(&payment.account, drafts).await {
            Err(error) if [Code::NotFound, Code::ValidationFailed].contains(&error.code) => {
                return self.billing.replayed(&payment).await?.ok_or(error);
            }
            inherited => inherited?,
        };
        self.inference.infer_each(&self.billing, payment, requests).await
    }

    /// Completes requests with the instructions and parameters of their Judge.
    async fn inherit_each(&self, account: &AccountId, drafts: ValidDrafts) -> Result<Vec<JudgedRequest>> {
        let judge = match drafts.judge() {
            Some(id) => Some(self.judges.find_active(account, id).await?),
            None => None,
        };
        if let Some(judge) = &judge {
            drafts.check_size(judge)?;
        }
        let mut requests = Vec::new();
        for (at, draft) in drafts.each().enumerate() {
            let field = format!("states[{at}]");
            if let Some(judge) = &judge {
                let checked = judge.check_state(draft.state()).await;
                checked.map_err(|error| error.in_field("state", &field))?;
            }
            let completed = draft.complete(account, judge.as_ref(), true);
            let (request, judge) = completed.map_err(|error| error.in_field("state", &field))?;
            requests.push(JudgedRequest { request, judge });
        }
        Ok(requests)
    }

    /// Completes a request with its Judge's instructions and parameters.
    async fn inherit(
        &self,
        account: &AccountId,
        draft: ValidDraft,
    ) -> Result<(InferenceRequest, Option<JudgeRun>)> {
        let judge = match draft.judge() {
            Some(id) => Some(self.judges.find_active(account, id).await?),
            None => None,
        };
        if let Some(judge) = &judge {
            judge.check_state(draft.state()).await?;
        }
        draft.complete(account, judge.as_ref(), false)
    }
}

/// Answers a request that is part of a larger charge; returns the row that records it, if any, with its part of the
/// credits. `judge` is the request's, if it names one; `usual` is the price of a backend without one of its own.
///
/// # Errors
/// Those of [`JudgeInference::infer`] except `INSUFFICIENT_CREDITS`.
pub(crate) async fn answer(
    inference: &Inference,
    tenant: &Tenant,
    draft: ValidDraft,
    judge: Option<&ActiveJudge>,
    usual: Amount,
) -> Result<(Inferred, Option<SideRow>)> {
    if let Some(judge) = judge {
        judge.check_state(draft.state()).await?;
    }
    let (request, run) = draft.complete(&tenant.account, judge, true)?;
    let mut inferred = inference.evaluate(request, tenant, usual).await?;
    let side_row = run.and_then(|run| run.recorded(&mut inferred));
    Ok((inferred, side_row))
}
