//! CWMP: both roles against each other.

mod common;

use castile_endpoint::cwmp::{AcsOptions, CwmpFault};
use castile_value::Value;
use common::cwmp::{Log, acs, contract, cpe, inform, names, parameter, start};

#[test]
fn a_schema_without_a_wsdl_is_a_contract() {
    let contract = contract();
    assert_eq!(contract.warnings, []);
    let names: Vec<&str> = contract.bindings[0].operations.iter().map(|o| &*o.name).collect();
    let expected = [
        "Inform",
        "GetRPCMethods",
        "GetParameterValues",
        "SetParameterValues",
        "TransferComplete",
        "Reboot",
    ];
    assert_eq!(names, expected);
    let faults = &contract.bindings[0].operations[0].faults;
    assert_eq!(faults[0].element, "{urn:dslforum-org:cwmp-1-2}Fault");
}

#[test]
fn the_acs_calls_inside_its_replies() {
    let log = Log::default();
    let seen = log.clone();
    let acs = acs(AcsOptions::default()).on_session(move |session| {
        let log = seen.clone();
        async move {
            let device = session.inform().get("DeviceId").cloned().unwrap_or_default();
            log.add(
                device
                    .get("SerialNumber")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            );
            for said in session.conversation().said()? {
                log.add(said.operation);
            }
            let reply = session
                .call("GetParameterValues", &names(&["Device.A", "Device.B"]))
                .await?;
            let list = reply.map(|r| r.value.into_list()).unwrap_or_default();
            log.add(format!("{} values", list.len()));
            let fault = session
                .call("GetParameterValues", &names(&["Internet."]))
                .await?
                .unwrap_err();
            log.add(CwmpFault::of(&fault).map(|f| f.to_string()).unwrap_or_default());
            let set = Value::map([
                ("ParameterList", Value::List(vec![parameter("Device.X", "1")])),
                ("ParameterKey", Value::from("")),
            ]);
            let fault = session.call("SetParameterValues", &set).await?.unwrap_err();
            let fault = CwmpFault::of(&fault).unwrap();
            log.add(format!(
                "{} {}",
                fault.parameters[0].name, fault.parameters[0].code
            ));
            let reboot = Value::map([("CommandKey", Value::from(""))]);
            let fault = session.call("Reboot", &reboot).await?.unwrap_err();
            log.add(CwmpFault::of(&fault).unwrap().code.to_string());
            let methods = session.call("GetRPCMethods", &Value::Absent).await?.unwrap();
            log.add(format!("{} methods", methods.value.into_list().len()));
            Ok(())
        }
    });
    let (running, url) = start(acs);
    let cpe = cpe(&url);
    let session = cpe.inform(&inform()).unwrap();
    let done = Value::map([("CommandKey", Value::from("k"))]);
    session.call("TransferComplete", &done).unwrap().unwrap();
    let refused = session.call("Reboot", &done).unwrap().unwrap_err();
    assert_eq!(CwmpFault::of(&refused).unwrap().code, 8000);
    assert_eq!(session.finish().unwrap(), 5);
    let expected = [
        "17",
        "Inform",
        "TransferComplete",
        "Reboot",
        "2 values",
        "CWMP fault 9005: Invalid parameter name",
        "Device.X 9008",
        "9000",
        "3 methods",
    ];
    assert_eq!(log.wait(expected.len()), expected);
    running.stop();
}

#[test]
fn a_function_that_blocks_may_call_and_answer_too() {
    let log = Log::default();
    let (seen, noted) = (log.clone(), log.clone());
    let acs = acs(AcsOptions::default())
        .on("TransferComplete", move |session, args| {
            let opening = session.opening().map(|said| said.operation).unwrap_or_default();
            let key = args.get("CommandKey").and_then(Value::as_str).unwrap_or_default();
            noted.add(format!("{opening} {key}"));
            Ok(Value::Absent)
        })
        .on_session_blocking(move |session| {
            let reply = session.into_session().into_client();
            let reply = reply.call("GetParameterValues", &names(&["Device.A"]))?;
            seen.add(format!("{:?}", reply.is_ok()));
            Ok(())
        });
    let (running, url) = start(acs);
    let cpe = cpe(&url);
    let session = cpe.inform(&inform()).unwrap();
    let done = Value::map([("CommandKey", Value::from("k"))]);
    session.call("TransferComplete", &done).unwrap().unwrap();
    assert_eq!(session.finish().unwrap(), 1);
    assert_eq!(log.wait(2), ["Inform k", "true"]);
    running.stop();
}

#[test]
fn requests_are_held_back_until_the_acs_has_called() {
    let options = AcsOptions {
        hold_requests: true,
        ..AcsOptions::default()
    };
    let acs = acs(options).on_session(|session| async move {
        session.call("GetRPCMethods", &Value::Absent).await?.ok();
        Ok(())
    });
    let (running, url) = start(acs);
    let cpe = cpe(&url);
    let session = cpe.inform(&inform()).unwrap();
    let done = Value::map([("CommandKey", Value::from("k"))]);
    let held = session.call("TransferComplete", &done).unwrap_err();
    assert!(held.to_string().contains("holds requests back"), "{held}");
    assert_eq!(session.finish().unwrap(), 1);
    session.call("TransferComplete", &done).unwrap().unwrap();
    assert_eq!(session.finish().unwrap(), 0);
    running.stop();
}
