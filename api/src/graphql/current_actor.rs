//! Whom an operation is run for: whoever sent it, and from a `signIn` or `signUp` in it on whoever came in by that, so that the
//! payload can be asked for all that is theirs.

use std::sync::OnceLock;

use domain::{Context, actor::Actor};

use super::loaders::{Batches, Loaders};

/// In the data of every execution.
pub(crate) struct CurrentActor {
    batches: Batches,
    first: Place,
}

/// Somebody, and what reads rows for them.
pub(crate) struct ActorScope {
    pub(crate) actor: Actor,
    pub(crate) loaders: Loaders,
    next: Place,
}

/// Nobody leaves: what was lent to earlier fields stays good.
type Place = OnceLock<Box<ActorScope>>;

impl CurrentActor {
    /// Nobody yet.
    pub(super) fn new(batches: Batches) -> Self {
        Self { batches, first: Place::new() }
    }

    /// From now on it is `actor`.
    pub(super) fn enter(&self, ctx: &Context, actor: Actor) {
        let loaders = Loaders::new(ctx, &actor.account, &self.batches);
        let mut actor_scope = Box::new(ActorScope { actor, loaders, next: Place::new() });
        loop {
            let place = self.last().map_or(&self.first, |last| &last.next);
            match place.set(actor_scope) {
                Ok(()) => return,
                Err(back) => actor_scope = back,
            }
        }
    }

    /// Who it is; none for a guest.
    pub(super) fn last(&self) -> Option<&ActorScope> {
        std::iter::successors(self.first.get(), |actor_scope| actor_scope.next.get())
            .last()
            .map(AsRef::as_ref)
    }
}
