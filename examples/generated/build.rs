//! Generates the module `harbour` from its WSDL.

fn main() -> Result<(), castile_build::Error> {
    castile_build::compile("wsdl/harbour.wsdl")
}
