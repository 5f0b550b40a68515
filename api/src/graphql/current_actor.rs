//! The actor that an operation runs as: the one that sent it, and after a `signIn` or `signUp` within it the one that
//! signed in, so that the payload can be asked for everything that is theirs.

use std::sync::{Arc, OnceLock};

use domain::foundation::actor::Actor;

use domain::services::Services;

use super::{
    byte_budget::ByteBudget,
    loaders::{Batches, Loaders},
    moderator::ModeratorLimit,
};

/// The current actor's scope; in the data of every execution.
pub(crate) struct CurrentActor {
    limit: Arc<ModeratorLimit>,
    batches: Batches,
    budget: ByteBudget,
    first: NextScope,
}

/// An actor, and the loaders that read rows on the actor's behalf.
pub(crate) struct ActorScope {
    pub(crate) actor: Actor,
    pub(crate) loaders: Loaders,
    next: NextScope,
}

/// A list that only grows: resolvers that began under an earlier scope keep their references to it.
type NextScope = OnceLock<Box<ActorScope>>;

impl CurrentActor {
    /// No actor yet.
    pub(super) fn new(batches: Batches, budget: ByteBudget, limit: Arc<ModeratorLimit>) -> Self {
        Self { limit, batches, budget, first: NextScope::new() }
    }

    /// Makes `actor` the current one.
    pub(super) fn enter(&self, services: &Services, actor: Actor) {
        self.limit.set(actor.role);
        let loaders = Loaders::new(services, &actor.account, &self.batches, &self.budget);
        let mut scope = Box::new(ActorScope { actor, loaders, next: NextScope::new() });
        loop {
            let end = self.scope().map_or(&self.first, |last| &last.next);
            match end.set(scope) {
                Ok(()) => return,
                Err(refused) => scope = refused,
            }
        }
    }

    /// The current scope; none for a guest.
    pub(super) fn scope(&self) -> Option<&ActorScope> {
        std::iter::successors(self.first.get(), |scope| scope.next.get()).last().map(AsRef::as_ref)
    }
}
