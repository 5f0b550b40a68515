//! The domains that people list.

use std::net::IpAddr;

use super::{endings, find::find_with, host};

/// Reads an entry of a list of domains, in any form in which a message may contain it: `evil.com`, `https://evil.com`,
/// `evil[.]com`, `xn--…`. `*.evil.com` and `.evil.com` are `evil.com`. `.onion` is every name with this ending.
pub fn parse_listed(entry: &str) -> Option<String> {
    let entry = entry.trim();
    let name = entry.strip_prefix('*').unwrap_or(entry);
    if let Some(ending) = name.strip_prefix('.')
        && !ending.contains(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'])
    {
        let read = host::read(&format!("x.{ending}"))?;
        let ending = read.strip_prefix("x.")?;
        return endings::is_known(&read).then(|| ending.to_owned());
    }
    let name = name.trim_start_matches('.');
    if let Ok(address) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Some(address.to_string());
    }
    let links = find_with(name, &|_| true);
    let [link] = links.as_slice() else { return None };
    let whole = link.start == 0 && link.end == name.len() && matches!(link.path.as_str(), "" | "/");
    (whole && !link.email && !link.userinfo && host::is_valid(&link.host)).then(|| link.host.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_listed_domain_in_every_form() {
        for (entry, host) in [
            ("t.me", "t.me"),
            ("wa.me", "wa.me"),
            ("grabify.link", "grabify.link"),
            ("evil.net", "evil.net"),
            ("evil.live", "evil.live"),
            ("evil.internal", "evil.internal"),
            (".onion", "onion"),
            ("*.onion", "onion"),
            (".рф", "рф"),
            (".xn--p1ai", "рф"),
            ("*.evil.com", "evil.com"),
            (".evil.com", "evil.com"),
            (" https://WWW.Evil.com/ ", "evil.com"),
            ("hxxps://evil[.]com", "evil.com"),
            ("evil。com", "evil.com"),
            ("ｅｖｉｌ．ｃｏｍ", "evil.com"),
            ("xn--dscord-4ya.com", "ds\u{fc}cord.com"),
            ("185.12.3.4", "185.12.3.4"),
            ("http://0xb9.12.3.4", "185.12.3.4"),
            ("2001:DB8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("evil_site.com", "evil_site.com"),
            ("co.uk", "co.uk"),
        ] {
            assert_eq!(parse_listed(entry).as_deref(), Some(host), "{entry}");
        }
    }

    #[test]
    fn refuses_what_is_no_domain() {
        for entry in [
            "",
            ".",
            "*",
            "*.",
            "evil",
            "localhost",
            ".notanending",
            "evil.com/path",
            "a@evil.com",
            "a b.com",
            "https://a@evil.com",
            "evil.com evil.net",
            "evil.com, ",
            "not a domain",
            "1.2.3",
            "evil..com",
            "evil.com?",
        ] {
            assert_eq!(parse_listed(entry), None, "{entry}");
        }
        assert_eq!(parse_listed(&format!("{}.com", "a".repeat(64))), None);
    }
}
