//! The command line, end to end: what is put out, what is said, and the exit code.

mod generate;
