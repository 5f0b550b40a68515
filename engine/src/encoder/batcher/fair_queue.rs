//! The order of the queue: flows take turns by tokens, and within a flow short requests go before long ones.
//!
//! Start-time fair queueing: each flow counts the tokens it was served, and the flow with the fewest is next. Within a
//! flow, a request's virtual finish time is the flow's count on arrival plus its own tokens. So a request finishes
//! before another of its size starts, and a short one overtakes a long one.

use std::collections::{HashMap, HashSet};

use ports::Flow;

use super::job::BatchJob;

/// Waiting jobs of type `W`, each with a way to answer it, of type `A`.
pub(super) struct FairQueue<W, A> {
    waiting: Vec<WaitingJob<W, A>>,
    /// Tokens served to each flow that has jobs in the queue or was served beyond the clock.
    served: HashMap<Flow, u64>,
    /// The count of the flow that was served last. New flows start with it.
    clock: u64,
    requests: u64,
}

/// A job in the queue.
pub(super) struct WaitingJob<W, A> {
    pub(super) job: BatchJob<W>,
    pub(super) answer: A,
    flow: Flow,
    request: u64,
    finish: u64,
    /// Whether a job of its request has been taken.
    begun: bool,
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

    /// Tokens in the queue.
    pub(super) fn tokens(&self) -> usize {
        self.waiting.iter().map(|waiting| waiting.job.tokens).sum()
    }

    /// Admits a request of `coming` tokens to a queue of `limit` tokens if everything fits, or if its flow stays within
    /// an equal share. When the queue is full, the newest requests of the flows above their share are rejected, except
    /// those that have begun. Returns the rejected requests' replies, or `None` when the new request is rejected.
    pub(super) fn admit(&mut self, flow: Flow, coming: usize, limit: usize) -> Option<Vec<A>> {
        let mut total = self.tokens();
        if total == 0 || total + coming <= limit {
            return Some(Vec::new());
        }
        let mut by_flow: HashMap<Flow, usize> = HashMap::from([(flow, 0)]);
        for waiting in &self.waiting {
            *by_flow.entry(waiting.flow).or_default() += waiting.job.tokens;
        }
        let share = limit / by_flow.len();
        if by_flow[&flow] + coming > share {
            return None;
        }
        let mut leaving = Vec::new();
        while total + coming > limit {
            let above_share = self.waiting.iter().filter(|one| !one.begun && by_flow[&one.flow] > share);
            let latest = above_share.max_by_key(|one| (by_flow[&one.flow], one.request));
            let Some(request) = latest.map(|waiting| waiting.request) else { break };
            for one in self.waiting.extract_if(.., |waiting| waiting.request == request) {
                total -= one.job.tokens;
                *by_flow.entry(one.flow).or_default() -= one.job.tokens;
                leaving.push(one.answer);
            }
        }
        Some(leaving)
    }

    /// Adds the jobs of a request. `begun` says whether other jobs of the request are done already.
    pub(super) fn push(&mut self, flow: Flow, begun: bool, jobs: impl IntoIterator<Item = (BatchJob<W>, A)>) {
        let served = *self.served.entry(flow).or_insert(self.clock);
        self.requests += 1;
        let request = self.requests;
        let first = self.waiting.len();
        self.waiting.extend(jobs.into_iter().map(|(job, answer)| WaitingJob {
            job,
            answer,
            flow,
            request,
            finish: 0,
            begun,
        }));
        let tokens: u64 = self.waiting[first..].iter().map(|waiting| waiting.job.tokens as u64).sum();
        self.waiting[first..].iter_mut().for_each(|waiting| waiting.finish = served + tokens);
    }

    /// Takes the next job and further jobs of its shape, up to `limit` tokens, but leaves `idle` other threads their
    /// share, so that batches are of equal size. The queue must not be empty.
    pub(super) fn take(&mut self, limit: usize, idle: usize) -> Vec<WaitingJob<W, A>> {
        let served = &self.served;
        self.waiting.sort_by_key(|one| (served.get(&one.flow).copied(), one.flow, one.finish, one.request));
        let shape = self.waiting[0].job.shape;
        let size = self.waiting[0].job.tokens.max(1);
        self.clock = self.served.get(&self.waiting[0].flow).copied().unwrap_or(self.clock);
        let alike = self.waiting.iter().filter(|waiting| waiting.job.shape == shape).count();
        // As many batches as are needed anyway, of equal size, so that the threads finish together.
        let threads = idle + 1;
        let fitting = (limit / size).max(1);
        let share = alike.div_ceil(threads * alike.div_ceil(threads * fitting));
        let batch = self.extract(shape, share, limit);
        for taken in &batch {
            *self.served.entry(taken.flow).or_default() += taken.job.tokens as u64;
        }
        for waiting in &mut self.waiting {
            waiting.begun |= batch.iter().any(|taken| taken.request == waiting.request);
        }
        self.forget_served_flows();
        batch
    }

    /// Removes up to `most` jobs of a shape, with at most `limit` tokens together, but at least one.
    fn extract(&mut self, shape: usize, most: usize, limit: usize) -> Vec<WaitingJob<W, A>> {
        let mut count = 0;
        let mut tokens = 0;
        let taken = self.waiting.extract_if(.., |waiting| {
            let fits = tokens == 0 || tokens + waiting.job.tokens <= limit;
            let takes = waiting.job.shape == shape && count < most && fits;
            if takes {
                count += 1;
                tokens += waiting.job.tokens;
            }
            takes
        });
        taken.collect()
    }

    /// Drops the counts of flows that no longer compete.
    fn forget_served_flows(&mut self) {
        if self.waiting.is_empty() {
            self.served.clear();
            self.clock = 0;
        } else {
            let left: HashSet<Flow> = self.waiting.iter().map(|waiting| waiting.flow).collect();
            self.served.retain(|flow, served| *served > self.clock || left.contains(flow));
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
        queue.push(Flow(flow), false, jobs);
    }

    fn order(queue: &mut FairQueue<(), &'static str>, jobs: usize) -> String {
        (0..jobs).map(|_| queue.take(512, 0)[0].answer).collect()
    }

    #[test]
    fn flows_take_turns_and_a_flow_finishes_what_it_has_begun() {
        let mut queue = queue(&[(1, 3, "a"), (1, 3, "b"), (1, 1, "s"), (2, 4, "c")]);
        assert_eq!(order(&mut queue, 11), "scacacacbbb");
        assert!(queue.is_empty());
    }

    #[test]
    fn a_flow_that_comes_late_has_its_turn_and_no_more() {
        let mut queue = queue(&[(1, 8, "a")]);
        assert_eq!(order(&mut queue, 4), "aaaa");
        push(&mut queue, 2, 3, "b");
        assert_eq!(order(&mut queue, 5), "babab");
    }

    #[test]
    fn the_latest_of_a_flow_with_more_than_its_share_leave_for_another() {
        let mut queue = queue(&[(1, 4, "a"), (1, 4, "b"), (1, 2, "c")]);
        assert_eq!(queue.admit(Flow(1), 100, 1_000), None, "its own share is used up");
        assert_eq!(order(&mut queue, 2), "cc");
        assert_eq!(queue.admit(Flow(2), 600, 1_000), None, "more than half");
        assert_eq!(queue.admit(Flow(2), 200, 1_000), Some(vec![]), "there is room");
        assert_eq!(queue.admit(Flow(2), 300, 1_000), Some(vec!["b"; 4]));
        push(&mut queue, 2, 3, "d");
        assert_eq!(order(&mut queue, 2), "da");
        assert_eq!(queue.admit(Flow(3), 300, 400), None);
        assert_eq!(queue.admit(Flow(3), 100, 400), Some(vec![]), "what has begun stays");
    }
}
