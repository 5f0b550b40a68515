//! The connections that may be open: in all, and of one network. When no more may be, the one that has been idle for
//! longest is closed for a new one, first of the network that has most.

use std::{net::SocketAddr, sync::Arc};

use domain::foundation::network::Network;
use ipnet::IpNet;

use crate::evicting_slots::{EvictableSlot, EvictingSlots};

/// The places of one listener.
pub(crate) struct Connections {
    places: EvictingSlots<Holder>,
    per_network: usize,
    trusted_proxies: Arc<[IpNet]>,
}

/// The place of one connection.
pub(crate) type Place = EvictableSlot<Holder>;

/// Who has a place.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    Network(Network),
    /// A connection of a trusted proxy stands for itself: its other clients must not suffer for one.
    Proxied(SocketAddr),
}

impl Connections {
    pub(crate) fn new(total: usize, per_network: usize, trusted_proxies: Arc<[IpNet]>) -> Self {
        Self { places: EvictingSlots::new(total), per_network, trusted_proxies }
    }

    /// Waits for a place while requests are under way on all connections; `None` when they are on all that the peer's
    /// network may have.
    pub(crate) async fn admit(&self, peer: SocketAddr) -> Option<Place> {
        let holder = self.holder(peer);
        let share_taken =
            matches!(holder, Holder::Network(_)) && self.places.held(&holder) >= self.per_network;
        if share_taken && !self.places.evict_idlest_of(&holder) {
            return None;
        }
        loop {
            if let Some(place) = self.places.try_take(holder.clone(), 1) {
                return Some(place);
            }
            if !self.places.evict_idlest_of(&holder) {
                self.places.room().await;
            }
        }
    }

    fn holder(&self, peer: SocketAddr) -> Holder {
        let address = peer.ip().to_canonical();
        match self.trusted_proxies.iter().any(|proxies| proxies.contains(&address)) {
            true => Holder::Proxied(peer),
            false => Holder::Network(Network::from(address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn admit(connections: &Connections, peer: &str) -> Option<Place> {
        connections.admit(peer.parse().unwrap()).now_or_never().expect("no wait")
    }

    fn is_closed(place: &Place) -> bool {
        place.evicted().now_or_never().is_some()
    }

    #[test]
    fn a_network_has_a_share_and_a_proxy_has_none() {
        let connections = Connections::new(8, 2, Arc::new(["10.0.0.1/32".parse().unwrap()]));
        let first = admit(&connections, "192.0.2.1:1").unwrap();
        let second = admit(&connections, "192.0.2.1:2").unwrap();
        first.begin_use();
        let third = admit(&connections, "192.0.2.1:3").unwrap();
        assert!(is_closed(&second) && !is_closed(&first));
        third.begin_use();
        assert!(admit(&connections, "192.0.2.1:4").is_none(), "both are in use");
        let proxied: Vec<_> = (1..=6).map(|port| admit(&connections, &format!("10.0.0.1:{port}"))).collect();
        assert!(proxied.iter().all(Option::is_some));
    }

    #[test]
    fn a_full_table_closes_connections_of_the_largest_network_before_those_of_a_proxy() {
        let connections = Connections::new(4, 4, Arc::new(["10.0.0.1/32".parse().unwrap()]));
        let proxied: Vec<_> =
            (1..=2).map(|port| admit(&connections, &format!("10.0.0.1:{port}")).unwrap()).collect();
        let own: Vec<_> =
            (1..=2).map(|port| admit(&connections, &format!("192.0.2.1:{port}")).unwrap()).collect();
        let _new = admit(&connections, "10.0.0.1:3").unwrap();
        assert!(is_closed(&own[0]) && !is_closed(&own[1]) && !proxied.iter().any(is_closed));
        // Now that all are equal, the one that has been idle for longest goes.
        let _newest = admit(&connections, "198.51.100.1:1").unwrap();
        assert!(is_closed(&proxied[0]) && !is_closed(&proxied[1]) && !is_closed(&own[1]));
    }

    #[test]
    fn a_new_connection_waits_while_all_are_in_use() {
        let connections = Connections::new(1, 1, Arc::new([]));
        let only = admit(&connections, "192.0.2.1:1").unwrap();
        only.begin_use();
        let mut waiting = Box::pin(connections.admit("192.0.2.2:1".parse().unwrap()));
        assert!(waiting.as_mut().now_or_never().is_none());
        only.end_use();
        assert!(waiting.as_mut().now_or_never().flatten().is_some() && is_closed(&only));
    }
}
