//! Answers the same questions about several states, for one charge.

use std::{sync::Arc, time::Instant};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::{
    answer::Answers,
    backend::Inference,
    infer::{InferenceRequest, Inferred, JudgeRun},
    route::Route,
};
use crate::{
    Error, Result,
    foundation::round,
    money::{
        amount::Amount,
        billing::{Billable, Billing, Cost, Done, Paid, Payment},
        credits::SideRow,
        pricing::Operation,
    },
};
use ports::decision::Usage;
use ports::id::InferenceId;
use ports::{Flow, RequestGroup};

/// The most states of a request.
pub const MAX_STATES: usize = 50;
/// States that servers are asked about at once.
const AT_ONCE_REMOTE: usize = 4;

/// A request that is one of several in a charge.
pub struct JudgedRequest {
    pub request: InferenceRequest,
    /// Its Judge, if it names one.
    pub judge: Option<JudgeRun>,
}

/// The answers about several states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferredEach {
    /// The whole: without answers, with the backend of the first result and the usage of all.
    pub whole: Inferred,
    /// One a state, in order.
    pub results: Vec<Inferred>,
}

impl Billable for InferredEach {
    fn reference(&self) -> String {
        self.whole.id.to_string()
    }
}

/// A request with the backends that it is for.
struct RoutedRequest {
    judged: JudgedRequest,
    route: Route,
}

impl Inference {
    /// Answers requests, all or none, charged together.
    ///
    /// # Errors
    /// Those of [`Inference::infer`].
    pub async fn infer_each(
        &self,
        billing: &Arc<Billing>,
        mut payment: Payment,
        requests: Vec<JudgedRequest>,
    ) -> Result<Paid<InferredEach>> {
        payment.items = requests.len();
        let usual = billing.prices.of(Operation::Inference).await?;
        let mut dearest = Amount::default();
        let mut routed = Vec::with_capacity(requests.len());
        for (at, judged) in requests.into_iter().enumerate() {
            let route = self.route(&judged.request, &payment.backends);
            let route = route.map_err(|error| in_states(error, at))?;
            dearest = dearest.plus(route.dearest().of(usual)?)?;
            routed.push(RoutedRequest { judged, route });
        }
        let remote = routed.iter().any(|routed| routed.route.may_call_remote());
        let cost = if remote { Cost::Held(dearest) } else { Cost::Reserved(dearest) };
        let at_once = if remote { AT_ONCE_REMOTE } else { MAX_STATES };
        let inference = self.clone();
        let flow = Flow::from(&payment.account);
        let work = async move { inference.answer_each(routed, at_once, flow, usual).await };
        billing.run(payment, cost, work).await
    }

    async fn answer_each(
        &self,
        requests: Vec<RoutedRequest>,
        at_once: usize,
        flow: Flow,
        usual: Amount,
    ) -> Result<Done<InferredEach>> {
        let start = Instant::now();
        let states = requests.len();
        let group = RequestGroup::unique();
        let answers = stream::iter(requests.into_iter().enumerate());
        let answers = answers.map(|(at, request)| self.answer_one(at, request, flow, group, usual));
        let answers = answers.buffered(at_once).try_collect::<Vec<_>>().await?;
        let mut price = Amount::default();
        let mut usage = Usage::default();
        let mut results = Vec::with_capacity(states);
        let mut side_rows = Vec::new();
        for Answered { inferred, side_row } in answers {
            price = price.plus(inferred.price)?;
            usage = usage.plus(inferred.usage);
            results.push(inferred);
            side_rows.extend(side_row);
        }
        let first = results.first().cloned().ok_or_else(|| Error::internal("a request about no state"))?;
        let latency_ms = round::milliseconds(start.elapsed().as_secs_f64() * 1e3);
        let id = InferenceId::new();
        let whole =
            Inferred { id, answers: Answers::default(), output: None, usage, latency_ms, price, ..first };
        Ok(Done { outcome: InferredEach { whole, results }, side_rows, price: Some(price) })
    }

    /// Answers the request about state number `at`.
    async fn answer_one(
        &self,
        at: usize,
        routed: RoutedRequest,
        flow: Flow,
        group: RequestGroup,
        usual: Amount,
    ) -> Result<Answered> {
        let RoutedRequest { judged: JudgedRequest { request, judge }, route } = routed;
        let inferred = self.answer(request, route, flow, Some(group), usual).await;
        let mut inferred = inferred.map_err(|error| in_states(error, at))?;
        let side_row = judge.and_then(|judge| judge.recorded(&mut inferred));
        Ok(Answered { inferred, side_row })
    }
}

/// The answers about one state, and the row that records them.
struct Answered {
    inferred: Inferred,
    side_row: Option<SideRow>,
}

/// An error that calls the state `state`, which is number `at` of `states`.
fn in_states(error: Error, at: usize) -> Error {
    error.in_field("state", &format!("states[{at}]"))
}
