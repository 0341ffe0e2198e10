//! WSDL 1.1 and XSD 1.0 to a Contract and its Plans
