//! A SOAP toolkit: compile the contract once, then move only bytes and values
