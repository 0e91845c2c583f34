//! The embedded, deterministic prompt writer.
