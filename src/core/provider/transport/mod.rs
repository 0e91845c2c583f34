//! What moves the bytes of the network providers. So far the other side of its tests alone.

#[cfg(any(test, feature = "test-support"))]
pub mod testing;
