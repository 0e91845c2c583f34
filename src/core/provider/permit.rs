//! permit
