//! The generated service traits, implemented: values come back as they came.

use std::sync::Arc;

use castile::Server;
use castile::typed::{Failure, Request};

use super::kind::{self, Trace};
use super::{bench, files, nested};
use crate::Outcome;
use crate::settings::Settings;

/// A running server of a contract; `results` are what a search finds.
pub(super) fn start(
    settings: &Settings,
    contract: &str,
    results: Vec<bench::ResultElement>,
) -> Outcome<castile::http::Running> {
    let options = settings.service();
    let (service, documents) = match contract {
        "nested" => (
            nested::NestedServiceHandler(Echo).service(options)?,
            &nested::CONTRACT,
        ),
        "files" => (
            files::FilesServiceHandler(Echo).service(options)?,
            &files::CONTRACT,
        ),
        "bench" => (
            bench::BenchServiceHandler(Search { results }).service(options)?,
            &bench::CONTRACT,
        ),
        _ => return Err(format!("nothing was generated for the contract {contract}").into()),
    };
    Ok(Server::bind(Arc::new(service), "127.0.0.1:0", settings.server(), documents)?.start()?)
}

struct Echo;

struct Search {
    results: Vec<bench::ResultElement>,
}

macro_rules! send_and_echo {
    ($module:ident, $kind:ident, $send:ident $Send:ident $Counted:ident, $echo:ident $Echo:ident $Back:ident) => {
        fn $send(&self, request: Request<$module::$Send>) -> Result<$module::$Counted, Failure> {
            let count = kind::$kind::count(&request.value.values);
            Ok($module::$Counted {
                count: i32::try_from(count).unwrap_or(i32::MAX),
            })
        }

        fn $echo(&self, request: Request<$module::$Echo>) -> Result<$module::$Back, Failure> {
            Ok($module::$Back {
                r#return: request.value.values,
            })
        }
    };
}

impl nested::NestedService for Echo {
    send_and_echo!(nested, Nested, send_nested SendNested SendNestedResponse, echo_nested EchoNested EchoNestedResponse);
}

impl files::FilesService for Echo {
    send_and_echo!(files, Files, send_files SendFiles SendFilesResponse, echo_files EchoFiles EchoFilesResponse);
}

impl bench::BenchService for Search {
    send_and_echo!(bench, Doubles, send_doubles SendDoubles SendDoublesResponse, echo_doubles EchoDoubles EchoDoublesResponse);
    send_and_echo!(bench, Ints, send_ints SendInts SendIntsResponse, echo_ints EchoInts EchoIntsResponse);
    send_and_echo!(bench, Strings, send_strings SendStrings SendStringsResponse, echo_strings EchoStrings EchoStringsResponse);
    send_and_echo!(bench, Bytes, send_bytes SendBytes SendBytesResponse, echo_bytes EchoBytes EchoBytesResponse);
    send_and_echo!(bench, Packed, send_packed SendPacked SendPackedResponse, echo_packed EchoPacked EchoPackedResponse);
    send_and_echo!(bench, Mios, send_mios SendMios SendMiosResponse, echo_mios EchoMios EchoMiosResponse);
    send_and_echo!(bench, Events, send_events SendEvents SendEventsResponse, echo_events EchoEvents EchoEventsResponse);
    send_and_echo!(bench, Attributes, send_attributes SendAttributes SendAttributesResponse, echo_attributes EchoAttributes EchoAttributesResponse);
    send_and_echo!(bench, ClassAds, send_class_ads SendClassAds SendClassAdsResponse, echo_class_ads EchoClassAds EchoClassAdsResponse);

    fn echo_void(&self, _: Request<bench::EchoVoid>) -> Result<bench::EchoVoidResponse, Failure> {
        Ok(bench::EchoVoidResponse {})
    }

    fn do_google_search(
        &self,
        _: Request<bench::DoGoogleSearch>,
    ) -> Result<bench::DoGoogleSearchResponse, Failure> {
        Ok(bench::DoGoogleSearchResponse {
            r#return: bench::GoogleSearchResult {
                estimated_total_results_count: 3_220_000,
                result_elements: bench::ArrayOfResultElement {
                    item: self.results.clone(),
                },
                search_query: "grid computing".into(),
                start_index: 1,
                end_index: i32::try_from(self.results.len()).unwrap_or(i32::MAX),
                search_time: 0.194_871,
                ..bench::GoogleSearchResult::default()
            },
        })
    }
}
