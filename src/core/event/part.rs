//! The parts of work that has several, as `progress` names them.

/// Of an index made anew: the words that searches read.
pub const WORDS: &str = "words";
/// Of an index made anew: the vectors that searches by meaning compare.
pub const VECTORS: &str = "vectors";
/// Of an import: every record is checked, nothing is stored yet.
pub const CHECKING: &str = "checking";
/// Of an import: records are stored.
pub const STORING: &str = "storing";
/// Of a judge's test: its own test.
pub const TEST: &str = "test";
/// Of a judge's test: questions about a person's labels.
pub const LABELS: &str = "labels";
