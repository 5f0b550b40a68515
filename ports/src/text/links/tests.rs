//! What is a link, and what is none.

use proptest::prelude::*;

use super::{find, find_with};

fn hosts(content: &str) -> Vec<String> {
    find(content).into_iter().filter(|link| !link.email).map(|link| link.host).collect()
}

#[test]
fn finds_links_in_every_dress() {
    for (content, host) in [
        ("see https://www.Example.com/a?b=c.", "example.com"),
        ("dlscord-gift.com/nitro free!", "dlscord-gift.com"),
        ("go to steamcommunlty.ru now", "steamcommunlty.ru"),
        ("discorcl.lat/x", "discorcl.lat"),
        ("_evil.com_ or ~~evil.top~~", "evil.com"),
        ("so...evil.com", "evil.com"),
        ("evil.live:8080/x", "evil.live"),
        ("evil.com./x", "evil.com"),
        ("(https://a.example.org:8443/x)", "a.example.org"),
        ("https://discord.com@evil.example/login", "evil.example"),
        ("https://evil.example,@bob", "evil.example"),
        ("discord.com@evil.top/login", "evil.top"),
        ("[https://discord.com/gift](https://gift.evil.top/x)", "discord.com"),
        ("https://xn--dscord-4ya.com", "ds\u{fc}cord.com"),
        ("http://185.12.3.4/login", "185.12.3.4"),
        ("http://3104572164/login", "185.12.3.4"),
        ("http://0xb9.12.772/login", "185.12.3.4"),
        ("http://[2001:DB8:0::1]:8080/x", "2001:db8::1"),
        ("abcdefgh2345abcd.onion", "abcdefgh2345abcd.onion"),
        ("президент.рф", "президент.рф"),
        ("see www.evil.net and www.statistik.at", "evil.net"),
        ("bbc.co.uk", "bbc.co.uk"),
        ("somebody.github.io", "somebody.github.io"),
        ("//evil.com/x", "evil.com"),
        ("ftp://files.evil.com/x", "files.evil.com"),
    ] {
        assert_eq!(hosts(content).first().map(String::as_str), Some(host), "{content}");
    }
}

#[test]
fn a_host_is_the_same_in_every_disguise() {
    for content in [
        "https://www.evil.com",
        "https:\\\\evil.com",
        "https:/evil.com",
        "https:////evil.com",
        "hxxps://evil[.]com",
        "hxxps[:]//evil[dot]com",
        "hxxp[://]evil{.}com",
        "https://%65vil.com",
        "https://ev%69l%2Ecom",
        "https://bank.com%2f@evil.com",
        "ｈｔｔｐｓ：／／ｅｖｉｌ．ｃｏｍ",
        "𝐡𝐭𝐭𝐩𝐬://𝐞𝐯𝐢𝐥.𝐜𝐨𝐦",
        "ⓔⓥⓘⓛ.ⓒⓞⓜ",
        "EVIL．COM",
        "evil\u{3002}com",
        "evil\u{2024}com",
        "e\u{200b}vil.c\u{ad}om",
        "evil[.]com",
        "evil(.)com",
        "evil(dot)com",
        "evil [DOT] com",
        "evil [.] com",
        "evil[ . ]com",
        "look at evil dot com",
        "evil.com.",
    ] {
        assert_eq!(hosts(content), ["evil.com"], "{content}");
    }
}

#[test]
fn a_slash_of_another_kind_ends_no_host() {
    assert_eq!(hosts("https://discord.com\u{2044}nitro.evil.com"), ["discord.com\u{2044}nitro.evil.com"]);
}

#[test]
fn the_path_may_be_said_too() {
    let links = find("join discord dot gg slash abc now");
    assert_eq!((links[0].host.as_str(), links[0].path.as_str()), ("discord.gg", "/abc"));
    assert!(links[0].defanged && links[0].end == "join discord dot gg slash abc".len());
}

#[test]
fn leaves_code_and_prose_alone() {
    for content in [
        "main.py calls file.rs, see README.md",
        "foo.bar() and self.id and console.log(x)",
        "version 1.2.3 or 10.0.0.1",
        "e.g. this, i.e. that... and so.on",
        "src/main.rs/x and /etc/app.conf",
        "std::net and a.b.c",
        "node.js vs asp.net core",
        "it works.me too. he is done.it was",
        "real quick.Im not gonna lie, a pleasant isle.Irish people",
        "what is it.me?",
        "connect the dot in red, the polka dot shoes",
        "the dot com bubble, a dot com startup, some dot org",
        "bleed dot gg, use the dot product",
        "evil,com and evil com and evil .com",
        "a[.] b (.) c [dot] d",
        "I like it.apple is fine.you too.now go",
        "point.map, row.data, window.open, x.select, main[.]rs",
        "今天很好。公司 我在。com",
        "see a//b.com and C:\\evil.com @evil.com #evil.com",
        "http:// https:// dot dot dot",
    ] {
        assert_eq!(hosts(content), Vec::<String>::new(), "{content}");
    }
}

#[test]
fn a_listed_host_is_a_link_wherever_it_stands() {
    for content in [
        "evil.live",
        "go to evil.live now",
        "x=evil.live",
        "@evil.live",
        "evil dot live",
        "ＥＶＩＬ．live",
        "and/evil.live",
    ] {
        assert_eq!(hosts(content), Vec::<String>::new(), "{content}");
        let links = find_with(content, &|host| host == "evil.live");
        assert_eq!(links.len(), 1, "{content}");
        assert_eq!(links[0].host, "evil.live", "{content}");
    }
    assert_eq!(find_with("bob@evil.live", &|_| true).iter().filter(|link| !link.email).count(), 0);
}

#[test]
fn keeps_positions_and_dress() {
    let content = "é [login](https://evil.top/a) bob@mail.com";
    let links = find(content);
    assert_eq!(&content[links[0].host_start..links[0].host_end], "evil.top");
    assert_eq!(&content[links[0].start..links[0].end], "https://evil.top/a");
    let shown = links[0].masked_by.clone().expect("masked");
    assert_eq!(&content[shown], "login");
    assert!(links[1].email);
    assert_eq!(&content[links[1].start..links[1].end], "bob@mail.com");
}

/// A part of a link, of its disguises or of other text, repeated.
fn part() -> impl Strategy<Value = String> {
    let parts = vec![
        "http", "hxxps", "meow", "://", ":\\\\", "//", "www.", "evil", ".com", "[.]", "(.}", "[", "](", ")",
        "@", ":80", "/", "?", "#", "xn--", "1.2.3.4", " ", "-", "_", "é", "ẞ", "İ", "\u{200b}", "\u{3002}",
        "𝐚", "杀", "ｃ", "．", "%65", "%", " dot ", "dot", " slash ", "(dot)", " [.] ", "[:", "::1]", "..",
        "~", "\u{2044}",
    ];
    (prop::sample::select(parts), prop_oneof![6 => 1_usize..3, 1 => 60_usize..70, 1 => 250_usize..260])
        .prop_map(|(part, times)| part.repeat(times))
}

proptest! {
    #[test]
    fn every_position_is_in_the_text_and_between_characters(parts in prop::collection::vec(part(), 0..16)) {
        let content = parts.concat();
        for is_listed in [false, true] {
            let mut before = 0;
            for link in find_with(&content, &|_| is_listed) {
                let spans = [link.start..link.end, link.host_start..link.host_end];
                for span in spans.into_iter().chain(link.masked_by) {
                    prop_assert!(content.get(span.clone()).is_some(), "{span:?} of {content}");
                }
                prop_assert!(link.start <= link.host_start && link.host_end <= link.end, "{content}");
                prop_assert!(before <= link.start, "links overlap: {content}");
                before = link.end;
            }
        }
    }

    #[test]
    fn a_link_is_found_in_any_mixture_of_disguises(
        letters in prop::collection::vec(0_usize..4, 8),
        scheme in prop::sample::select(vec!["https://", "hxxp://", "https:\\\\", "http:/", "meow://a@"]),
        dot in prop::sample::select(vec![".", "[.]", "(dot)", "\u{3002}", "．", "%2E", "[ . ]"]),
    ) {
        let mut name = String::new();
        for (char, form) in "discordy".chars().zip(letters) {
            match form {
                0 => name.push(char),
                1 => name.push(char.to_ascii_uppercase()),
                2 => name.push_str(&format!("%{:02x}", char as u8)),
                _ => name.extend(char::from_u32(u32::from(char) - 0x61 + 0xff41)),
            }
        }
        prop_assert_eq!(hosts(&format!("so {scheme}{name}{dot}com/x")), ["discordy.com"]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_long_text_is_read_in_linear_time(part in part(), other in part()) {
        let unit = format!("{part}{other}");
        let content = unit.repeat(1 + 100_000 / unit.len());
        let start = std::time::Instant::now();
        find_with(&content, &|_| false);
        prop_assert!(start.elapsed().as_secs() < 5, "{unit}");
    }
}
