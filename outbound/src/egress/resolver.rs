//! Resolves names by `/etc/hosts` and name servers. In process, not by the system's `getaddrinfo`: that cannot be
//! cancelled, so that a name server that never answers holds a thread for as long as its time-outs take.

use std::{
    fs,
    io::{Error, ErrorKind, Result},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use hickory_resolver::{
    TokioResolver,
    config::{LookupIpStrategy, NameServerConfig, ResolverConfig, ResolverOpts},
    net::runtime::TokioRuntimeProvider,
    system_conf::read_system_conf,
};
use parking_lot::Mutex;

/// The timeout of a lookup. A name whose servers take longer is answered like one that does not exist.
pub(super) const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
/// How long answers are kept: that a name does not exist, and its addresses, at most.
const NEGATIVE_TTL: Duration = Duration::from_secs(5);
const MAX_POSITIVE_TTL: Duration = Duration::from_secs(60);
/// Answers that are kept.
const CACHED_ANSWERS: u64 = 1024;
/// The files that decide how names are resolved. They change while we run, as when a network comes up.
const FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];
const DNS_PORT: u16 = 53;

/// Resolves names.
#[async_trait]
pub(crate) trait Resolver: Send + Sync {
    /// All addresses of a name.
    async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>>;
}

/// The resolver of this machine's files, with its search domains.
pub(crate) struct SystemResolver {
    /// In place of those of the system, unless empty.
    name_servers: Vec<NameServerConfig>,
    /// With the times at which its files changed last.
    built: Mutex<Option<(FileTimes, TokioResolver)>>,
}

type FileTimes = [Option<SystemTime>; FILES.len()];

impl SystemResolver {
    /// `name_servers` are addresses, with a port or without, separated by commas or spaces. If empty, those of the
    /// system are asked.
    ///
    /// # Errors
    /// If an entry is not an address.
    pub(crate) fn new(name_servers: &str) -> domain::Result<Self> {
        let entries = name_servers.split([',', ' ']).filter(|entry| !entry.is_empty());
        let name_servers = entries.map(|entry| {
            name_server(entry).ok_or_else(|| {
                let message =
                    format!("holds `{entry}`, which is not an address such as 10.0.0.53 or [::1]:5353");
                domain::Error::invalid("name_servers", message)
            })
        });
        Ok(Self { name_servers: name_servers.collect::<domain::Result<_>>()?, built: Mutex::default() })
    }

    /// The resolver, built anew when a file has changed.
    fn current(&self) -> Result<TokioResolver> {
        let times = FILES.map(|file| fs::metadata(file).and_then(|file| file.modified()).ok());
        let mut built = self.built.lock();
        if let Some((since, resolver)) = &*built
            && *since == times
        {
            return Ok(resolver.clone());
        }
        let resolver = self.build()?;
        *built = Some((times, resolver.clone()));
        Ok(resolver)
    }

    fn build(&self) -> Result<TokioResolver> {
        // resolv.conf(5): without the file, the name server of this machine is asked.
        let (system, mut options) = read_system_conf().unwrap_or_else(|_| {
            let local = NameServerConfig::udp_and_tcp(Ipv4Addr::LOCALHOST.into());
            (ResolverConfig::from_parts(None, Vec::new(), vec![local]), ResolverOpts::default())
        });
        let servers =
            if self.name_servers.is_empty() { system.name_servers() } else { self.name_servers.as_slice() };
        let config =
            ResolverConfig::from_parts(system.domain().cloned(), system.search().to_vec(), servers.to_vec());
        // Two attempts, so that a third server is asked when two do not answer.
        options.timeout = LOOKUP_TIMEOUT / 2;
        options.attempts = 1;
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.cache_size = CACHED_ANSWERS;
        options.negative_min_ttl = Some(NEGATIVE_TTL);
        options.negative_max_ttl = Some(NEGATIVE_TTL);
        options.positive_max_ttl = Some(MAX_POSITIVE_TTL);
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        *builder.options_mut() = options;
        builder.build().map_err(Error::other)
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>> {
        let found = self.current()?.lookup_ip(name).await;
        Ok(found.map_err(|error| Error::new(ErrorKind::NotFound, error))?.iter().collect())
    }
}

fn name_server(entry: &str) -> Option<NameServerConfig> {
    let address: SocketAddr = match entry.parse() {
        Ok(address) => address,
        Err(_) => SocketAddr::new(entry.parse().ok()?, DNS_PORT),
    };
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    Some(server)
}

#[cfg(test)]
mod tests {
    use std::{
        net::UdpSocket,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use super::*;

    /// The address of a name server that answers to questions for `known.test` alone, with 192.0.2.7, and how many
    /// questions it was asked.
    fn name_server() -> (SocketAddr, Arc<AtomicUsize>) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = asked.clone();
        std::thread::spawn(move || {
            let mut message = [0; 512];
            while let Ok((_, client)) = socket.recv_from(&mut message) {
                counter.fetch_add(1, Ordering::SeqCst);
                // A head of 12 bytes, labels with their lengths up to an empty one, a type and a class.
                let end = 12 + message[12..].iter().position(|byte| *byte == 0).unwrap() + 5;
                let known = message[12..].starts_with(b"\x05known\x04test\0\0\x01");
                let mut answer = message[..end].to_vec();
                let missing = u8::from(!message[12..].starts_with(b"\x05known")) * 3;
                answer[2..12].copy_from_slice(&[0x81, 0x80 | missing, 0, 1, 0, u8::from(known), 0, 0, 0, 0]);
                if known {
                    answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 192, 0, 2, 7]);
                }
                socket.send_to(&answer, client).unwrap();
            }
        });
        (address, asked)
    }

    #[tokio::test]
    async fn the_name_servers_of_the_setting_are_asked_and_missing_names_are_remembered() {
        let (server, asked) = name_server();
        let resolver = SystemResolver::new(&server.to_string()).unwrap();
        let known: Vec<IpAddr> = vec!["192.0.2.7".parse().unwrap()];
        assert_eq!(resolver.addresses("known.test.").await.unwrap(), known);
        assert!(resolver.addresses("missing.test.").await.is_err());
        let before = asked.load(Ordering::SeqCst);
        assert!(resolver.addresses("missing.test.").await.is_err());
        assert_eq!(asked.load(Ordering::SeqCst), before);
    }

    #[test]
    fn an_entry_that_is_no_address_is_refused() {
        for fine in ["", "10.0.0.53", "10.0.0.53:5353, ::1", "[::1]:5353"] {
            assert!(SystemResolver::new(fine).is_ok(), "{fine}");
        }
        for wrong in ["dns.example", "10.0.0.300", "10.0.0.1:", "[::1]", "https://1.1.1.1"] {
            let error = SystemResolver::new(wrong).err().map(|error| error.message);
            assert!(error.is_some_and(|error| error.starts_with("name_servers holds")), "{wrong}");
        }
    }
}
