//! XML bytes to and from tokens with resolved names, under limits
