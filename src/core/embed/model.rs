//! The model's weights: 32-bit for multiplication, 4-bit for look-up tables.
//!
//! Owns the mapping of file sections to weights. Shapes are in the types: a [`Dense`] of `IN` and
//! `OUT` maps rows of `IN` numbers to rows of `OUT`. What always holds: a [`Model`] is complete,
//! and every weight has the right length. [`super::forward`] uses the weights.

use std::panic::resume_unwind;
use std::thread;

use ndarray::linalg::general_mat_mul;
use ndarray::{aview_mut2, aview2};

use super::asset::{AssetError, Nibbles, Sections, widen_halves};
use super::kernels::Norm;
use super::wordpiece::Vocabulary;
use super::{DIMENSIONS, MAX_TOKENS};

/// Numbers per token.
pub(super) const WIDTH: usize = DIMENSIONS;
/// Query, key and value together.
pub(super) const QUERY_KEY_VALUE: usize = 3 * WIDTH;
/// The wide step in each layer.
pub(super) const WIDE: usize = 4 * WIDTH;

const LAYERS: usize = 6;

/// Values that share a scale, in a row of the word table and of a layer's matrix.
const WORD_GROUP: usize = 64;
const LAYER_GROUP: usize = 32;

/// The first of `[UNK]`, `[CLS]` and `[SEP]`, stored in 16 bits because they are in every text.
const FIRST_EXACT: usize = 100;

/// Output columns widened at once: one cache line.
const BLOCK: usize = 16;

pub(super) struct Model {
    pub(super) vocabulary: Vocabulary,
    words: Nibbles<'static>,
    exact_words: Box<[[f32; WIDTH]]>,
    positions: Box<[[f32; WIDTH]]>,
    norm: Norm<WIDTH>,
    pub(super) layers: Vec<Layer>,
}

pub(super) struct Layer {
    pub(super) query_key_value: Dense<WIDTH, QUERY_KEY_VALUE>,
    pub(super) attention: Dense<WIDTH, WIDTH>,
    pub(super) attention_norm: Norm<WIDTH>,
    pub(super) widening: Dense<WIDTH, WIDE>,
    pub(super) narrowing: Dense<WIDE, WIDTH>,
    pub(super) norm: Norm<WIDTH>,
}

impl Model {
    /// Reads a whole file, using every core.
    pub(super) fn read(bytes: &'static [u8]) -> Result<Self, AssetError> {
        let mut sections = Sections::open(bytes)?;
        let vocabulary = Vocabulary::read(&mut sections)?;
        let words = sections.take_nibbles("words", (sections.vocabulary(), WIDTH), WORD_GROUP)?;
        let positions = take_rows(&mut sections, "positions", MAX_TOKENS)?;
        let norm = norm_of(take_pair(&mut sections)?);
        let exact_words = take_rows(&mut sections, "exact words", 3)?;
        let packed = (0..LAYERS).map(|_| PackedLayer::take(&mut sections)).collect::<Result<Vec<_>, _>>()?;
        sections.end()?;
        let at_once = LAYERS.div_ceil(thread::available_parallelism().map_or(1, usize::from));
        let layers = thread::scope(|scope| {
            let widening: Vec<_> = packed
                .chunks(at_once)
                .map(|some| scope.spawn(move || some.iter().map(PackedLayer::widen).collect::<Vec<_>>()))
                .collect();
            widening.into_iter().flat_map(|some| some.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        Ok(Self { vocabulary, words, exact_words, positions, norm, layers })
    }

    /// The input rows of a text's tokens: token plus position embedding. At most [`MAX_TOKENS`].
    pub(super) fn look_up(&self, tokens: &[u16], rows: &mut [[f32; WIDTH]]) {
        for ((token, row), position) in tokens.iter().zip(rows.iter_mut()).zip(&self.positions) {
            let token = usize::from(*token);
            match token.checked_sub(FIRST_EXACT).and_then(|exact| self.exact_words.get(exact)) {
                Some(exact) => *row = *exact,
                None => self.words.widen_row(token, row),
            }
            for (value, at) in row.iter_mut().zip(position) {
                *value += at;
            }
        }
        self.norm.apply(rows);
    }
}

/// A dense layer: rows of `IN` numbers times weights, plus bias.
pub(super) struct Dense<const IN: usize, const OUT: usize> {
    /// `IN` rows.
    weights: Box<[[f32; OUT]]>,
    bias: Box<[f32]>,
}

impl<const IN: usize, const OUT: usize> Dense<IN, OUT> {
    /// Writes the output for `rows` to `out`, of the same length.
    pub(super) fn set(&self, rows: &[[f32; IN]], out: &mut [[f32; OUT]]) {
        for row in out.iter_mut() {
            row.copy_from_slice(&self.bias);
        }
        self.multiply(rows, out);
    }

    /// Adds the output for `rows` to `out`.
    pub(super) fn add(&self, rows: &[[f32; IN]], out: &mut [[f32; OUT]]) {
        for row in out.iter_mut() {
            for (value, bias) in row.iter_mut().zip(&self.bias) {
                *value += bias;
            }
        }
        self.multiply(rows, out);
    }

    fn multiply(&self, rows: &[[f32; IN]], out: &mut [[f32; OUT]]) {
        general_mat_mul(1.0, &aview2(rows), &aview2(&self.weights), 1.0, &mut aview_mut2(out));
    }

    /// Widens matrices into adjacent columns; in the file a row of a matrix is an output.
    fn widen(parts: &[PackedDense]) -> Self {
        let mut weights = vec![[0.0; OUT]; IN].into_boxed_slice();
        let mut bias = vec![0.0; OUT].into_boxed_slice();
        let mut block = vec![[0.0; IN]; BLOCK];
        let width = OUT / parts.len();
        for (part, first) in parts.iter().zip((0..OUT).step_by(width)) {
            widen_halves(part.bias, &mut bias[first..first + width]);
            for begin in (0..width).step_by(BLOCK) {
                for (row, number) in block.iter_mut().zip(begin..width) {
                    part.weights.widen_row(number, row);
                }
                for (input, row) in weights.iter_mut().enumerate() {
                    for (weight, output) in row[first + begin..first + width].iter_mut().zip(&block) {
                        *weight = output[input];
                    }
                }
            }
        }
        Self { weights, bias }
    }
}

/// A layer as stored in the file.
struct PackedLayer {
    query_key_value: [PackedDense; 3],
    attention: PackedDense,
    widening: PackedDense,
    narrowing: PackedDense,
    attention_norm: [[f32; WIDTH]; 2],
    norm: [[f32; WIDTH]; 2],
}

struct PackedDense {
    weights: Nibbles<'static>,
    bias: &'static [u8],
}

impl PackedLayer {
    fn take(sections: &mut Sections<'static>) -> Result<Self, AssetError> {
        let mut dense = |what: &'static str, outputs: usize, inputs: usize| {
            let weights = sections.take_nibbles(what, (outputs, inputs), LAYER_GROUP)?;
            Ok(PackedDense { weights, bias: sections.take(what, outputs * 2)? })
        };
        Ok(Self {
            query_key_value: [
                dense("query", WIDTH, WIDTH)?,
                dense("key", WIDTH, WIDTH)?,
                dense("value", WIDTH, WIDTH)?,
            ],
            attention: dense("attention output", WIDTH, WIDTH)?,
            widening: dense("intermediate", WIDE, WIDTH)?,
            narrowing: dense("output", WIDTH, WIDE)?,
            attention_norm: take_pair(sections)?,
            norm: take_pair(sections)?,
        })
    }

    fn widen(&self) -> Layer {
        Layer {
            query_key_value: Dense::widen(&self.query_key_value),
            attention: Dense::widen(std::slice::from_ref(&self.attention)),
            attention_norm: norm_of(self.attention_norm),
            widening: Dense::widen(std::slice::from_ref(&self.widening)),
            narrowing: Dense::widen(std::slice::from_ref(&self.narrowing)),
            norm: norm_of(self.norm),
        }
    }
}

fn norm_of([weight, bias]: [[f32; WIDTH]; 2]) -> Norm<WIDTH> {
    Norm { weight, bias }
}

fn take_pair(sections: &mut Sections<'_>) -> Result<[[f32; WIDTH]; 2], AssetError> {
    let bytes = sections.take("norm", 2 * WIDTH * 2)?;
    let mut pair = [[0.0; WIDTH]; 2];
    widen_halves(bytes, pair.as_flattened_mut());
    Ok(pair)
}

fn take_rows(sections: &mut Sections<'_>, what: &'static str, count: usize) -> Result<Box<[[f32; WIDTH]]>, AssetError> {
    let bytes = sections.take(what, count * WIDTH * 2)?;
    let mut rows = vec![[0.0; WIDTH]; count].into_boxed_slice();
    widen_halves(bytes, rows.as_flattened_mut());
    Ok(rows)
}
