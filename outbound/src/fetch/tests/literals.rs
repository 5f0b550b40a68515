//! Address literals in every notation of URLs, checked without a network.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
    time::Duration,
};

use proptest::prelude::*;
use url::Host;

use super::super::{FetchSettings, Fetcher};
use crate::egress::is_public;
use domain::{Code, operations::moderation::image::ImageFetcher as _};

/// Private addresses, which must be refused before anything is sent.
const REFUSED: &[&str] = &[
    // Loopback, in every base and length.
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "HTTP://127.0.0.1:22/",
    "http://127.0.0.1./",
    "http://127.0.1/",
    "http://127.1/",
    "http://127.1./",
    "http://127.255.255.254/",
    "http://2130706433/",
    "http://2130706433./",
    "http://0x7f000001/",
    "http://0X7F000001/",
    "http://0x7f.0.0.1/",
    "http://0x7f.1/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://0x000000007f.1/",
    "http://0177.0.0.1/",
    "http://0177.1/",
    "http://017700000001/",
    "http://00000000000000000177.0.0.01/",
    "http://0177.0x0.0.1/",
    "http://127.0x1/",
    "http://127.00000001/",
    // Unicode letters that are mapped to digits and dots.
    "http://１２７.０.０.１/",
    "http://127。0。0。1/",
    "http://127．0．0．1/",
    "http://127｡0｡0｡1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/",
    "http://１２７。１/",
    "http://0ｘ7f.1/",
    "http://%31%32%37.0.0.1/",
    "http://127%2e0%2e0%2e1/",
    "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/",
    "http://127.0.0.1%2e/",
    "http://127.\u{ad}0.0.1/",
    "http://127.0.0\u{200b}.1/",
    // After something that looks like another host, and with separators that browsers accept.
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http://127.0.0.1\\@example.com/",
    "http://127.0.0.1/@example.com/",
    "http:127.0.0.1/",
    "http:/127.0.0.1/",
    "http:///127.0.0.1/",
    "http:////127.0.0.1/",
    "http:\\\\127.0.0.1\\",
    " http://127.0.0.1/ ",
    "\thttp://127.0.0.1/",
    "ht\ntp://127.0.0.1/",
    "http://127.0.\r\n0.1/",
    // Other networks of this machine and its neighbours.
    "http://0/",
    "http://0.0.0.0/",
    "http://0.0.0.0:8080/",
    "http://0x0/",
    "http://00.00/",
    "http://0.1.2.3/",
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://10.1/",
    "http://167772161/",
    "http://0xa.1/",
    "http://012.0.0.1/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://192.168.257/",
    "http://3232235521/",
    "http://0xc0.0xa8.1.1/",
    "http://0300.0250.1.1/",
    "http://192.0.0.8/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://198.51.100.7/",
    "http://203.0.113.7/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://4294967295/",
    // Metadata of clouds.
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://169.16689662/",
    "http://169.254.170.2/v2/credentials",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://168.63.129.16/",
    "http://[fd00:ec2::254]/",
    "http://[fd20:ce::254]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/",
    // IPv6.
    "http://[::1]/",
    "http://[::1]:8080/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "http://[::0001]/",
    "http://[::0.0.0.1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::FFFF:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:7f00:0001]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::127.0.0.1]/",
    "http://[::7f00:1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::ffff:0:7f00:1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::10.0.0.1]/",
    "http://[64:ff9b:1:fffe::a00:1]/",
    "http://[2002:7f00:1::1]/",
    "http://[2001::1]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:2::1]/",
    "http://[2001:10::1]/",
    "http://[2001:20::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[5f00::1]/",
    "http://[100::1]/",
    "http://[fc00::1]/",
    "http://[fdff:ffff::1]/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[ff0e::1]/",
    "http://[4000::1]/",
];

/// Public addresses.
const PUBLIC: &[&str] = &[
    "1.1.1.1",
    "8.8.8.8",
    "134744072",
    "0x08080808",
    "010.8.8.8",
    "８.８.８.８",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "203.0.112.255",
    "223.255.255.255",
    "[2001:200::1]",
    "[2001:4860:4860::8888]",
    "[2003::1]",
    "[2606:4700:4700::1111]",
    "[2a00:1450::1]",
    "[3ffd::1]",
    "[3fff:1000::1]",
];

/// URLs that are refused for any host.
const MALFORMED: &[&str] = &[
    "",
    " ",
    "picture.jpg",
    "/picture.jpg",
    "//example.com/picture.jpg",
    "http",
    "http:",
    "http://",
    "http:///",
    "https://?q",
    "http://[::1",
    "http://[::1]x/",
    "http://[gg::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[::1%251]/",
    "http://1.2.3.4.5/",
    "http://256.256.256.256/",
    "http://4294967296/",
    "http://0x1ffffffff/",
    "http://example.com:99999/",
    "http://example.com:port/",
    "http://exa mple.com/",
    "http://exa<mple.com/",
    "http://exam%00ple.com/",
    "file:///etc/passwd",
    "ftp://example.com/picture.jpg",
    "gopher://example.com/",
    "dict://example.com:11211/stats",
    "ws://example.com/",
    "javascript:alert(1)",
    "data:image/png;base64,iVBORw0KGgo=",
    "http://user:password@example.com/picture.jpg",
    "http://example.com:80@127.0.0.1/",
    "http://example.com@127.0.0.1/",
];

fn fetcher(allow: &str) -> Fetcher {
    let settings = FetchSettings {
        allow: allow.to_owned(),
        name_servers: String::new(),
        timeout: Duration::from_secs(10),
        max_bytes: 1 << 20,
    };
    Fetcher::new(settings).unwrap()
}

#[test]
fn a_private_address_is_refused_in_every_notation() {
    for url in REFUSED {
        let error = STRICT.parse("image_url", url).expect_err(url);
        assert_eq!(error.code, Code::InvalidImage, "{url}");
        assert!(error.message.starts_with("image_url must name a public host"), "{url}: {}", error.message);
    }
}

#[test]
fn public_addresses_are_allowed() {
    for host in PUBLIC {
        for url in [format!("http://{host}/"), format!("https://{host}:8443/a.png?b=c#d")] {
            assert!(STRICT.parse("image_url", &url).is_ok(), "{url}");
        }
    }
}

#[test]
fn malformed_urls_are_refused() {
    for url in MALFORMED {
        assert_eq!(STRICT.parse("image_url", url).expect_err(url).code, Code::InvalidImage, "{url}");
    }
    let long = format!("https://example.com/{}", "a".repeat(8192));
    assert_eq!(
        STRICT.parse("image_url", &long).unwrap_err().message,
        "image_url must have at most 8192 bytes"
    );
}

#[test]
fn only_the_listed_private_addresses_are_allowed() {
    let fetcher = fetcher("127.0.0.1, 10.1.0.0/16 [::1]\n2001:db8::/32,images.internal,*.corp.example");
    for host in ["127.0.0.1:8080", "2130706433", "10.1.255.255", "[::1]", "[2001:db8::7]"] {
        assert!(fetcher.parse("image_url", &format!("http://{host}/")).is_ok(), "{host}");
    }
    for host in
        ["127.0.0.2", "10.2.0.0", "[::2]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2001:db9::7]x"]
    {
        assert!(fetcher.parse("image_url", &format!("http://{host}/")).is_err(), "{host}");
    }
}

#[test]
fn an_allow_list_that_cannot_be_parsed_is_refused() {
    for list in
        ["10.0.0.0/33", "10.0.0.0/", "http://a", "a:80", "*", "*.", "a.*.b", "127.0.0.1;::1", "300.1.1.1"]
    {
        let settings = FetchSettings {
            allow: list.to_owned(),
            name_servers: String::new(),
            timeout: Duration::from_secs(1),
            max_bytes: 1,
        };
        let error = Fetcher::new(settings).err().unwrap_or_else(|| panic!("{list} was accepted"));
        assert!(error.message.starts_with("fetch_allow holds"), "{}", error.message);
    }
    for list in ["", " , ", "10.0.0.1/8", "::/0", "Images.Internal.", "*.bücher.example"] {
        fetcher(list);
    }
}

/// A fetcher without an allow list.
static STRICT: LazyLock<Fetcher> = LazyLock::new(|| fetcher(""));

/// An IPv4 address, mostly a private one.
fn v4() -> impl Strategy<Value = Ipv4Addr> {
    let heads = prop::sample::select(vec![0_u8, 10, 100, 127, 169, 172, 192, 198, 203, 224, 255]);
    prop_oneof![
        any::<u32>().prop_map(Ipv4Addr::from),
        (heads, any::<[u8; 3]>()).prop_map(|(head, [b, c, d])| Ipv4Addr::new(head, b, c, d)),
    ]
}

/// One number of an address, in one of several bases and with leading zeros.
fn part(value: u32, base: u8) -> String {
    match base % 5 {
        0 => format!("{value}"),
        1 => format!("0x{value:x}"),
        2 => format!("0X000{value:X}"),
        3 => format!("0{value:o}"),
        _ => format!("000{value:o}"),
    }
}

/// An address as one to four numbers, each in one of several bases.
fn spelt(address: Ipv4Addr, parts: u8, bases: [u8; 4]) -> String {
    let [a, b, c, _] = address.octets().map(u32::from);
    let whole = u32::from(address);
    let numbers = match parts % 4 {
        0 => vec![whole],
        1 => vec![a, whole & 0xff_ffff],
        2 => vec![a, b, whole & 0xffff],
        _ => vec![a, b, c, whole & 0xff],
    };
    let parts: Vec<String> =
        numbers.into_iter().zip(bases).map(|(number, base)| part(number, base)).collect();
    parts.join(".")
}

/// The IPv6 addresses that embed an IPv4 address.
fn embedded(address: Ipv4Addr, form: u8) -> Ipv6Addr {
    let low = u128::from(u32::from(address));
    Ipv6Addr::from(match form % 7 {
        0 => low,
        1 => 0xffff << 32 | low,
        2 => 0xffff << 48 | low,
        3 => 0x0064_ff9b << 96 | low,
        4 => 0x0064_ff9b_0001 << 80 | low,
        5 => 0x2002 << 112 | low << 80,
        _ => 0x2001_0000 << 96 | (low ^ 0xffff_ffff),
    })
}

proptest! {
    #[test]
    fn an_ipv4_address_is_judged_alike_in_every_notation(
        address in v4(), parts: u8, bases: [u8; 4], dot: bool,
    ) {
        let host = spelt(address, parts, bases);
        let url = format!("http://{host}{}/", if dot { "." } else { "" });
        let parsed = STRICT.parse("image_url", &url);
        prop_assert_eq!(parsed.is_ok(), is_public(IpAddr::V4(address)), "{} is {}", url, address);
    }

    #[test]
    fn an_ipv4_address_embedded_in_an_ipv6_address_is_refused(address in v4(), form: u8) {
        let inner = embedded(address, form);
        for host in [format!("{inner}"), inner.segments().map(|part| format!("{part:04X}")).join(":")] {
            let url = format!("http://[{host}]/");
            prop_assert!(STRICT.parse("image_url", &url).is_err(), "{url}");
        }
    }

    #[test]
    fn an_ipv6_address_is_judged_alike_in_every_notation(bits: u128, head: u8) {
        let heads = [0x2000, 0x2001, 0x2002, 0xfc00, 0xfe80, 0xff00, 0x0000];
        let high = heads[usize::from(head) % heads.len()];
        let address = Ipv6Addr::from(bits >> 16 | high << 112);
        let full = address.segments().map(|part| format!("{part:04X}")).join(":");
        for url in [format!("http://[{address}]/"), format!("https://[{full}]:81/")] {
            let parsed = STRICT.parse("image_url", &url);
            prop_assert_eq!(parsed.is_ok(), is_public(IpAddr::V6(address)), "{}", url);
        }
    }

    #[test]
    fn arbitrary_input_never_panics_and_only_public_addresses_pass(
        url in r"\PC{0,40}", host in r"[0-9a-fxA-FX.:\[\]%@/\\#?１。]{0,24}",
    ) {
        for url in [url, format!("http://{host}/"), format!("http:{host}")] {
            if let Ok(url) = STRICT.parse("image_url", &url) {
                match url.host() {
                    Some(Host::Domain(name)) => prop_assert!(name.parse::<IpAddr>().is_err(), "{url}"),
                    Some(Host::Ipv4(address)) => prop_assert!(is_public(address.into()), "{url}"),
                    Some(Host::Ipv6(address)) => prop_assert!(is_public(address.into()), "{url}"),
                    None => prop_assert!(false, "{url}"),
                }
            }
        }
    }
}
