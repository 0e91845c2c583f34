//! Text: analysis, cleaning, templates. Pure functions, no input or output.

pub mod tokens;
