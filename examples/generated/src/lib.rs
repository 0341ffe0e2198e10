//! A harbour: types, client and server trait generated from `wsdl/harbour.wsdl` by the build script,
//! and an implementation of the trait.
#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use castile::typed::{Failure, Request};
use castile::{Code, Error, Server, ServerOptions, ServiceOptions};

castile::include_contract!("harbour");

use harbour::{
    Full, HarbourService, HarbourServiceHandler, Register, RegisterFault, RegisterHeader, RegisterResponse,
    RegisterResponseHeader, Survey, SurveyResponse,
};

/// Berths of the harbour.
pub const BERTHS: i32 = 3;

/// Who answers.
#[derive(Debug, Default)]
pub struct Master {
    ships: AtomicI32,
}

impl HarbourService for Master {
    fn register(
        &self,
        request: Request<Register, RegisterHeader>,
    ) -> Result<(RegisterResponse, RegisterResponseHeader), Failure<RegisterFault>> {
        let number = self.ships.fetch_add(1, Ordering::Relaxed) + 1;
        if number > BERTHS {
            let full = RegisterFault::Full(Full {
                waiting: number - BERTHS,
            });
            return Err(Failure::declared(Code::Receiver, "no berth is free", full));
        }
        let reply = RegisterResponse {
            number,
            ship: request.value.ship,
        };
        let header = RegisterResponseHeader {
            watch: request.header.watch,
            ..RegisterResponseHeader::default()
        };
        Ok((reply, header))
    }

    fn survey(&self, request: Request<Survey>) -> Result<SurveyResponse, Failure> {
        let Survey { mut sounding, tide } = request.value;
        if tide.is_empty() {
            return Err(Failure::new(Code::Sender, "no tide was measured"));
        }
        let mean = tide.iter().sum::<f64>() / tide.len() as f64;
        for sounding in &mut sounding {
            sounding.depth += mean;
        }
        Ok(SurveyResponse { sounding, mean })
    }
}

/// The harbour on a free port of the loopback interface, not yet started.
///
/// # Errors
/// There is no free port.
pub fn server() -> Result<Server, Error> {
    let service = HarbourServiceHandler(Master::default()).service(ServiceOptions::default())?;
    Server::bind(
        Arc::new(service),
        "127.0.0.1:0",
        ServerOptions::default(),
        &harbour::CONTRACT,
    )
}

/// The Rust in the guide, as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/guides/generated-code.md")]
    struct Guide;
}
