//! TLS configurations of both sides from PEM, and TLS errors in words.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig, SignatureScheme,
};

use crate::client::{Tls, find};
use crate::error::{Error, Guilty, Kind, Phase};
use crate::server::ServerTls;

/// The configuration of a client.
pub(crate) fn client(options: &Tls) -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|e| unusable("tls", e))?;
    let builder = if options.verify {
        builder.with_root_certificates(roots(options)?)
    } else {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(TrustAll(provider)))
    };
    let mut config = match (&options.client_cert_pem, &options.client_key_pem) {
        (None, None) => builder.with_no_client_auth(),
        (Some(cert), Some(key)) => builder
            .with_client_auth_cert(
                certificates(cert, "client_cert_pem")?,
                key_of(key, "client_key_pem")?,
            )
            .map_err(|e| unusable("client_cert_pem and client_key_pem", e))?,
        _ => return Err(Error::options("client_cert_pem and client_key_pem go together")),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The configuration of a server.
pub(crate) fn server(options: &ServerTls) -> Result<Arc<ServerConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|e| unusable("tls", e))?;
    let builder = match &options.client_ca_pem {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            add(&mut roots, pem, "client_ca_pem")?;
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = verifier.build().map_err(|e| unusable("client_ca_pem", e))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let (chain, key) = (
        certificates(&options.cert_pem, "cert_pem")?,
        key_of(&options.key_pem, "key_pem")?,
    );
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|e| unusable("cert_pem and key_pem", e))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn roots(options: &Tls) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for file in &options.ca_files {
        let pem = std::fs::read(file)
            .map_err(|e| Error::options(format!("cannot read ca_files {}", file.display())).with_source(e))?;
        add(&mut roots, &pem, &format!("ca_files {}", file.display()))?;
    }
    if !options.ca_pem.is_empty() {
        add(&mut roots, &options.ca_pem, "ca_pem")?;
    }
    if options.system_roots {
        let found = rustls_native_certs::load_native_certs();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        if added == 0 {
            tracing::debug!(errors = ?found.errors, "no roots in the system; using Mozilla's");
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
    }
    Ok(roots)
}

fn add(roots: &mut RootCertStore, pem: &[u8], option: &str) -> Result<(), Error> {
    for certificate in certificates(pem, option)? {
        roots.add(certificate).map_err(|e| unusable(option, e))?;
    }
    Ok(())
}

fn certificates(pem: &[u8], option: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let all = all.map_err(|e| unusable(option, e))?;
    if all.is_empty() {
        return Err(Error::options(format!(
            "{option} has no certificate (PEM is expected)"
        )));
    }
    Ok(all)
}

fn key_of(pem: &[u8], option: &str) -> Result<PrivateKeyDer<'static>, Error> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|e| unusable(option, e))
}

fn unusable(option: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::options(format!("{option} cannot be used")).with_source(error)
}

/// A failed handshake of a client, in words.
pub(crate) fn explain(error: std::io::Error, host: &str) -> Error {
    use rustls::Error as Tls;
    let (guilty, text) = match find::<Tls>(&error) {
        Some(Tls::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => (
            Guilty::Peer,
            format!("the server's certificate is for another name than {host}"),
        ),
        Some(Tls::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            let text = "the issuer of the server's certificate is not trusted; if it is right, add it to \
                        tls.ca_files or tls.ca_pem";
            (Guilty::Peer, text.to_owned())
        }
        Some(Tls::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        )) => (
            Guilty::Peer,
            "the server's certificate has expired (or our clock is wrong)".to_owned(),
        ),
        Some(Tls::InvalidMessage(_)) => (
            Guilty::Peer,
            "the server does not speak TLS on this port; is it http?".to_owned(),
        ),
        Some(Tls::AlertReceived(_)) => (
            Guilty::Peer,
            "the server refused TLS; does it want a client certificate?".to_owned(),
        ),
        Some(_) => (Guilty::Peer, "TLS with the server failed".to_owned()),
        None => (Guilty::Peer, "the server broke off the TLS handshake".to_owned()),
    };
    Error::new(Kind::Tls, guilty, Phase::Tls, text).with_source(error)
}

/// `verify: false`: every certificate is taken; signatures are still checked.
#[derive(Debug)]
struct TrustAll(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustAll {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
