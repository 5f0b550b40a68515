//! The bodies that are held in memory while they arrive. An account has a share of the memory, and the guests of a
//! network may send only a few bodies at once. When the memory is full, the sender that holds most loses a body.

use std::sync::Arc;

use axum::{
    body::{Body, HttpBody},
    extract::Request,
};
use bytes::{Bytes, BytesMut};
use domain::{Code, Error, Result, foundation::network::Network};
use ports::id::AccountId;
use tokio::sync::Semaphore;

use super::pace::Pace;
use crate::{
    caller::Caller,
    evicting_slots::{EvictableSlot, EvictingSlots},
    extract::{accepts_form, accepts_json},
    slots::{AccountSlots, SlotPermit},
};

/// What bytes are counted in: semaphores have few permits.
const KIB: usize = 1_024;
/// The least that an arriving body counts for, in KiB: a request takes memory too.
const LEAST_KIB: usize = 16;
/// Bodies of guests that arrive at once: in all, and of one network.
const GUEST_BODIES: (usize, usize) = (64, 8);

/// The body of a route that is received whole before the route's work begins.
#[derive(Clone, Copy)]
pub(crate) struct WholeBody {
    /// Bytes that it may have.
    pub(crate) max_bytes: usize,
    /// Whether it may be a form instead of JSON.
    pub(crate) or_form: bool,
}

/// The room for arriving bodies. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ArrivingBodies {
    of_accounts: EvictingSlots<AccountId>,
    /// The shares of accounts, for which their further bodies wait.
    shares: AccountSlots,
    share_kib: usize,
    of_guests: EvictingSlots<Network>,
}

/// The room of one body.
#[allow(dead_code)]
enum Room {
    Account(EvictableSlot<AccountId>, Option<SlotPermit>),
    Guest(EvictableSlot<Network>),
}

/// The room of a body that has arrived, in the extensions of its request: it is free again when the body has been read.
#[derive(Clone)]
#[allow(dead_code)]
struct HeldRoom(Arc<Room>);

impl WholeBody {
    /// Whether a request has a body to be received: not one that its extractor refuses by its type.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` for a body that says so.
    pub(crate) fn is_expected(&self, request: &Request) -> Result<bool> {
        let headers = request.headers();
        let expected = !request.body().is_end_stream()
            && (accepts_json(headers) || self.or_form && accepts_form(headers));
        let too_large = request.body().size_hint().lower() > self.max_bytes as u64;
        if expected && too_large { Err(self.too_large()) } else { Ok(expected) }
    }

    fn too_large(&self) -> Error {
        Error::new(Code::PayloadTooLarge, "the body is too large for this path")
    }
}

impl ArrivingBodies {
    /// `bytes`: all that may arrive of accounts; one account may have half of it.
    pub(crate) fn new(bytes: usize) -> Self {
        let kib = bytes.div_ceil(KIB);
        let share_kib = kib.div_ceil(2);
        Self {
            of_accounts: EvictingSlots::new(kib),
            shares: AccountSlots::new("bytes of bodies", Semaphore::MAX_PERMITS, share_kib),
            share_kib,
            of_guests: EvictingSlots::new(GUEST_BODIES.0),
        }
    }

    /// Receives the body of a request.
    ///
    /// # Errors
    /// `OVERLOADED` when there is no room; `PAYLOAD_TOO_LARGE`; `MALFORMED_BODY` for a body that is cut off or too
    /// slow.
    pub(crate) async fn receive(&self, of: WholeBody, sender: &Caller, request: Request) -> Result<Request> {
        let (mut parts, body) = request.into_parts();
        let length = body.size_hint().exact().map_or(of.max_bytes, |length| length as usize);
        let room = self.room(sender, length).await?;
        let body = tokio::select! {
            received = collect(of, body) => received?,
            () = room.evicted() => return Err(no_room()),
        };
        room.keep();
        parts.extensions.insert(HeldRoom(Arc::new(room)));
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    async fn room(&self, sender: &Caller, bytes: usize) -> Result<Room> {
        match sender {
            Caller::Account(account) => {
                let slot = self.of_accounts.try_take(account.clone(), LEAST_KIB).ok_or_else(no_room)?;
                let more = bytes.div_ceil(KIB).min(self.share_kib).saturating_sub(LEAST_KIB);
                if more == 0 {
                    return Ok(Room::Account(slot, None));
                }
                let permits = u32::try_from(more).unwrap_or(u32::MAX);
                let share = self.shares.acquire_many(account, permits).await?;
                if !slot.try_grow(more) {
                    return Err(no_room());
                }
                Ok(Room::Account(slot, Some(share)))
            }
            Caller::Guest(network) => {
                let has_room = self.of_guests.held(network) < GUEST_BODIES.1;
                let slot = has_room.then(|| self.of_guests.try_take(*network, 1)).flatten();
                Ok(Room::Guest(slot.ok_or_else(no_room)?))
            }
        }
    }
}

impl Room {
    async fn evicted(&self) {
        match self {
            Room::Account(slot, _) => slot.evicted().await,
            Room::Guest(slot) => slot.evicted().await,
        }
    }

    /// Is not taken away from now on.
    fn keep(&self) {
        match self {
            Room::Account(slot, _) => slot.begin_use(),
            Room::Guest(slot) => slot.begin_use(),
        }
    }
}

/// One buffer: a list of chunks would take much more memory for a body that comes byte by byte.
async fn collect(of: WholeBody, body: Body) -> Result<Bytes> {
    let length = body.size_hint().exact().unwrap_or(0) as usize;
    let mut received = BytesMut::with_capacity(length.min(of.max_bytes));
    let mut body = body.into_data_stream();
    let mut pace = Pace::default();
    while let Some(chunk) = pace.next(&mut body).await? {
        if received.len() + chunk.len() > of.max_bytes {
            return Err(of.too_large());
        }
        received.extend_from_slice(&chunk);
    }
    Ok(received.freeze())
}

fn no_room() -> Error {
    Error::new(Code::Overloaded, "too many bodies arrive at once; try again shortly")
}
