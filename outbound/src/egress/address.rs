//! Decides which IP addresses are on the public internet.

use std::{net::IpAddr, sync::LazyLock};

use ipnet::IpNet;

/// Networks that are not public: the IANA special-purpose address registries (RFC 6890 and its successors), and a
/// cloud's metadata address that lies outside them.
const NOT_PUBLIC: [&str; 24] = [
    "0.0.0.0/8",         // this network
    "10.0.0.0/8",        // private
    "100.64.0.0/10",     // shared by carriers; Alibaba's metadata
    "127.0.0.0/8",       // loopback
    "168.63.129.16/32",  // Azure's wire server
    "169.254.0.0/16",    // link-local; metadata of most clouds
    "172.16.0.0/12",     // private
    "192.0.0.0/24",      // IETF protocols; Oracle's metadata
    "192.0.2.0/24",      // documentation
    "192.31.196.0/24",   // AS112
    "192.52.193.0/24",   // AMT relays
    "192.88.99.0/24",    // 6to4 relays
    "192.168.0.0/16",    // private
    "192.175.48.0/24",   // AS112
    "198.18.0.0/15",     // benchmarks
    "198.51.100.0/24",   // documentation
    "203.0.113.0/24",    // documentation
    "224.0.0.0/3",       // multicast, reserved, broadcast
    "2001::/23",         // IETF protocols: Teredo, benchmarks, ORCHID
    "2001:db8::/32",     // documentation
    "2002::/16",         // 6to4, which holds an IPv4 address
    "2620:4f:8000::/48", // AS112
    "3ffe::/16",         // the former 6bone
    "3fff::/20",         // documentation
];

/// Global unicast. Addresses outside it are not public: `::`, `::1`, IPv4-mapped (`::ffff:0:0/96`), IPv4-compatible
/// (`::/96`), SIIT (`::ffff:0:0:0/96`), NAT64 (`64:ff9b::/96`, `64:ff9b:1::/48`), unique local, link- and site-local,
/// multicast.
const GLOBAL_UNICAST: &str = "2000::/3";

static DENIED: LazyLock<Vec<IpNet>> = LazyLock::new(|| NOT_PUBLIC.map(network).to_vec());
static GLOBAL: LazyLock<IpNet> = LazyLock::new(|| network(GLOBAL_UNICAST));

/// Whether an address is on the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    (address.is_ipv4() || GLOBAL.contains(&address)) && !DENIED.iter().any(|denied| denied.contains(&address))
}

fn network(text: &str) -> IpNet {
    text.parse().expect("the constants are networks")
}
