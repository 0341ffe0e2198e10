//! Everything about a client that a user can set.

use crate::layers::Layers;
use crate::load::LoadOptions;

/// Settings of a client. `Debug` masks secrets.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Where calls go, instead of the address in the WSDL.
    pub endpoint: Option<String>,
    /// The service to call, when the WSDL has several.
    pub service: Option<String>,
    /// The port to call, when the service has several.
    pub port: Option<String>,
    /// Check values against the contract both ways: order, counts, enumerations, unknown elements.
    /// Default true.
    pub strict: bool,
    /// Significant digits of doubles and floats that are sent; `None` (the default): all that are
    /// needed to read back the same bits.
    pub digits: Option<u8>,
    /// By the rules of SOAP encoding, send a text that the message has already as a reference to it.
    /// Default false.
    pub share_texts: bool,
    /// Header fields of HTTP added to each call.
    pub http_headers: Vec<(String, String)>,
    /// The transport.
    pub http: castile_http::ClientOptions,
    /// Limits on the XML of replies.
    pub limits: castile_codec::Limits,
    /// What adds header blocks to requests and checks replies. A binding that requires WS-Addressing
    /// gets it with its defaults when no layer knows it.
    pub layers: Layers,
    /// How requests are made from the last ones.
    pub differential: castile_diff::Options,
    /// How replies are read by what was learned of the last ones.
    pub receiving: castile_diff::Receiving,
    /// How the WSDL is loaded.
    pub load: LoadOptions,
}

impl Default for ClientOptions {
    fn default() -> Self {
        ClientOptions {
            endpoint: None,
            service: None,
            port: None,
            strict: true,
            digits: None,
            share_texts: false,
            http_headers: Vec::new(),
            http: castile_http::ClientOptions::default(),
            limits: castile_codec::Limits::default(),
            layers: Layers::default(),
            differential: castile_diff::Options::default(),
            receiving: castile_diff::Receiving::default(),
            load: LoadOptions::default(),
        }
    }
}
