//! From names to addresses that may be connected to. The connection is made to the very addresses that were checked, so
//! a name that answers otherwise the second time gains nothing.

use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::Arc,
};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;

use super::allow::Allow;

/// Look-ups under way at once. They cannot be cut short, so without a bound slow name servers would fill the pool of
/// blocking threads, which others need.
const LOOKUPS: usize = 64;

/// Looks names up.
#[async_trait]
pub(super) trait Names: Send + Sync {
    /// Every address of a name.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver: hosts file, search domains and name servers as this machine has them.
pub(super) struct SystemNames(Arc<Semaphore>);

/// Only names whose every address may be connected to.
pub(super) struct CheckedNames {
    names: Arc<dyn Names>,
    allow: Arc<Allow>,
}

impl SystemNames {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(LOOKUPS)))
    }
}

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let name = name.to_owned();
        let place = self.0.clone().acquire_owned().await.map_err(io::Error::other)?;
        let lookup = move || {
            let _place = place;
            Ok((name.as_str(), 0).to_socket_addrs()?.map(|address| address.ip()).collect())
        };
        tokio::task::spawn_blocking(lookup).await?
    }
}

impl CheckedNames {
    pub(super) fn new(names: Arc<dyn Names>, allow: Arc<Allow>) -> Self {
        Self { names, allow }
    }
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, allow) = (self.names.clone(), self.allow.clone());
        Box::pin(async move {
            let found = names.addresses(name.as_str()).await?;
            // One private address among public ones refuses them all: which of them would be used is chance.
            let may = allow.name(name.as_str()) || found.iter().all(|address| allow.address(*address));
            if found.is_empty() || !may {
                return Err("the name has no address, or one that is not public".into());
            }
            // Port 0 stands for the URL's.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
