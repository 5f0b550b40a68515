//! Networks of clients, by which limits on strangers are counted.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

/// The network of a client's address: the IPv4 address itself, or the /64 of an IPv6 address, which belongs to one
/// subscriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let prefix = u128::from(address) & !u128::from(u64::MAX);
                Self(IpAddr::V6(Ipv6Addr::from(prefix)))
            }
            address => Self(address),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, if self.0.is_ipv4() { 32 } else { 64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_network_has_64_bits() {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7/32"),
            ("::ffff:192.0.2.7", "192.0.2.7/32"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ] {
            assert_eq!(Network::from(address.parse::<IpAddr>().unwrap()).to_string(), network);
        }
    }
}
