//! Flows: whose turn it is in a fair queue, and limits of what one flow may have at once.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::id::AccountId;

/// The flow of a request, as in fair queueing: requests of one flow take turns with those of others, however many each
/// flow has. An account is a flow; a model sees only its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flow(pub u64);

impl From<&AccountId> for Flow {
    fn from(account: &AccountId) -> Self {
        let mut hasher = DefaultHasher::new();
        account.as_str().hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Permits for one kind of work: a number in all, and a smaller one for each flow. Both are given in the order of
/// asking. Cheap to clone.
#[derive(Clone)]
pub struct FlowPermits {
    all: Arc<Semaphore>,
    by_flow: usize,
    flows: Arc<Mutex<HashMap<Flow, Arc<Semaphore>>>>,
}

/// A permit; dropping it frees it.
pub struct FlowPermit {
    _all: OwnedSemaphorePermit,
    _own: OwnPermit,
}

impl FlowPermits {
    /// `all` permits, of which one flow has `by_flow` at most.
    pub fn new(all: usize, by_flow: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), by_flow, flows: Arc::default() }
    }

    /// Waits for a permit. A flow that has all its own does not stand in the way of others.
    pub async fn acquire(&self, flow: Flow) -> FlowPermit {
        const OPEN: &str = "the semaphore is never closed";
        let semaphore = {
            let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
            flows.entry(flow).or_insert_with(|| Arc::new(Semaphore::new(self.by_flow))).clone()
        };
        let mut own = OwnPermit { flows: self.flows.clone(), flow, semaphore: Some(semaphore), permit: None };
        if let Some(semaphore) = own.semaphore.clone() {
            own.permit = Some(semaphore.acquire_owned().await.expect(OPEN));
        }
        let all = self.all.clone().acquire_owned().await.expect(OPEN);
        FlowPermit { _all: all, _own: own }
    }
}

/// A flow's own permit, or its place in the queue for one. The last one removes the flow.
struct OwnPermit {
    flows: Arc<Mutex<HashMap<Flow, Arc<Semaphore>>>>,
    flow: Flow,
    semaphore: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for OwnPermit {
    fn drop(&mut self) {
        let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        self.permit = None;
        self.semaphore = None;
        if flows.get(&self.flow).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            flows.remove(&self.flow);
        }
    }
}

/// A limit of how much each flow may have in progress. Never waits.
pub struct FlowLimit {
    most: usize,
    flows: Mutex<HashMap<Flow, usize>>,
}

/// Counts in its flow until it is dropped.
pub struct InFlow {
    limit: Arc<FlowLimit>,
    flow: Flow,
}

impl FlowLimit {
    pub fn new(most: usize) -> Self {
        Self { most, flows: Mutex::default() }
    }

    /// Counts one more of a flow; none when it has as many as it may.
    pub fn enter(self: &Arc<Self>, flow: Flow) -> Option<InFlow> {
        let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        let count = flows.entry(flow).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(InFlow { limit: self.clone(), flow })
    }
}

impl Drop for InFlow {
    fn drop(&mut self) {
        let mut flows = self.limit.flows.lock().unwrap_or_else(PoisonError::into_inner);
        match flows.get_mut(&self.flow) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(flows.remove(&self.flow)),
        }
    }
}

impl std::fmt::Debug for InFlow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("InFlow").field(&self.flow).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn one_flow_leaves_permits_for_others_and_nothing_behind() {
        let permits = FlowPermits::new(3, 2);
        let at_once = async |flow: u64| {
            tokio::time::timeout(Duration::from_millis(10), permits.acquire(Flow(flow))).await.ok()
        };
        let (first, second) = (at_once(1).await.unwrap(), at_once(1).await.unwrap());
        assert!(at_once(1).await.is_none());
        let of_other = at_once(2).await.unwrap();
        assert!(at_once(3).await.is_none());
        drop(first);
        let of_third = at_once(3).await.unwrap();
        drop((second, of_other, of_third));
        assert!(permits.flows.lock().unwrap().is_empty());
    }

    #[test]
    fn each_flow_has_a_limit_of_its_own() {
        let limit = Arc::new(FlowLimit::new(2));
        let (first, _second) = (limit.enter(Flow(1)).unwrap(), limit.enter(Flow(1)).unwrap());
        assert!(limit.enter(Flow(1)).is_none());
        drop(limit.enter(Flow(2)).unwrap());
        drop(first);
        drop(limit.enter(Flow(1)).unwrap());
        assert_eq!(limit.flows.lock().unwrap().len(), 1);
    }
}
