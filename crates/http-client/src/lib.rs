//! Where every HTTP client is made. By default reqwest takes its trusted certificates from the system,
//! and a container often has none.

use std::sync::{Arc, LazyLock};

use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};

static TLS: LazyLock<ClientConfig> = LazyLock::new(|| {
    let trusted = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring has the default versions of TLS")
        .with_root_certificates(trusted)
        .with_no_client_auth()
});

/// The caller adds its own limits.
#[expect(clippy::disallowed_methods, reason = "it is the one place")]
pub fn builder() -> ClientBuilder {
    Client::builder().tls_backend_preconfigured(TLS.clone())
}

/// For our own addresses on this machine: no proxy, and only the limits a request sets.
pub fn local() -> Client {
    builder().no_proxy().build().expect("a client without settings of its own can be made")
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    /// A handshake needs neither an installed provider nor the system's certificates.
    #[test]
    fn a_client_begins_a_handshake() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received = std::thread::spawn(move || {
            let mut first = [0; 3];
            listener.accept().unwrap().0.read_exact(&mut first).unwrap();
            first
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let request = super::local().get(format!("https://{address}/")).send();
        assert!(runtime.block_on(request).unwrap_err().is_connect());
        // The start of a TLS handshake record, in any version.
        assert_eq!(received.join().unwrap()[..2], [22, 3]);
    }
}
