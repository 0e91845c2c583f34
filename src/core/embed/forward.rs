//! The forward pass: tokens in, normalised vectors out.
//!
//! The tokens of all texts of a batch are consecutive rows, without padding, and go through each
//! step together; only attention handles texts separately. What always holds: a row's additions
//! have an order independent of the batch, so a text has one vector.

use ndarray::linalg::general_mat_mul;
use ndarray::{aview_mut2, aview2, s};

use super::kernels::{gelu, normalise, softmax};
use super::model::{Model, QUERY_KEY_VALUE, WIDE, WIDTH};
use super::{DIMENSIONS, MAX_TOKENS};

const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;

impl Model {
    /// The vectors of texts given as tokens, in order.
    pub(super) fn vectors(&self, texts: &[&[u16]]) -> Vec<Vec<f32>> {
        let total = texts.iter().map(|tokens| tokens.len()).sum();
        let mut rows = vec![[0.0; WIDTH]; total];
        for (tokens, rows) in texts.iter().zip(split(&mut rows, texts)) {
            self.look_up(tokens, rows);
        }
        let mut looks = vec![[0.0; QUERY_KEY_VALUE]; total];
        let mut seen = vec![[0.0; WIDTH]; total];
        let mut wide = vec![[0.0; WIDE]; total];
        let mut scores = vec![[0.0; MAX_TOKENS]; texts.iter().map(|tokens| tokens.len()).max().unwrap_or(0)];
        for layer in &self.layers {
            layer.query_key_value.set(&rows, &mut looks);
            for (looks, seen) in split(&mut looks, texts).zip(split(&mut seen, texts)) {
                attend(looks, &mut scores, seen);
            }
            layer.attention.add(&seen, &mut rows);
            layer.attention_norm.apply(&mut rows);
            layer.widening.set(&rows, &mut wide);
            gelu(wide.as_flattened_mut());
            layer.narrowing.add(&wide, &mut rows);
            layer.norm.apply(&mut rows);
        }
        split(&mut rows, texts).map(|rows| mean_direction(rows)).collect()
    }
}

/// Splits rows by text.
fn split<'a, const N: usize>(
    mut rows: &'a mut [[f32; N]],
    texts: &'a [&[u16]],
) -> impl Iterator<Item = &'a mut [[f32; N]]> {
    texts.iter().map(move |tokens| {
        let (first, rest) = std::mem::take(&mut rows).split_at_mut(tokens.len());
        rows = rest;
        first
    })
}

/// Attention within one text: softmax(query · keyᵀ / √width) · value, for each head.
fn attend(looks: &[[f32; QUERY_KEY_VALUE]], scores: &mut [[f32; MAX_TOKENS]], seen: &mut [[f32; WIDTH]]) {
    let tokens = looks.len();
    let scale = 1.0 / (HEAD as f32).sqrt();
    let looks = aview2(looks);
    let mut seen = aview_mut2(seen);
    for head in (0..WIDTH).step_by(HEAD) {
        let part = |first: usize| looks.slice(s![.., first + head..first + head + HEAD]);
        let (query, key, value) = (part(0), part(WIDTH), part(2 * WIDTH));
        let scores = &mut scores[..tokens];
        general_mat_mul(scale, &query, &key.t(), 0.0, &mut aview_mut2(scores).slice_mut(s![.., ..tokens]));
        for row in scores.iter_mut() {
            softmax(&mut row[..tokens]);
        }
        let mut seen = seen.slice_mut(s![.., head..head + HEAD]);
        general_mat_mul(1.0, &aview2(scores).slice(s![.., ..tokens]), &value, 0.0, &mut seen);
    }
}

/// The normalised mean of the rows.
fn mean_direction(rows: &[[f32; WIDTH]]) -> Vec<f32> {
    let mut mean = vec![0.0; DIMENSIONS];
    for row in rows {
        for (total, value) in mean.iter_mut().zip(row) {
            *total += value;
        }
    }
    normalise(&mut mean);
    mean
}
