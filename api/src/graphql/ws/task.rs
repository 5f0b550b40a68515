//! A subscription's task: it runs the subscription and hands over one response at a time. As a separate task it is
//! polled whatever the connection waits for, so that it finishes its reads from the database.

use async_graphql::{Request, Response};
use futures_util::StreamExt;
use ports::id::RequestId;
use tokio::{sync::mpsc, task::AbortHandle};

use crate::{
    caller::Caller,
    graphql::{byte_budget, conformance::FieldOrder, state::GraphqlState},
    slots::SlotPermit,
};

/// A response up to this size is sent regardless of the budget.
const SMALL_BYTES: usize = 4_096;

/// What a subscription has to send.
pub(super) struct Delivery {
    /// The id that the client gave the subscription.
    pub(super) id: String,
    /// The id of the request that began it, which tells it from an earlier subscription with the same id.
    pub(super) request_id: RequestId,
    /// None when the subscription has ended.
    pub(super) response: Option<Response>,
    /// The response's bytes in its account's budget; none for a small one.
    pub(super) reserved: Option<SlotPermit>,
}

/// A subscription under way; dropping it ends it.
pub(super) struct SubscriptionTask {
    pub(super) request_id: RequestId,
    task: AbortHandle,
}

impl Drop for SubscriptionTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A subscription to be run.
pub(super) struct Subscription {
    /// The id that the client gave it.
    pub(super) id: String,
    pub(super) request_id: RequestId,
    pub(super) request: Request,
    pub(super) field_order: FieldOrder,
    pub(super) caller: Caller,
}

impl Subscription {
    /// Starts the task. It waits while `deliveries` is full, skips large responses that its account has no room for,
    /// and ends when nobody receives them.
    pub(super) fn start(self, state: &GraphqlState, deliveries: mpsc::Sender<Delivery>) -> SubscriptionTask {
        let Self { id, request_id, request, field_order, caller } = self;
        let budgets = state.byte_budgets.clone();
        let mut responses = state.schema.execute_stream(request);
        let own_id = request_id.clone();
        let task = async move {
            while let Some(mut response) = responses.next().await {
                field_order.apply(&mut response.data);
                let bytes = byte_budget::size(&response.data);
                let reserved = budgets.try_reserve(&caller, bytes);
                // The account's clients do not read what they are sent.
                if bytes > SMALL_BYTES && reserved.is_none() {
                    continue;
                }
                let delivery = Delivery {
                    id: id.clone(),
                    request_id: request_id.clone(),
                    response: Some(response),
                    reserved,
                };
                if deliveries.send(delivery).await.is_err() {
                    return;
                }
            }
            let _ = deliveries.send(Delivery { id, request_id, response: None, reserved: None }).await;
        };
        SubscriptionTask { request_id: own_id, task: tokio::spawn(task).abort_handle() }
    }
}
