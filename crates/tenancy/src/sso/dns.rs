//! Looks up DNS text records.

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::RData;
use hickory_resolver::{Resolver, TokioResolver};

use atrium_core::config::SsoSettings;

/// Nobody has this many; further ones are ignored.
const MOST: usize = 64;

#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// Empty if the name does not exist, or has no text records.
    Records(Vec<String>),
    /// No answer, or only an error.
    Unavailable,
}

/// The text records of a name. Not cached: someone who has just added one wants to see it.
pub async fn txt(settings: &SsoSettings, name: &str) -> Answer {
    let Ok(resolver) = resolver(settings) else { return Answer::Unavailable };
    // The trailing dot keeps the system's search domains out.
    let asking = resolver.txt_lookup(format!("{name}."));
    match tokio::time::timeout(settings.provider_limit / 2, asking).await {
        Ok(Ok(found)) => {
            let texts = found.answers().iter().filter_map(|record| match &record.data {
                RData::TXT(text) => {
                    Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned())
                }
                _ => None,
            });
            Answer::Records(texts.take(MOST).collect())
        }
        Ok(Err(NetError::Dns(DnsError::NoRecordsFound(none))))
            if matches!(none.response_code, ResponseCode::NoError | ResponseCode::NXDomain) =>
        {
            Answer::Records(Vec::new())
        }
        Ok(Err(_)) | Err(_) => Answer::Unavailable,
    }
}

fn resolver(settings: &SsoSettings) -> Result<TokioResolver, NetError> {
    let mut builder = match settings.dns_server {
        Some(address) => {
            let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut way| {
                way.port = address.port();
                way
            });
            let server = NameServerConfig::new(address.ip(), true, connections.to_vec());
            let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
            Resolver::builder_with_config(config, TokioRuntimeProvider::default())
        }
        None => Resolver::builder_tokio()?,
    };
    let options = builder.options_mut();
    options.cache_size = 0;
    options.timeout = settings.provider_limit / 5;
    options.attempts = 2;
    builder.build()
}
