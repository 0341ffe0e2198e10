//! Generates types, clients and service traits of the suite's contracts, for the variant `generated`.

fn main() -> Result<(), castile_build::Error> {
    for contract in ["bench", "nested", "files"] {
        castile_build::compile(format!("../../workloads/wsdl/{contract}.wsdl"))?;
    }
    Ok(())
}
