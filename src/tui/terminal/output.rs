//! Collects the bytes of a frame for a single write.
//!
//! ratatui flushes several times a frame; here that does nothing, and `take` returns everything.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// The bytes of the frame being drawn. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameBytes {
    bytes: Rc<RefCell<Vec<u8>>>,
}

impl FrameBytes {
    /// Returns what was written since the last call.
    pub(crate) fn take(&self) -> Vec<u8> {
        self.bytes.take()
    }
}

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
