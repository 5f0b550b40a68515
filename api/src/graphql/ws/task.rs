//! A subscription's task: it runs the subscription and hands over one response at a time. A task of its own is polled whatever the
//! connection waits for, so that what it reads from the database it reads to the end.

use async_graphql::{Request, Response};
use domain::id::RequestId;
use futures_util::StreamExt;
use tokio::{sync::mpsc, task::AbortHandle};

use crate::graphql::{conformance::FieldOrder, schema::GavelSchema};

/// What a subscription has to send.
pub(super) struct Delivery {
    /// The id that the client gave the subscription.
    pub(super) id: String,
    /// The id of the request that began it, which tells it from an earlier subscription with the same id.
    pub(super) request_id: RequestId,
    /// None when the subscription has ended.
    pub(super) response: Option<Response>,
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
}

impl Subscription {
    /// Starts the task. It waits while `deliveries` is full, and ends when nobody receives them.
    pub(super) fn start(self, schema: &GavelSchema, deliveries: mpsc::Sender<Delivery>) -> SubscriptionTask {
        let Self { id, request_id, request, field_order } = self;
        let (mut responses, own_id) = (schema.execute_stream(request), request_id.clone());
        let delivery = move |response| Delivery { id: id.clone(), request_id: request_id.clone(), response };
        let task = async move {
            while let Some(mut response) = responses.next().await {
                field_order.apply(&mut response.data);
                if deliveries.send(delivery(Some(response))).await.is_err() {
                    return;
                }
            }
            let _ = deliveries.send(delivery(None)).await;
        };
        SubscriptionTask { request_id: own_id, task: tokio::spawn(task).abort_handle() }
    }
}
