//! The operator's allow list of private hosts and networks.

use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

use super::{address, refusal::Refusal};
use domain::{Error, Result};

/// Hosts and networks that may be reached in addition to the public internet.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowList {
    networks: Vec<IpNet>,
    names: Vec<String>,
    /// Suffixes with a leading dot, such as `.corp.example`.
    endings: Vec<String>,
}

impl AllowList {
    /// Parses a list of addresses, networks, names, and `*.` with a name for all its subdomains, separated by commas or
    /// spaces. `setting` is the name of the setting.
    ///
    /// # Errors
    /// If an entry is none of these.
    pub(crate) fn parse(setting: &str, list: &str) -> Result<Self> {
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
                        format!("holds `{entry}`, which is not an address, a network, a name or `*.name`");
                    Error::invalid(setting, message)
                })?);
            }
        }
        Ok(allow)
    }

    /// Checks a URL without resolving its host. `Url` has parsed addresses of any notation.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Refusal> {
        if !["http", "https"].contains(&url.scheme()) {
            return Err(Refusal::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Credentials);
        }
        let may = match url.host().ok_or(Refusal::Malformed)? {
            Host::Ipv4(address) => self.address(address.into()),
            Host::Ipv6(address) => self.address(address.into()),
            // Checked when it is resolved.
            Host::Domain(_) => true,
        };
        if may { Ok(()) } else { Err(Refusal::NotPublic) }
    }

    /// Whether the operator has listed the host of a URL.
    pub(crate) fn lists(&self, url: &Url) -> bool {
        match url.host() {
            Some(Host::Ipv4(address)) => self.lists_address(address.into()),
            Some(Host::Ipv6(address)) => self.lists_address(address.into()),
            Some(Host::Domain(name)) => self.name(name),
            None => false,
        }
    }

    /// Whether an address may be connected to, whatever its name.
    pub(super) fn address(&self, address: IpAddr) -> bool {
        address::is_public(address) || self.lists_address(address)
    }

    fn lists_address(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(&address))
    }

    /// Whether a name, as in a parsed URL, may resolve to any address.
    pub(super) fn name(&self, name: &str) -> bool {
        let name = name.strip_suffix('.').unwrap_or(name);
        self.names.iter().any(|allowed| allowed == name)
            || self.endings.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending.as_str()))
    }
}

/// Normalises a name as in URLs: lower case, punycode, without a trailing dot.
fn name(text: &str) -> Option<String> {
    match Host::parse(text.strip_suffix('.').unwrap_or(text)) {
        Ok(Host::Domain(name)) if !name.contains('*') && !name.is_empty() => Some(name),
        _ => None,
    }
}
