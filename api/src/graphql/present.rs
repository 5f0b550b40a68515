//! Whom an operation is run for: whoever sent it, and from a `signIn` or `signUp` in it on whoever came in by that, so that the
//! payload can be asked for all that is theirs.

use std::sync::OnceLock;

use crate::services::Services;
use domain::actor::Actor;

use super::load::{Batches, Loaders};

/// In the data of every execution.
pub(crate) struct Present {
    batches: Batches,
    first: Place,
}

/// Somebody, and what reads rows for them.
pub(crate) struct Somebody {
    pub(crate) actor: Actor,
    pub(crate) loaders: Loaders,
    next: Place,
}

/// Nobody leaves: what was lent to earlier fields stays good.
type Place = OnceLock<Box<Somebody>>;

impl Present {
    /// Nobody yet.
    pub(super) fn new(batches: Batches) -> Self {
        Self { batches, first: Place::new() }
    }

    /// From now on it is `actor`.
    pub(super) fn enter(&self, ctx: &Services, actor: Actor) {
        let loaders = Loaders::new(ctx, &actor.account, &self.batches);
        let mut somebody = Box::new(Somebody { actor, loaders, next: Place::new() });
        loop {
            let place = self.last().map_or(&self.first, |last| &last.next);
            match place.set(somebody) {
                Ok(()) => return,
                Err(back) => somebody = back,
            }
        }
    }

    /// Who it is; none for a guest.
    pub(super) fn last(&self) -> Option<&Somebody> {
        std::iter::successors(self.first.get(), |somebody| somebody.next.get()).last().map(AsRef::as_ref)
    }
}
