//! The order of the queue: requests finish no later than if all flows were served at once, and short ones go before
//! long ones.
//!
//! Fair queueing (Demers, Keshav and Shenker, 1989): each flow counts the tokens that it was served. A request's tag is
//! the count that its flow has when the request is done; the request with the lowest tag is next. So long requests of
//! several flows are done one after the other rather than all at the end, and a short one goes before them. Within a
//! flow, requests are in the order of its count on their arrival plus their own tokens: a short one overtakes a long
//! one, but never for long.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ports::{Flow, RequestGroup};

use super::job::{BatchJob, QueueOrder};

/// Waiting jobs of type `W`, each with a way to answer it, of type `A`.
pub(super) struct FairQueue<W, A> {
    waiting: Vec<WaitingJob<W, A>>,
    /// Tokens served to each flow that has jobs in the queue or was served beyond the clock.
    served: HashMap<Flow, u64>,
    /// The tokens that a flow in the queue would have been served by equal shares. New flows start with it.
    clock: u64,
    requests: u64,
}

/// A job in the queue.
pub(super) struct WaitingJob<W, A> {
    pub(super) job: BatchJob<W>,
    pub(super) answer: A,
    group: Option<RequestGroup>,
    place: Place,
}

/// The waiting parts of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupLoad {
    pub(super) requests: usize,
    pub(super) tokens: usize,
}

/// The place of a request among those of its flow: the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    flow: Flow,
    finish: u64,
    request: u64,
}

/// A request in the queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// The count of its flow when it is done.
    tag: u64,
    /// Its tokens that wait.
    tokens: u64,
}

impl<W, A> FairQueue<W, A> {
    pub(super) fn new() -> Self {
        Self { waiting: Vec::new(), served: HashMap::new(), clock: 0, requests: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&A) -> bool) {
        self.waiting.retain(|waiting| keep(&waiting.answer));
    }

    #[cfg(test)]
    pub(super) fn any(&self, is_it: impl Fn(&BatchJob<W>) -> bool) -> bool {
        self.waiting.iter().any(|waiting| is_it(&waiting.job))
    }

    /// The tokens that are served until a new request of `coming` tokens is done, if nothing else arrives. Of each
    /// other flow, these are at most those that make its count that of the request's flow.
    pub(super) fn tokens_until_done(&self, flow: Flow, coming: usize) -> u64 {
        let start = self.count(flow);
        let coming = coming as u64;
        let mut by_flow: BTreeMap<Flow, u64> = BTreeMap::new();
        for WaitingJob { job, place, .. } in &self.waiting {
            if place.flow != flow || place.finish <= start + coming {
                *by_flow.entry(place.flow).or_default() += job.tokens as u64;
            }
        }
        let own = by_flow.remove(&flow).unwrap_or_default() + coming;
        let others = by_flow.iter().map(|(other, tokens)| {
            let until_equal = (start + own).saturating_sub(self.count(*other));
            until_equal.min(*tokens)
        });
        own + others.sum::<u64>()
    }

    /// What waits of a group.
    pub(super) fn waiting_of(&self, group: RequestGroup) -> GroupLoad {
        let mut requests = BTreeSet::new();
        let mut tokens = 0;
        for one in self.waiting.iter().filter(|one| one.group == Some(group)) {
            requests.insert(one.place);
            tokens += one.job.tokens;
        }
        GroupLoad { requests: requests.len(), tokens }
    }

    fn count(&self, flow: Flow) -> u64 {
        self.served.get(&flow).copied().unwrap_or(self.clock)
    }

    /// Adds the jobs of a request.
    pub(super) fn push(&mut self, order: QueueOrder, jobs: impl IntoIterator<Item = (BatchJob<W>, A)>) {
        let QueueOrder { flow, group, .. } = order;
        let served = *self.served.entry(flow).or_insert(self.clock);
        self.requests += 1;
        let first = self.waiting.len();
        let place = Place { flow, finish: 0, request: self.requests };
        self.waiting.extend(jobs.into_iter().map(|(job, answer)| WaitingJob { job, answer, group, place }));
        let tokens: u64 = self.waiting[first..].iter().map(|waiting| waiting.job.tokens as u64).sum();
        self.waiting[first..].iter_mut().for_each(|waiting| waiting.place.finish = served + tokens);
    }

    /// Takes the next job and further jobs of its shape, up to `limit` tokens, but leaves `idle` other threads their
    /// share, so that batches are of equal size. A request that fits a batch is not made to wait for parts of longer
    /// ones. The queue must not be empty.
    pub(super) fn take(&mut self, limit: usize, idle: usize) -> Vec<WaitingJob<W, A>> {
        let requests = self.requests();
        self.waiting.sort_by_cached_key(|one| (requests[&one.place].tag, one.place));
        let WaitingJob { job: first, place, .. } = &self.waiting[0];
        let shape = first.shape;
        let size = first.tokens.max(1);
        let longest = requests[place].tokens.max(limit as u64);
        let rides = |one: &WaitingJob<W, A>| one.job.shape == shape && requests[&one.place].tokens <= longest;
        let alike = self.waiting.iter().filter(|one| rides(one)).count();
        // As many batches as are needed anyway, of equal size, so that the threads finish together.
        let threads = idle + 1;
        let fitting = (limit / size).max(1);
        let share = alike.div_ceil(threads * alike.div_ceil(threads * fitting));
        let mut tokens = 0;
        let mut count = 0;
        let taken = self.waiting.extract_if(.., |one| {
            let fits = count == 0 || tokens + one.job.tokens <= limit;
            let takes = rides(one) && count < share && fits;
            if takes {
                count += 1;
                tokens += one.job.tokens;
            }
            takes
        });
        let batch: Vec<_> = taken.collect();
        self.advance(&batch, &requests);
        batch
    }

    /// All requests in the queue.
    fn requests(&self) -> BTreeMap<Place, Waiting> {
        let mut requests: BTreeMap<Place, Waiting> = BTreeMap::new();
        for WaitingJob { job, place, .. } in &self.waiting {
            requests.entry(*place).or_insert(Waiting { tag: 0, tokens: 0 }).tokens += job.tokens as u64;
        }
        let mut last: Option<(Flow, u64)> = None;
        for (place, request) in &mut requests {
            let before = last.filter(|(flow, _)| *flow == place.flow).map(|(_, tag)| tag);
            request.tag = before.unwrap_or_else(|| self.count(place.flow)) + request.tokens;
            last = Some((place.flow, request.tag));
        }
        requests
    }

    /// Counts a batch, and forgets the flows that no longer compete.
    fn advance(&mut self, batch: &[WaitingJob<W, A>], requests: &BTreeMap<Place, Waiting>) {
        let mut flows: Vec<Flow> = requests.keys().map(|place| place.flow).collect();
        flows.dedup();
        let tokens: u64 = batch.iter().map(|taken| taken.job.tokens as u64).sum();
        self.clock += tokens / flows.len().max(1) as u64;
        for taken in batch {
            *self.served.entry(taken.place.flow).or_default() += taken.job.tokens as u64;
        }
        if self.waiting.is_empty() {
            self.served.clear();
            self.clock = 0;
        } else {
            let waiting = &self.waiting;
            let clock = self.clock;
            self.served
                .retain(|flow, served| *served > clock || waiting.iter().any(|one| one.place.flow == *flow));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(requests: &[(u64, usize, &'static str)]) -> FairQueue<(), &'static str> {
        let mut queue = FairQueue::new();
        for (flow, jobs, name) in requests {
            push(&mut queue, *flow, *jobs, name);
        }
        queue
    }

    /// Adds jobs of 100 tokens, each of a shape of its own, so that each is a batch.
    fn push(queue: &mut FairQueue<(), &'static str>, flow: u64, jobs: usize, name: &'static str) {
        let shape = queue.waiting.len() + 1_000 * queue.requests as usize;
        let jobs = (0..jobs).map(|n| (BatchJob { shape: shape + n, tokens: 100, work: () }, name));
        queue.push(QueueOrder::first(Flow(flow)), jobs);
    }

    fn order(queue: &mut FairQueue<(), &'static str>, jobs: usize) -> String {
        (0..jobs).map(|_| queue.take(512, 0)[0].answer).collect()
    }

    #[test]
    fn what_has_begun_is_finished_unless_a_shorter_one_of_another_flow_comes() {
        let mut queue = queue(&[(1, 3, "a"), (1, 3, "b"), (1, 1, "s"), (2, 4, "c")]);
        assert_eq!(order(&mut queue, 3), "saa");
        push(&mut queue, 3, 1, "t");
        assert_eq!(order(&mut queue, 9), "taccccbbb");
        assert!(queue.is_empty());
    }

    #[test]
    fn a_flow_has_no_more_than_its_share_however_many_requests_it_sends() {
        let mut queue = queue(&[(1, 2, "a"), (1, 2, "a"), (1, 2, "a"), (1, 2, "a")]);
        assert_eq!(order(&mut queue, 1), "a");
        push(&mut queue, 2, 2, "b");
        push(&mut queue, 2, 2, "b");
        assert_eq!(order(&mut queue, 11), "abbaabbaaaa");
    }

    #[test]
    fn long_requests_of_flows_are_done_one_after_the_other() {
        let mut queue = queue(&[(1, 4, "a"), (2, 4, "b"), (3, 4, "c")]);
        assert_eq!(order(&mut queue, 12), "aaaabbbbcccc");
    }

    #[test]
    fn a_stream_of_short_requests_does_not_hold_up_a_long_one_for_ever() {
        let mut queue = queue(&[(1, 4, "a")]);
        let mut served = String::new();
        for _ in 0..9 {
            push(&mut queue, 2, 1, "s");
            served.push_str(&order(&mut queue, 1));
        }
        assert_eq!(served, "sssaaaass");
    }

    #[test]
    fn a_short_request_shares_no_batch_with_a_part_of_a_long_one() {
        let mut queue = FairQueue::new();
        for (flow, jobs, name) in [(1, 8, "long"), (2, 1, "short"), (3, 1, "other")] {
            let alike = (0..jobs).map(|_| (BatchJob { shape: 7, tokens: 100, work: () }, name));
            queue.push(QueueOrder::first(Flow(flow)), alike);
        }
        let batch: Vec<_> = queue.take(300, 0).iter().map(|one| one.answer).collect();
        assert_eq!(batch, ["short", "other"]);
        let batch: Vec<_> = queue.take(300, 0).iter().map(|one| one.answer).collect();
        assert_eq!(batch, ["long"; 3]);
    }

    #[test]
    fn a_request_is_done_after_what_is_before_it() {
        let mut queue = queue(&[(1, 8, "a")]);
        assert_eq!(queue.tokens_until_done(Flow(1), 100), 100, "a short one overtakes");
        assert_eq!(queue.tokens_until_done(Flow(1), 800), 1_600);
        assert_eq!(queue.tokens_until_done(Flow(2), 100), 200);
        assert_eq!(queue.tokens_until_done(Flow(2), 2_000), 2_800);
        assert_eq!(order(&mut queue, 4), "aaaa");
        push(&mut queue, 2, 3, "b");
        assert_eq!(queue.tokens_until_done(Flow(3), 200), 200 + 200 + 200);
        assert_eq!(order(&mut queue, 7), "bbbaaaa");
    }
}
