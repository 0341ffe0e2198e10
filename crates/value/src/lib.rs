//! Sources, sinks, records and columns: what goes into a message and comes out
