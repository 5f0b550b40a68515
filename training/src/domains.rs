//! Labelled domain names, and synthetic benign neighbours of them, which keep the model from learning the biases of
//! the lists.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use engine::text::host::host_grams;
use ports::text::links;

use crate::data::LabelledText;
use crate::metrics::Random;
use crate::sgd::{Example, Problem};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DomainName {
    pub host: String,
    /// Whether it is listed as a scam site.
    pub scam: bool,
    /// The lists that it is in.
    pub source: String,
}

/// Reads `domain,scam,source,rank`, gzipped.
pub fn read(path: &Path) -> Result<Vec<DomainName>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    Ok(text.lines().skip(1).filter_map(parse).collect())
}

fn parse(line: &str) -> Option<DomainName> {
    let mut fields = line.split(',');
    let host = fields.next()?.trim_start_matches("www.").to_lowercase();
    let scam = fields.next()? == "1";
    Some(DomainName { host, scam, source: fields.next()?.to_owned() })
}

/// Hosts that are linked in chat which its sources label as clean.
pub fn from_chat(rows: &[LabelledText]) -> Vec<DomainName> {
    let clean = rows.iter().filter(|row| row.chat && row.labels.iter().all(|label| *label == Some(false)));
    let hosts = clean.flat_map(|row| links::find(&row.text)).filter(|link| !link.email).map(|link| link.host);
    let mut names: Vec<DomainName> =
        hosts.map(|host| DomainName { host, scam: false, source: "chat".to_owned() }).collect();
    names.sort();
    names.dedup();
    names
}

const SUBDOMAINS: &[&str] = &[
    "docs",
    "blog",
    "mail",
    "api",
    "en",
    "m",
    "shop",
    "app",
    "support",
    "help",
    "store",
    "news",
    "status",
    "cdn",
    "forum",
    "wiki",
    "dev",
    "my",
    "account",
    "login",
    "images",
    "old",
    "community",
    "download",
    "developer",
];
/// Free hosting sites, of which the lists contain only the bad ones.
const FREE_HOSTS: &[&str] = &[
    "vercel.app",
    "pages.dev",
    "netlify.app",
    "web.app",
    "github.io",
    "herokuapp.com",
    "onrender.com",
    "firebaseapp.com",
    "repl.co",
    "webflow.io",
    "gitbook.io",
    "square.site",
    "weebly.com",
    "wordpress.com",
    "blogspot.com",
    "gitlab.io",
    "fly.dev",
    "readthedocs.io",
    "itch.io",
    "js.org",
    "surge.sh",
    "workers.dev",
];

/// Benign names with a subdomain (one in eight) or on a free host (one in thirty).
pub fn neighbours(names: &[DomainName]) -> Vec<DomainName> {
    let mut random = Random(0xd0a1);
    let mut made = Vec::new();
    for name in names.iter().filter(|name| !name.scam) {
        let host = match random.below(120) {
            0..15 => format!("{}.{}", SUBDOMAINS[random.below(SUBDOMAINS.len())], name.host),
            15..19 => {
                let label = name.host.split('.').next().unwrap_or_default();
                format!("{label}.{}", FREE_HOSTS[random.below(FREE_HOSTS.len())])
            }
            _ => continue,
        };
        made.push(DomainName { host, scam: false, source: "made".to_owned() });
    }
    made
}

/// The sparse data set of names.
pub fn problem(names: &[DomainName]) -> Problem<1> {
    let mut problem = Problem::default();
    for name in names {
        let start = problem.indices.len();
        problem.indices.extend(host_grams(&name.host));
        let end = problem.indices.len();
        problem.values.resize(end, 1.0 / ((end - start) as f32).sqrt());
        let label = f32::from(u8::from(name.scam));
        problem.examples.push(Example { start, end, labels: [label], weights: [1.0] });
    }
    problem
}
