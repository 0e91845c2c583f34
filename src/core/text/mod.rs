//! Text: analysis, cleaning, templates. Pure functions, no input or output.

pub mod clean;
pub mod fence;
pub mod template;
pub mod terms;
pub mod tokens;
