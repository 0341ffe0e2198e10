//! Compiled message tables that encoders and decoders walk
