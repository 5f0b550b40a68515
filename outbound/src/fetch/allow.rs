//! What an operator lets image URLs reach although it is not public. Resolves nothing.

use std::net::IpAddr;

use ipnet::IpNet;
use url::Host;

use super::address;
use domain::{Error, Result};

/// Hosts and networks beside the public internet.
#[derive(Clone, Debug, Default)]
pub(super) struct AllowList {
    networks: Vec<IpNet>,
    names: Vec<String>,
    /// Each with its dot in front, such as `.corp.example`.
    endings: Vec<String>,
}

impl AllowList {
    /// Reads a list separated by commas or spaces: addresses, networks, names, and `*.` before a name for all below it.
    ///
    /// # Errors
    /// An entry that is none of these.
    pub(super) fn parse(list: &str) -> Result<Self> {
        let mut allow = Self::default();
        for entry in list.split([',', ' ', '\t', '\r', '\n']).filter(|entry| !entry.is_empty()) {
            let plain = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
            if let Ok(network) = plain.parse::<IpNet>() {
                allow.networks.push(network);
            } else if let Ok(address) = plain.parse::<IpAddr>() {
                allow.networks.push(address.into());
            } else {
                let (list, name) = match entry.strip_prefix("*.") {
                    Some(rest) => (&mut allow.endings, name(rest).map(|name| format!(".{name}"))),
                    None => (&mut allow.names, name(entry)),
                };
                list.push(name.ok_or_else(|| {
                    let message =
                        format!("holds `{entry}`, which is no address, network, name, or *. and a name");
                    Error::invalid("fetch_allow", message)
                })?);
            }
        }
        Ok(allow)
    }

    /// Whether connections to an address may be made, whatever name led to it.
    pub(super) fn address(&self, address: IpAddr) -> bool {
        address::is_public(address) || self.networks.iter().any(|network| network.contains(&address))
    }

    /// Whether a name, as in a parsed URL, may lead to any address.
    pub(super) fn name(&self, name: &str) -> bool {
        let name = name.strip_suffix('.').unwrap_or(name);
        self.names.iter().any(|allowed| allowed == name)
            || self.endings.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending.as_str()))
    }
}

/// A name as URLs have it: lower case, punycode, without a dot at its end.
fn name(text: &str) -> Option<String> {
    match Host::parse(text.strip_suffix('.').unwrap_or(text)) {
        Ok(Host::Domain(name)) if !name.contains('*') && !name.is_empty() => Some(name),
        _ => None,
    }
}
