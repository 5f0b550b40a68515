//! The address that a request came from: the peer of its connection or, behind trusted proxies, the one that they name
//! in `X-Forwarded-For`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::http::HeaderMap;
use domain::foundation::network::Network;
use ipnet::IpNet;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The peer of a connection; in the extensions of its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// The network of a request's client. `trusted`: the proxies whose `X-Forwarded-For` is believed.
pub(crate) fn client_network(peer: Option<&Peer>, headers: &HeaderMap, trusted: &[IpNet]) -> Network {
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    Network::from(client_address(peer, headers, trusted))
}

/// Each proxy appends the address that it was called from, so they are read from the end, up to the first that is not a
/// trusted proxy's. The client wrote what stands before that.
fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let lines = headers.get_all(FORWARDED_FOR).into_iter().map(|line| line.to_str().unwrap_or_default());
    let hops: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    let mut client = peer.to_canonical();
    let mut hops = hops.into_iter().rev();
    while trusted.iter().any(|network| network.contains(&client))
        && let Some(address) = hops.next().and_then(address)
    {
        client = address.to_canonical();
    }
    client
}

/// An address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn of(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let values = forwarded.iter().map(|value| HeaderValue::from_str(value).unwrap());
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(FORWARDED_FOR, value);
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn the_header_counts_behind_trusted_proxies_alone() {
        let proxies = &["10.0.0.0/8", "::1/128"];
        assert_eq!(of("192.0.2.1", &["198.51.100.7"], proxies), "192.0.2.1");
        assert_eq!(of("192.0.2.1", &["198.51.100.7"], &[]), "192.0.2.1");
        assert_eq!(of("10.0.0.1", &["198.51.100.7"], proxies), "198.51.100.7");
        assert_eq!(of("::ffff:10.0.0.1", &["198.51.100.7:4711"], proxies), "198.51.100.7");
        assert_eq!(of("::1", &["[2001:db8::1]:443"], proxies), "2001:db8::1");
        assert_eq!(of("::1", &["[2001:db8::1]"], proxies), "2001:db8::1");
    }

    #[test]
    fn what_the_client_wrote_itself_is_not_believed() {
        let proxies = &["10.0.0.0/8"];
        assert_eq!(of("10.0.0.1", &["203.0.113.9, 198.51.100.7, 10.0.0.2"], proxies), "198.51.100.7");
        assert_eq!(of("10.0.0.1", &["203.0.113.9", "198.51.100.7"], proxies), "198.51.100.7");
        assert_eq!(of("10.0.0.1", &["10.9.9.9, 10.0.0.2"], proxies), "10.9.9.9");
        assert_eq!(of("10.0.0.1", &["unknown"], proxies), "10.0.0.1");
        assert_eq!(of("10.0.0.1", &[], proxies), "10.0.0.1");
    }

    proptest! {
        #[test]
        fn any_header_names_a_client(lines in prop::collection::vec("[0-9a-f:.,\\[\\] %]{0,30}", 0..3)) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let client = of("10.0.0.1", &lines, &["10.0.0.0/8", "fc00::/7"]);
            prop_assert!(client.parse::<IpAddr>().is_ok(), "{client}");
        }
    }
}
