//! The names of the parts of multi-part work in `progress` events.

/// Rebuilding the index: the words that text searches read.
pub const WORDS: &str = "words";
/// Rebuilding the index: the vectors that semantic searches compare.
pub const VECTORS: &str = "vectors";
/// Importing: every record is checked, nothing is stored yet.
pub const CHECKING: &str = "checking";
/// Importing: records are stored.
pub const STORING: &str = "storing";
/// Testing a judge: its own test.
pub const TEST: &str = "test";
/// Testing a judge: questions about a person's labels.
pub const LABELS: &str = "labels";
