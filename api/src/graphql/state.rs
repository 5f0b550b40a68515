//! The state that GraphQL's handlers share.

use std::{sync::Arc, time::Duration};

use domain::{
    Result,
    foundation::network::Network,
    services::{Probes, Services},
};
use tokio::sync::{Semaphore, watch};

use super::schema::{self, GavelSchema, QueryLimits, SubscriptionSlots};
use super::{byte_budget::ByteBudgets, context::RequestInfo};
use crate::{
    access::AccessControl,
    caller::Caller,
    settings::ApiSettings,
    slots::{AccountSlots, SlotPermit, TimedSlots},
};

/// Operations that run at once, each of which may hold many rows.
const OPERATIONS: usize = 128;
/// Operations of one account that run at once.
const OPERATIONS_PER_ACCOUNT: usize = 8;
/// Operations of guests that run at once: in all, and of one network.
const GUEST_OPERATIONS: (usize, usize) = (64, 8);
/// Introspections that run at once: in all, and of one account or one network of guests. Each keeps a core busy.
const INTROSPECTIONS: (usize, usize) = (2, 1);
/// Events of subscriptions that are executed at once: in all, and of one account.
const SUBSCRIPTION_EVENTS: (usize, usize) = (16, 2);
/// WebSockets of one account that are open at once.
const WEBSOCKETS_PER_ACCOUNT: usize = 64;
/// The longest that shutdown waits for the clients of WebSockets to take their close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The schema with what it runs on, and the limits of operations and WebSockets. Cheap to clone.
#[derive(Clone)]
pub(crate) struct GraphqlState {
    pub(super) schema: GavelSchema,
    pub(super) services: Services,
    pub(super) access: AccessControl,
    pub(super) settings: Arc<ApiSettings>,
    pub(super) operation_slots: AccountSlots,
    pub(super) guest_slots: TimedSlots<Network>,
    pub(super) introspection_slots: TimedSlots<Caller>,
    pub(super) byte_budgets: ByteBudgets,
    pub(super) subscription_slots: SubscriptionSlots,
    pub(super) websocket_slots: AccountSlots,
    /// One permit for each WebSocket that may be open, over all accounts.
    pub(super) websocket_permits: Arc<Semaphore>,
    /// True once the server shuts down.
    pub(super) shutdown: Arc<watch::Sender<bool>>,
}

impl GraphqlState {
    /// Builds the schema over a running service.
    pub(crate) fn new(
        services: Services,
        probes: Arc<Probes>,
        access: AccessControl,
        settings: Arc<ApiSettings>,
    ) -> Self {
        let limits = QueryLimits {
            depth: settings.graphql_depth,
            complexity: settings.graphql_complexity,
            introspection: settings.graphql_introspection,
        };
        let byte_budgets = ByteBudgets::new(settings.graphql_operation_bytes, settings.graphql_account_bytes);
        Self {
            schema: schema::build(services.clone(), probes, limits, byte_budgets.clone()),
            byte_budgets,
            operation_slots: AccountSlots::new("GraphQL operations", OPERATIONS, OPERATIONS_PER_ACCOUNT),
            guest_slots: TimedSlots::new(
                "GraphQL operations of guests",
                GUEST_OPERATIONS.0,
                GUEST_OPERATIONS.1,
            ),
            introspection_slots: TimedSlots::new("introspections", INTROSPECTIONS.0, INTROSPECTIONS.1),
            subscription_slots: SubscriptionSlots(AccountSlots::new(
                "events of subscriptions",
                SUBSCRIPTION_EVENTS.0,
                SUBSCRIPTION_EVENTS.1,
            )),
            websocket_slots: AccountSlots::new("WebSockets", settings.websockets, WEBSOCKETS_PER_ACCOUNT),
            websocket_permits: Arc::new(Semaphore::new(settings.websockets)),
            shutdown: Arc::new(watch::Sender::new(false)),
            services,
            access,
            settings,
        }
    }

    /// Waits for a permit to run an operation.
    ///
    /// # Errors
    /// `OVERLOADED` when none was free for long.
    pub(super) async fn operation_permit(&self, info: &RequestInfo) -> Result<SlotPermit> {
        match info.caller() {
            Caller::Account(account) => self.operation_slots.acquire(&account).await,
            Caller::Guest(network) => self.guest_slots.acquire(&network).await,
        }
    }

    /// Closes all WebSockets, each with a close frame if its client takes one soon.
    pub(crate) async fn close_websockets(&self) {
        self.shutdown.send_replace(true);
        let all = u32::try_from(self.settings.websockets).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, self.websocket_permits.acquire_many(all)).await;
    }
}
