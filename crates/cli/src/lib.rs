//! The castile command
