//! Text: analysis, cleaning, templates. Pure functions, no input or output.

#[cfg(any(test, feature = "test-support"))]
pub mod adversarial;
pub mod cell;
pub mod clean;
pub mod diff;
pub mod facts;
pub mod fence;
pub mod language;
pub mod likeness;
pub mod markdown;
pub mod measure;
pub mod query;
pub mod shown;
pub mod snippet;
pub mod template;
pub mod terms;
pub mod title;
pub mod tokens;
pub mod variables;
pub mod yaml;
