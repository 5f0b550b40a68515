//! The hosts that may be reached, and clients that reach nothing else. Connections are made to exactly the addresses
//! that were checked, which defeats DNS rebinding.

use std::{
    future::ready,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use domain::foundation::slots::{SlotPermit, Slots};
use ports::Flow;
use reqwest::{
    ClientBuilder,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use rustls::ClientConfig;
use url::{Host, Url};

use super::{
    allow::AllowList,
    refusal::Refusal,
    resolver::{LOOKUP_TIMEOUT, Resolver},
};
use crate::tls;

/// Maximum concurrent lookups, each with a few sockets.
const MAX_LOOKUPS: usize = 128;
/// The part of [`MAX_LOOKUPS`] that one account may use.
const MAX_ACCOUNT_LOOKUPS: usize = 8;

/// The hosts that may be reached.
pub(crate) struct Hosts {
    names: Arc<dyn Resolver>,
    allow: AllowList,
    lookups: Slots<Flow>,
    tls: ClientConfig,
}

/// A resolver that has only the addresses that were checked.
struct Checked(Vec<IpAddr>);

impl Hosts {
    /// Reads the system's root certificates.
    pub(crate) fn new(names: Arc<dyn Resolver>, allow: AllowList) -> Self {
        let lookups = Slots::new(MAX_LOOKUPS, MAX_ACCOUNT_LOOKUPS);
        Self { names, allow, lookups, tls: tls::client_config() }
    }

    /// What the operator allows in addition to the public internet.
    pub(crate) fn allow(&self) -> &AllowList {
        &self.allow
    }

    /// Waits for a place among the lookups.
    pub(crate) async fn place(&self, flow: Flow) -> SlotPermit {
        self.lookups.acquire(&flow, 1).await
    }

    /// A client for one request to a URL, which connects only to addresses that are allowed, and follows no redirects.
    /// The place is free again when the name is resolved.
    ///
    /// # Errors
    /// A URL that is refused, or whose name has no addresses that are allowed.
    pub(crate) async fn client(&self, url: &Url, place: SlotPermit) -> Result<ClientBuilder, Refusal> {
        self.allow.check(url)?;
        let addresses = match url.host() {
            Some(Host::Domain(name)) => self.resolve(name).await?,
            // An address, which the client does not look up.
            _ => Vec::new(),
        };
        drop(place);
        let client = reqwest::Client::builder()
            .user_agent(concat!("gavel/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Checked(addresses))
            .tls_backend_preconfigured(self.tls.clone())
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .http1_only()
            // One request per connection, so that clients never share a connection.
            .pool_max_idle_per_host(0);
        Ok(client)
    }

    /// The addresses of a name, if all of them are allowed.
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, Refusal> {
        let found = tokio::time::timeout(LOOKUP_TIMEOUT, self.names.addresses(name)).await;
        let found = found.ok().and_then(Result::ok).unwrap_or_default();
        // One private address is enough to refuse the name, since any of the addresses might be used.
        let may = self.allow.name(name) || found.iter().all(|address| self.allow.address(*address));
        if found.is_empty() || !may { Err(Refusal::NotPublic) } else { Ok(found) }
    }
}

impl Resolve for Checked {
    fn resolve(&self, _: Name) -> Resolving {
        // Port 0 stands for the port in the URL.
        let addresses = self.0.clone().into_iter().map(|address| SocketAddr::new(address, 0));
        Box::pin(ready(Ok(Box::new(addresses) as Addrs)))
    }
}
