//! House rules, checked by a program.
fn main() {}
