//! A test's certificate authority, trusted by processes that are given its certificate.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};

/// A certificate authority.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new([]).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, key()).expect("an authority"))
    }

    /// The authority's certificate in PEM, as `SSL_CERT_FILE` expects it.
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// A TLS server configuration with a certificate for these names or addresses.
    pub(crate) fn server(&self, names: &[&str]) -> Arc<ServerConfig> {
        self.sign(params(names))
    }

    /// A TLS server configuration with an expired certificate.
    pub(crate) fn expired(&self, names: &[&str]) -> Arc<ServerConfig> {
        let mut params = params(names);
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
        self.sign(params)
    }

    fn sign(&self, params: CertificateParams) -> Arc<ServerConfig> {
        let key = key();
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        config(certificate, &key)
    }
}

/// A TLS server configuration with a self-signed certificate.
pub(crate) fn self_signed(names: &[&str]) -> Arc<ServerConfig> {
    let key = key();
    config(params(names).self_signed(&key).expect("a certificate"), &key)
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).expect("names")
}

fn key() -> KeyPair {
    KeyPair::generate().expect("a key")
}

fn config(certificate: rcgen::Certificate, key: &KeyPair) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key);
    Arc::new(config.expect("a certificate and its key"))
}
