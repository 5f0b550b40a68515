//! Runs the items of a chunk through the same engines as their endpoints.

use std::{collections::HashMap, time::Duration};

use chrono::{DateTime, Utc};
use futures_util::{StreamExt, stream};
use tokio::time::Instant;

use super::{
    item::{Item, ItemRequest, TextItem},
    wire::WireFormat,
};
use crate::{
    Code, Error, Result,
    background::job::{Failure, JobRun},
    foundation::tenant::Tenant,
    learning::judge::{self, ActiveJudge, Judges},
    money::{
        amount::Amount,
        billing::Paid,
        credits::{Receipt, SideRow},
    },
    operations::{
        inference::{Inference, InferenceRequest},
        moderation::{MixedInput, MixedModeration, MixedPrices, Moderated, UnpaidMixed, UnpaidTexts},
    },
};
use ports::id::{JudgeId, ModerationId, RequestId};
use ports::text::TextMode;

/// Units of work in progress at once for a chunk.
const CONCURRENCY: usize = 8;
/// Messages that are scored together. Few in the slow hybrid mode, so that other requests take turns.
const NATIVE_MESSAGES: usize = 128;
const HYBRID_MESSAGES: usize = 16;
/// Maximum attempts for a transient failure, and the pause after the first, which grows.
const ROUNDS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

/// The answer to an item.
pub(super) struct Answer {
    /// The body of the response, as JSON.
    pub(super) body: String,
    pub(super) price: Amount,
    /// The messages, pictures and decisions that are charged.
    pub(super) items: usize,
    /// The rows that record it.
    pub(super) side_rows: Vec<SideRow>,
}

/// The outcomes of items, in their order.
pub(super) struct Outcomes {
    pub(super) items: Vec<Result<Answer>>,
    /// Whether any failed that may succeed later.
    pub(super) transient: bool,
}

/// The answers of a chunk's items that an earlier run has, by their place.
pub(super) type AnsweredItems = HashMap<usize, Answer>;

/// What items run with.
pub(super) struct Executor<'a> {
    pub(super) judges: &'a Judges,
    pub(super) mixed: &'a MixedModeration,
    pub(super) inference: &'a Inference,
    pub(super) wire: &'a dyn WireFormat,
    pub(super) run: &'a JobRun,
    /// Whose batch it is, and what its submitter may ask now.
    pub(super) tenant: &'a Tenant,
    /// The request id of the chunk's charge.
    pub(super) request_id: &'a RequestId,
    pub(super) prices: MixedPrices,
    pub(super) inference_price: Amount,
    /// When the batch expires.
    pub(super) expires_at: DateTime<Utc>,
    /// When the run's time is over. Items that have not been answered then are left to the next run.
    pub(super) until: Instant,
    /// Credits that the account has left.
    pub(super) remaining: Amount,
}

/// Items that are run in one call.
enum Unit {
    /// Messages of one mode and policy, all explained or none.
    Texts(Vec<usize>),
    /// An item that is run alone.
    One(usize),
}

impl Unit {
    /// The indices of its items in the chunk.
    fn indices(&self) -> &[usize] {
        match self {
            Self::Texts(indices) => indices,
            Self::One(index) => std::slice::from_ref(index),
        }
    }
}

/// The items of a chunk, with what they ask for.
struct Work<'a> {
    items: &'a [Item],
    /// None for those that have an outcome already.
    requests: &'a [Option<ItemRequest>],
    judges: &'a JudgesById,
}

type JudgesById = HashMap<JudgeId, Result<ActiveJudge, String>>;

impl Executor<'_> {
    /// Runs the items that an earlier run of the chunk has not answered. Transient failures are retried a few times.
    ///
    /// # Errors
    /// [`Failure::Interrupted`]; [`Failure::Retry`] when the database does not answer.
    pub(super) async fn execute(
        &self,
        items: &[Item],
        mut answered: AnsweredItems,
    ) -> Result<Outcomes, Failure> {
        let mut outcomes: Vec<Option<Result<Answer>>> = Vec::with_capacity(items.len());
        let mut parsed = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let (request, outcome) = match answered.remove(&index) {
                Some(answer) => (None, Some(Ok(answer))),
                None => match self.wire.parse(&item.url, &item.body) {
                    Ok(request) => (Some(request), None),
                    Err(error) => (None, Some(Err(error))),
                },
            };
            parsed.push(request);
            outcomes.push(outcome);
        }
        let judges = self.judges(&parsed).await?;
        let mut units = units(&parsed);
        let mut transient = false;
        for round in 1..=ROUNDS {
            transient = false;
            let mut again = Vec::new();
            let work = &Work { items, requests: &parsed, judges: &judges };
            let running = stream::iter(units).map(|unit: Unit| async move {
                let done = self.unit(work, &unit).await;
                (unit, done)
            });
            let mut running = running.buffer_unordered(CONCURRENCY);
            while let Some((unit, done)) = running.next().await {
                if self.run.interruption().is_some() {
                    return Err(Failure::Interrupted);
                }
                let failed = done.iter().any(|(_, outcome)| outcome.as_ref().is_err_and(is_transient));
                done.into_iter().for_each(|(index, outcome)| outcomes[index] = Some(outcome));
                if failed {
                    transient = true;
                    again.push(unit);
                }
            }
            if again.is_empty() || round == ROUNDS || self.is_out_of_time() {
                break;
            }
            tokio::time::sleep(PAUSE * round).await;
            drop(running);
            units = again;
        }
        let items = outcomes
            .into_iter()
            .map(|outcome| outcome.unwrap_or_else(|| Err(Error::internal("an item of a batch was not run"))));
        Ok(Outcomes { items: items.collect(), transient })
    }

    /// Reads the Judges of requests, each once for the chunk.
    async fn judges(&self, requests: &[Option<ItemRequest>]) -> Result<JudgesById> {
        let mut judges = JudgesById::new();
        for request in requests.iter().flatten() {
            let ItemRequest::Inference(draft) = request else { continue };
            let Some(id) = draft.judge() else { continue };
            if judges.contains_key(id) {
                continue;
            }
            let judge = match self.judges.find_active(&self.tenant.account, id).await {
                Ok(judge) => Ok(judge),
                Err(error) if error.code == Code::NotFound => Err(error.message),
                Err(error) => return Err(error),
            };
            judges.insert(id.clone(), judge);
        }
        Ok(judges)
    }

    async fn unit(&self, work: &Work<'_>, unit: &Unit) -> Vec<(usize, Result<Answer>)> {
        if self.is_out_of_time() {
            return unit.indices().iter().map(|index| (*index, Err(not_begun()))).collect();
        }
        match unit {
            Unit::Texts(indices) => {
                let texts = indices.iter().filter_map(|index| match &work.requests[*index] {
                    Some(ItemRequest::Text(text)) => Some((&work.items[*index], text)),
                    _ => None,
                });
                let answers = self.texts(&texts.collect::<Vec<_>>()).await;
                indices.iter().copied().zip(answers).collect()
            }
            Unit::One(index) => {
                let Some(request) = &work.requests[*index] else { return Vec::new() };
                let answer = self.one_in_turn(&work.items[*index], request, work.judges).await;
                vec![(*index, answer)]
            }
        }
    }

    /// Whether the run's time is over.
    pub(super) fn is_out_of_time(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Runs an item, and waits while its backend has no place for it: that others are before it is no failure.
    async fn one_in_turn(&self, item: &Item, request: &ItemRequest, judges: &JudgesById) -> Result<Answer> {
        loop {
            let answer = self.one(item, request, judges).await;
            let busy = answer.as_ref().is_err_and(|error| error.code == Code::Overloaded);
            let ends = self.run.interruption().is_some() || self.is_out_of_time();
            if !busy || ends || Utc::now() >= self.expires_at {
                return answer;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn one(&self, item: &Item, request: &ItemRequest, judges: &JudgesById) -> Result<Answer> {
        match request {
            ItemRequest::Text(text) => {
                let answer = self.texts(&[(item, text)]).await.pop();
                answer.unwrap_or_else(|| Err(Error::internal("a text was not moderated")))
            }
            ItemRequest::Mixed(input) => self.mixed(item, input).await,
            ItemRequest::Decision(request) => self.decide(item, request).await,
            ItemRequest::Inference(draft) => match draft.judge().and_then(|id| judges.get(id)) {
                Some(Err(message)) => Err(Error::new(Code::NotFound, message.clone())),
                Some(Ok(judge)) => self.infer(draft, Some(judge)).await,
                None => self.infer(draft, None).await,
            },
        }
    }

    /// Moderates messages of one mode.
    async fn texts(&self, texts: &[(&Item, &TextItem)]) -> Vec<Result<Answer>> {
        let messages = texts.iter().map(|(_, text)| text.message.clone()).collect();
        let explain = texts.first().is_some_and(|(_, text)| text.explain);
        let moderated = self.mixed.text.unpaid(self.tenant, messages, explain, self.prices.text).await;
        let UnpaidTexts { moderated, side_rows, prices } = match moderated {
            Ok(moderated) => moderated,
            Err(error) => return texts.iter().map(|_| Err(error.copy())).collect(),
        };
        let Moderated { verdicts, latency_ms, recorded, .. } = moderated;
        let mut ids = recorded.into_iter();
        let mut side_rows = side_rows.into_iter();
        let mut answers = Vec::with_capacity(texts.len());
        for (((item, text), verdict), price) in texts.iter().zip(verdicts).zip(prices) {
            let price = item.at_most(self.prices.text).map_or(price, |most| most.min(price));
            let id = ids.next().unwrap_or_else(ModerationId::new);
            let side_rows = side_rows.next().into_iter().collect();
            let outcome = Moderated { id, verdicts: vec![verdict], latency_ms, recorded: Vec::new() };
            let body = self.wire.moderated(&item.url, self.paid(outcome, price), &text.message);
            answers.push(body.map(|body| Answer { body, price, items: 1, side_rows }));
        }
        answers
    }

    async fn infer(&self, draft: &judge::ValidDraft, judge: Option<&ActiveJudge>) -> Result<Answer> {
        let usual = self.inference_price;
        let (inferred, side_row) =
            judge::answer(self.inference, self.tenant, draft.clone(), judge, usual).await?;
        let price = inferred.price;
        let body = self.wire.inferred(self.paid(inferred, price))?;
        Ok(Answer { body, price, items: 1, side_rows: side_row.into_iter().collect() })
    }

    /// Moderates texts and pictures of one item.
    async fn mixed(&self, item: &Item, input: &MixedInput) -> Result<Answer> {
        let most = item.at_most(self.prices.of(input.texts.len(), input.pictures.len())?)?;
        let UnpaidMixed { outcome, side_rows, price } =
            self.mixed.unpaid(self.tenant, input.clone(), self.prices).await?;
        let items = input.texts.len() + input.pictures.len();
        Ok(Answer { body: self.wire.mixed(&outcome)?, price: price.min(most), items, side_rows })
    }

    async fn decide(&self, item: &Item, request: &InferenceRequest) -> Result<Answer> {
        let inferred = self.inference.evaluate(request.clone(), self.tenant, self.inference_price).await?;
        let price = inferred.price;
        let body = self.wire.decided(&item.body, inferred)?;
        Ok(Answer { body, price, items: 1, side_rows: Vec::new() })
    }

    /// An outcome with its part of the chunk's charge.
    fn paid<T>(&self, outcome: T, price: Amount) -> Paid<T> {
        let receipt = Receipt { deducted: price, remaining: self.remaining, seq: 0 };
        Paid { request_id: self.request_id.clone(), outcome, receipt, replayed: false }
    }
}

/// The units of requests: messages of one mode and policy together, each other item alone.
fn units(requests: &[Option<ItemRequest>]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut texts = HashMap::<(TextMode, bool, Option<&str>), Vec<usize>>::new();
    for (index, request) in requests.iter().enumerate() {
        match request {
            Some(ItemRequest::Text(text)) => {
                let mode = text.message.mode;
                let kind = (mode, text.explain, text.message.policy.as_deref());
                let together = texts.entry(kind).or_default();
                together.push(index);
                let most = if mode == TextMode::Native { NATIVE_MESSAGES } else { HYBRID_MESSAGES };
                if together.len() == most {
                    units.push(Unit::Texts(std::mem::take(together)));
                }
            }
            Some(ItemRequest::Mixed(_) | ItemRequest::Inference(_) | ItemRequest::Decision(_)) => {
                units.push(Unit::One(index));
            }
            None => {}
        }
    }
    units.extend(texts.into_values().filter(|texts| !texts.is_empty()).map(Unit::Texts));
    units
}

fn not_begun() -> Error {
    Error::new(Code::Overloaded, "the item was not begun")
}

/// Whether a retry may succeed.
fn is_transient(error: &Error) -> bool {
    !error.lasting
        && matches!(
            error.code,
            Code::Overloaded | Code::EngineUnavailable | Code::UpstreamFailed | Code::InternalError
        )
}
