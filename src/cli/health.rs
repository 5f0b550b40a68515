//! `gavel health`: whether a running Gavel is ready, for the health checks of containers, whose image has no shell and
//! no HTTP client.

use std::{
    io::{self, Read as _, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::json;

use super::output::Output;
use crate::config::Config;

/// How long the server may take to accept, and then to answer: together less than a container's health check may take.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The most of an answer that is read.
const MAX_BYTES: u64 = 65_536;

/// Asks the Gavel that runs with the same settings whether it is ready.
///
/// # Errors
/// If it does not answer, or is not ready.
pub(super) fn run(config: &Config, output: &Output) -> anyhow::Result<()> {
    let listens = config.process.operations_listen()?.unwrap_or(config.process.listen);
    let address = reachable(listens);
    let answer = ask(address).with_context(|| format!("no answer from {address}"))?;
    let status = answer.split(' ').nth(1).unwrap_or_default();
    if status != "200" {
        let body = answer.split_once("\r\n\r\n").map_or(answer.as_str(), |(_, body)| body);
        bail!("not ready: {address} answered {status}: {body}");
    }
    output.show("ready", json!({ "ready": true }));
    Ok(())
}

/// A server that listens on every address is asked on the loopback.
fn reachable(listens: SocketAddr) -> SocketAddr {
    let ip = match listens.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listens.port())
}

fn ask(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(b"GET /readyz HTTP/1.0\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MAX_BYTES).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
