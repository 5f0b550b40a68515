//! Well-known hosts, and host names that imitate them. Short curated lists; not a blocklist.

use ports::text::links;

/// Hosts whose links are no evidence against a message, with their subdomains.
#[rustfmt::skip]
const TRUSTED: &[&str] = &[
    "discord.com", "discordapp.com", "discordapp.net", "discord.gg", "discord.gift", "discord.dev",
    "discordstatus.com", "steamcommunity.com", "steampowered.com", "steamstatic.com",
    "valvesoftware.com", "google.com", "google.dev", "youtube.com", "youtu.be", "gmail.com",
    "github.com", "githubusercontent.com", "gitlab.com", "bitbucket.org", "stackoverflow.com",
    "stackexchange.com", "superuser.com", "serverfault.com", "askubuntu.com", "wikipedia.org",
    "wikimedia.org", "twitter.com", "x.com", "reddit.com", "redd.it", "facebook.com", "instagram.com",
    "whatsapp.com", "tiktok.com", "twitch.tv", "tenor.com", "giphy.com", "imgur.com", "spotify.com",
    "soundcloud.com", "linkedin.com", "microsoft.com", "live.com", "office.com", "windows.com",
    "xbox.com", "apple.com", "icloud.com", "amazon.com", "netflix.com", "paypal.com", "roblox.com",
    "epicgames.com", "minecraft.net", "mojang.com", "ea.com", "blizzard.com", "battle.net",
    "riotgames.com", "leagueoflegends.com", "nintendo.com", "playstation.com", "telegram.org",
    "coinbase.com", "binance.com", "metamask.io", "opensea.io", "uniswap.org", "walletconnect.com",
    "trustwallet.com", "kraken.com", "phantom.app", "solana.com", "ethereum.org", "polygon.technology",
    "mozilla.org", "npmjs.com", "nodejs.org", "python.org", "pypi.org", "readthedocs.io",
    "rust-lang.org", "crates.io", "docs.rs", "golang.org", "go.dev", "kotlinlang.org", "java.com",
    "oracle.com", "clojure.org", "racket-lang.org", "ubuntu.com", "debian.org", "archlinux.org",
    "fedoraproject.org", "kernel.org", "gnu.org", "apache.org", "docker.com", "kubernetes.io",
    "cloudflare.com", "openai.com", "anthropic.com", "huggingface.co", "arxiv.org", "bbc.co.uk",
    "bbc.com", "nytimes.com", "theguardian.com", "cnn.com", "reuters.com", "medium.com", "notion.so",
    "figma.com", "slack.com", "zoom.us", "dropbox.com", "trello.com", "example.com", "example.org",
];

/// The own domains of the brands that are imitated, besides those above; trusted too. A name without a dot is a brand's
/// own ending, as in `blog.google`.
#[rustfmt::skip]
const OF_BRANDS: &[&str] = &[
    "discord.co", "discord.media", "discord.new", "discord.store", "discord.tools", "discord.design",
    "discordmerch.com", "discordcdn.com", "discord-activities.com", "discordactivities.com",
    "discordpartygames.com", "discordsez.com", "dis.gd", "bigbeans.solutions",
    "watchanimeattheoffice.com", "airhorn.solutions", "steamgames.com", "steamchina.com",
    "steam-chat.com", "steamcontent.com", "steamdeck.com", "steamserver.net", "s.team",
    "counter-strike.net", "dota2.com", "half-life.com", "teamfortress.com", "roblox.cn", "rbxcdn.com",
    "rbx.com", "paypalobjects.com", "paypal-community.com", "paypal-corp.com", "venmo.com",
    "coinbase.design", "base.org", "binance.us", "binance.org", "binance.info", "binance.vision",
    "binancefuture.com", "bnbchain.org", "coinmarketcap.com", "consensys.io", "opensea.com",
    "uniswapfoundation.org", "walletconnect.org", "walletconnect.network", "reown.com", "trustwallet.io",
    "pancakeswap.finance", "pancakeswap.com", "blockchain.com", "blockchain.info", "ledger.com",
    "ledgerwallet.com", "phantom.com", "collab.land", "telegram-cdn.org", "tdesktop.com", "telesco.pe",
    "fragment.com", "whatsapp.net", "instagram-brand.com", "cdninstagram.com", "ig.me", "instagr.am",
    "fb.com", "fb.me", "fb.watch", "fbcdn.net", "facebook.net", "facebookmail.com", "messenger.com",
    "meta.com", "threads.net", "threads.com", "microsoftonline.com", "microsoftstore.com", "msn.com",
    "bing.com", "azure.com", "skype.com", "xboxlive.com", "visualstudio.com", "office365.com",
    "outlook.com", "hotmail.com", "live.net", "skype.net", "netflix.net", "nflxvideo.net", "nflximg.net",
    "nflxso.net", "netflix.shop", "unrealengine.com", "fortnite.com", "fab.com", "easy.ac",
    "minecraftservices.com", "twitchcdn.net", "ttvnw.net", "jtvnw.net", "twitchsvc.net", "ext-twitch.tv",
    "youtube-nocookie.com", "ytimg.com", "gstatic.com", "googlevideo.com", "ggpht.com", "withgoogle.com",
    "android.com", "chrome.com", "primevideo.com", "media-amazon.com", "ssl-images-amazon.com",
    "amazon.dev", "cdn-apple.com", "mzstatic.com", "apple.news", "itunes.com", "me.com", "google",
    "youtube", "microsoft", "azure", "xbox", "netflix", "amazon", "aws", "apple",
];

/// The endings of Amazon's shops.
const AMAZON: &[&str] = &[
    "ae", "ca", "cn", "co.jp", "co.uk", "co.za", "com.au", "com.be", "com.br", "com.mx", "com.tr", "de",
    "eg", "es", "fr", "ie", "in", "it", "nl", "pl", "sa", "se", "sg",
];

/// Hosts that may use a brand's name though they are not trusted: its own that serve content of users, and well-known
/// sites about it.
#[rustfmt::skip]
const MAY_NAME_BRANDS: &[&str] = &[
    "telegram.me", "telegram.dog", "paypal.me", "discordsays.com", "discord.io", "discord.js.org",
    "discordjs.guide", "discordjs.dev", "discord.bots.gg", "fandom.com",
    "minecraft.wiki", "steamdb.info",
];

/// Parts of trusted hosts that serve user content.
const USER_CONTENT: &[&str] =
    &["sites.google.com", "docs.google.com", "forms.office.com", "script.google.com"];

/// Hosts that hide the target of a link.
#[rustfmt::skip]
const SHORTENERS: &[&str] = &[
    "bit.ly", "tinyurl.com", "t.co", "goo.gl", "is.gd", "v.gd", "cutt.ly", "rb.gy", "shorturl.at",
    "ow.ly", "buff.ly", "adf.ly", "s.id", "tiny.cc", "rebrand.ly", "bl.ink", "lnkd.in", "shorte.st",
    "soo.gd", "t.ly", "clck.ru", "u.to",
];

/// Hosts whose every link is an invitation to a group.
const INVITES: &[&str] =
    &["discord.gg", "dsc.gg", "invite.gg", "t.me", "telegram.me", "chat.whatsapp.com", "wa.me", "discord.io"];

/// Brands that are imitated, and whether the name is long and unusual enough to be recognised when misspelt.
#[rustfmt::skip]
const BRANDS: &[(&str, bool)] = &[
    ("discord", true), ("discordapp", true), ("steamcommunity", true), ("steampowered", true),
    ("roblox", true), ("paypal", true), ("coinbase", true), ("binance", true), ("metamask", true),
    ("opensea", false), ("telegram", true), ("whatsapp", true), ("instagram", true), ("facebook", true),
    ("microsoft", true), ("netflix", true), ("epicgames", true), ("minecraft", true), ("uniswap", true),
    ("trustwallet", true), ("walletconnect", true), ("pancakeswap", true), ("blockchain", false),
    ("nitro", false), ("steam", false), ("twitch", false), ("google", false), ("amazon", false),
    ("apple", false), ("ledger", false), ("airdrop", false), ("collabland", true), ("phantom", false),
];

/// Words one letter from a brand.
const SIMILAR_WORDS: &[&str] =
    &["discard", "stream", "streams", "telegraph", "steamer", "finance", "balance"];

/// Endings of link paths seen on scam sites, from DevSpen/scam-links (Unlicense), without those that ordinary sites
/// share.
#[rustfmt::skip]
const SCAM_PATHS: &[&str] = &[
    "airdrop", "aidrop-nitro", "airdorp", "claim-nitro", "discordnitro", "free-gift", "free-nitro",
    "freenitro", "gift-nitro", "gift_nitro", "giveaway-nitro", "giveawaynitro", "glft", "nitro",
    "nitro-accept", "nitro-gift", "nitro-promo", "nitrodiscord", "nitrodrop", "nitrogift", "nitrogive",
    "steam-accept", "steam-gift", "steamnitro", "tradeoffer", "claim", "redeem",
];

/// Whether a host is the domain or one of its subdomains.
pub(super) fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_listed(host: &str, domains: &[&str]) -> bool {
    domains.iter().any(|domain| is_within(host, domain))
}

/// Returns true for a trusted host and its subdomains.
pub(super) fn is_trusted(host: &str) -> bool {
    is_known_well(host) && !is_listed(host, USER_CONTENT)
}

/// Returns true for a host that uses a brand's name by right, trusted or not.
pub(super) fn may_name_brands(host: &str) -> bool {
    is_known_well(host) || is_listed(host, MAY_NAME_BRANDS)
}

fn is_known_well(host: &str) -> bool {
    is_listed(host, TRUSTED) || is_listed(host, OF_BRANDS) || is_country_site(host)
}

/// Returns true for the sites of Google and Amazon in a country: `google.co.uk`, `amazon.de`.
fn is_country_site(host: &str) -> bool {
    match links::site(host).split_once('.') {
        Some(("amazon", ending)) => AMAZON.contains(&ending),
        // Endings of countries have two letters.
        Some(("google", ending)) => ending.rsplit('.').next().is_some_and(|country| country.len() == 2),
        _ => false,
    }
}

/// Returns true when one host is the other or a subdomain of it, or both belong to one registered domain that serves no
/// content of users.
pub(super) fn same_site(a: &str, b: &str) -> bool {
    let registered = links::site(a) == links::site(b);
    is_within(a, b)
        || is_within(b, a)
        || registered && ![a, b].iter().any(|host| is_listed(host, USER_CONTENT))
}

/// Returns true for a host that hides the targets of its links.
pub(super) fn is_shortener(host: &str) -> bool {
    SHORTENERS.contains(&host)
}

/// Returns true for a link that is an invitation to a group.
pub(super) fn is_invite(host: &str, path: &str) -> bool {
    let invites = matches!(host, "discord.com" | "discordapp.com" | "canary.discord.com" | "ptb.discord.com");
    invites && path.starts_with("/invite/") || path.len() > 1 && INVITES.contains(&host)
}

/// Returns true for a path with the ending of a scam site's.
pub(super) fn is_scam_path(path: &str) -> bool {
    path.split(['?', '#']).next().is_some_and(|path| path.split('/').any(|part| SCAM_PATHS.contains(&part)))
}

/// The way in which a host that is not the brand's uses its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// Contains the name among other words, as in `discord-gift.com`.
    Contains(&'static str),
    /// Resembles the name, as in `dlscord.com`.
    Imitates(&'static str),
}

/// The brand that an untrusted host imitates.
pub(super) fn likeness(host: &str) -> Option<Likeness> {
    let labels: Vec<&str> = host.split('.').collect();
    let names = &labels[..labels.len().saturating_sub(1)];
    let mut contained = None;
    for label in names.iter().filter(|label| label.len() >= 5 && label.len() <= 63) {
        let plain: String = label.chars().filter(|char| *char != '-').collect();
        let read = skeleton(&plain);
        let words: Vec<(&str, String)> = label.split('-').map(|word| (word, skeleton(word))).collect();
        for &(brand, recognisable) in BRANDS {
            let named =
                if recognisable { plain.contains(brand) } else { words.iter().any(|word| word.0 == brand) };
            if named {
                contained = contained.or(Some(Likeness::Contains(brand)));
            } else if recognisable && read.contains(brand)
                || words.iter().any(|(word, read)| {
                    read == brand && *word != brand || recognisable && misspells(read, brand)
                })
            {
                return Some(Likeness::Imitates(brand));
            }
        }
    }
    contained
}

/// Replaces look-alike letters with the letters they resemble.
fn skeleton(name: &str) -> String {
    let mut read = String::with_capacity(name.len());
    for char in name.chars() {
        match char {
            '0' => read.push('o'),
            '1' | '|' => read.push('l'),
            '3' => read.push('e'),
            '4' => read.push('a'),
            '5' => read.push('s'),
            _ if char.is_ascii() => read.push(char),
            _ => match decancer::cure_char(char, decancer::Options::default()) {
                decancer::Translation::Character(cured) => read.push(cured),
                decancer::Translation::String(cured) => read.push_str(&cured),
                decancer::Translation::None => {}
            },
        }
    }
    read.replace("rn", "m").replace("vv", "w")
}

/// Returns true when a word, or its beginning, is one typing mistake away from a brand (two from one of twelve letters
/// or more), and is no other word. The first letter must match.
fn misspells(word: &str, brand: &str) -> bool {
    if word.chars().next() != brand.chars().next()
        || SIMILAR_WORDS.iter().any(|innocent| word.starts_with(innocent))
    {
        return false;
    }
    let word: Vec<char> = word.chars().take(brand.len() + 1).collect();
    let brand: Vec<char> = brand.chars().collect();
    let slips = if brand.len() >= 12 { 2 } else { 1 };
    (brand.len() - 1..=word.len()).any(|length| distance(&word[..length], &brand) <= slips)
}

/// Optimal string alignment distance: insertions, deletions, substitutions and transpositions.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<_>>(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            let plain = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            rows[2][j] = plain.min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if swap {
                rows[2][j] = rows[2][j].min(rows[0][j - 2] + 1);
            }
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_brands_from_their_imitators() {
        for host in [
            "dlscord-gift.com",
            "disocrd.gg",
            "steamcommunlty.ru",
            "stearncommunity.com",
            "dіscord.com",
            "r0blox.io",
        ] {
            assert!(matches!(likeness(host), Some(Likeness::Imitates(_))), "{host} {:?}", likeness(host));
        }
        for host in ["discord-nitro.top", "steam-trade.ru", "login-paypal.com", "free-nitro.xyz"] {
            assert!(matches!(likeness(host), Some(Likeness::Contains(_))), "{host} {:?}", likeness(host));
        }
        for host in
            ["discard.io", "stream.tv", "livestream.com", "rust-lang.org", "example.dev", "pineapple.net"]
        {
            assert_eq!(likeness(host), None, "{host}");
        }
    }

    #[test]
    fn trusts_a_host_and_its_subdomains_only() {
        assert!(is_trusted("discord.com") && is_trusted("cdn.discordapp.com"));
        assert!(
            !is_trusted("discord.com.evil.ru")
                && !is_trusted("evildiscord.com")
                && !is_trusted("sites.google.com")
        );
        for host in [
            "discord.gift",
            "store.steampowered.com",
            "s.team",
            "google.co.uk",
            "amazon.com.br",
            "blog.google",
        ] {
            assert!(is_trusted(host), "{host}");
        }
        for host in
            ["google.lat", "amazon.lat", "amazon.tk", "google.evil.com", "telegram.me", "evil.google.lat"]
        {
            assert!(!is_trusted(host), "{host}");
        }
        assert!(may_name_brands("docs.google.com") && may_name_brands("paypal.me"));
        assert!(!may_name_brands("discord-gift.com") && !may_name_brands("telegram.lat"));
    }

    #[test]
    fn hosts_of_one_domain_are_one_site() {
        for (a, b, same) in [
            ("help.steampowered.com", "store.steampowered.com", true),
            ("example.com", "www2.example.com", true),
            ("a.github.io", "b.github.io", false),
            ("a.co.uk", "b.co.uk", false),
            ("accounts.google.com", "sites.google.com", false),
        ] {
            assert_eq!(same_site(a, b), same, "{a} {b}");
        }
    }
}
