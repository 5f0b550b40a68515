//! Resolves names to allowed addresses. Connections are made to exactly the addresses that were checked, which defeats
//! DNS rebinding.

use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::Arc,
};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::{Semaphore, oneshot};

use super::allow::AllowList;

/// Maximum concurrent lookups.
const MAX_LOOKUPS: usize = 64;

/// Resolves names.
#[async_trait]
pub(crate) trait Resolver: Send + Sync {
    /// All addresses of a name.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver, with its hosts file, search domains and name servers.
pub(crate) struct SystemResolver(Arc<Semaphore>);

/// Refuses names with an address that is not allowed.
pub(super) struct CheckedResolver {
    names: Arc<dyn Resolver>,
    allow: Arc<AllowList>,
}

impl SystemResolver {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_LOOKUPS)))
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let name = name.to_owned();
        let place = self.0.clone().acquire_owned().await.map_err(io::Error::other)?;
        let (answer, answered) = oneshot::channel();
        // A lookup cannot be cancelled. In its own thread, a slow one blocks neither the runtime's blocking pool nor
        // the end of the process.
        std::thread::Builder::new().name("lookup".to_owned()).spawn(move || {
            let _place = place;
            let found = (name.as_str(), 0).to_socket_addrs();
            let _ = answer.send(found.map(|found| found.map(|address| address.ip()).collect()));
        })?;
        answered.await.map_err(io::Error::other)?
    }
}

impl CheckedResolver {
    pub(super) fn new(names: Arc<dyn Resolver>, allow: Arc<AllowList>) -> Self {
        Self { names, allow }
    }
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.names.clone();
        let allow = self.allow.clone();
        Box::pin(async move {
            let found = names.addresses(name.as_str()).await?;
            // One private address is enough to refuse the name, since any of the addresses might be used.
            let may = allow.name(name.as_str()) || found.iter().all(|address| allow.address(*address));
            if found.is_empty() || !may {
                return Err("the name has no address, or an address that is not public".into());
            }
            // Port 0 stands for the port in the URL.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
