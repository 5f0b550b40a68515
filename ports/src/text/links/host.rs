//! Host names: the same text for each way of writing one, and the site that a host belongs to.

use std::net::{IpAddr, Ipv4Addr};

use url::Host;

/// The length of the longest host name in DNS, and of its longest label.
pub(super) const MAX_HOST: usize = 253;
const MAX_LABEL: usize = 63;

/// A host as browsers read it: percent-encoding and look-alike forms undone, punycode decoded, addresses in their usual
/// form; without `www.` and a last dot. `None` for what is no host.
pub(super) fn read(written: &str) -> Option<String> {
    let host = match Host::parse(written).ok()? {
        Host::Domain(ascii) => without_www(&decoded(&ascii)).to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    };
    (host.contains(['.', ':']) && host.len() <= 4 * MAX_HOST).then_some(host)
}

/// Like [`read`], for a word that stands in text, with `www.`: numbers with dots are an address only if they are four.
pub(super) fn read_bare(word: &str) -> Option<String> {
    if !word.contains('.') || word.chars().count() > MAX_HOST {
        return None;
    }
    if ends_in_number(word) {
        return word.parse::<Ipv4Addr>().ok().map(|address| address.to_string());
    }
    if is_decoded(word) {
        return Some(word.to_owned());
    }
    match Host::parse(word).ok()? {
        Host::Domain(ascii) => Some(decoded(&ascii)),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(_) => None,
    }
}

/// A host name without `www.`, unless that is the name.
pub(super) fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host)
}

fn decoded(ascii: &str) -> String {
    let name = ascii.strip_suffix('.').unwrap_or(ascii);
    if is_decoded(name) { name.to_owned() } else { idna::domain_to_unicode(name).0 }
}

fn is_decoded(name: &str) -> bool {
    name.is_ascii() && !name.contains("xn--")
}

fn ends_in_number(host: &str) -> bool {
    host.rsplit('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a host can exist.
pub(super) fn is_valid(host: &str) -> bool {
    host.parse::<IpAddr>().is_ok()
        || !ends_in_number(host)
            && host.split('.').all(|label| !label.is_empty() && label.chars().count() <= MAX_LABEL)
}

/// The domain that was registered for a host, as `example.co.uk` for `shop.example.co.uk`: a host with the same one
/// belongs to the same people. An address, or a host under which anybody can have a name, is its own.
pub fn site(host: &str) -> &str {
    if host.parse::<IpAddr>().is_ok() { host } else { psl::domain_str(host).unwrap_or(host) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_of_a_host_is_what_somebody_registered() {
        for (host, registered) in [
            ("store.steampowered.com", "steampowered.com"),
            ("a.b.example.co.uk", "example.co.uk"),
            ("somebody.github.io", "somebody.github.io"),
            ("abc.onion", "abc.onion"),
            ("185.12.3.4", "185.12.3.4"),
            ("co.uk", "co.uk"),
            ("a.evil.internal", "evil.internal"),
        ] {
            assert_eq!(site(host), registered, "{host}");
        }
    }
}
