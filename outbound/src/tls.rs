//! TLS for all clients: verifies servers with the system's root certificates, or with Mozilla's if the system has none,
//! as in a minimal container.
//!
//! reqwest's own verifier fails without system certificates, and logs server names.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// TLS 1.2 and 1.3. `SSL_CERT_FILE` and `SSL_CERT_DIR` override the system's roots.
pub fn client_config() -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring supports the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth()
}
