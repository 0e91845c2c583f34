//! The integration tests, one binary: what a user of each face meets.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why and stops")]

mod mcp;
mod rest;
mod seeded;
