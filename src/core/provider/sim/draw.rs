//! Request fingerprints, and random numbers that depend only on the seed and their purpose.
//!
//! A request's fingerprint covers its brief, model, parameters and schema, but not the messages,
//! which depend on user templates and random delimiters.

use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh3::Xxh3;

use crate::provider::{Brief, ChatRequest};

/// Identifies a request: 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of `request` to `model`.
    pub fn of(request: &ChatRequest, model: &str) -> Self {
        let mut hash = Fields::new(0);
        hash.text(model);
        hash.number(request.temperature.map_or(u64::MAX, f64::to_bits));
        hash.number(request.max_tokens.map_or(u64::MAX, u64::from));
        hash.text(&request.response_schema.as_ref().map(ToString::to_string).unwrap_or_default());
        match &request.brief {
            Brief::Phase(brief) => {
                hash.text("phase");
                hash.text(brief.phase.as_str());
                hash.number(brief.phases.len() as u64);
                for phase in &brief.phases {
                    hash.text(phase.as_str());
                }
                hash.text(&brief.persona);
                hash.text(&brief.strategy);
                hash.text(brief.target.as_str());
                hash.number(u64::from(brief.variant));
                hash.text(&brief.original_input);
                hash.text(&brief.input);
                for text in &brief.context {
                    hash.text(text);
                }
            }
            Brief::Judge(brief) => {
                hash.text("judge");
                hash.text(&brief.task);
                hash.text(&brief.persona);
                for text in brief.question.texts() {
                    hash.text(text);
                }
                for (name, weight) in &brief.criteria {
                    hash.text(name);
                    hash.number(weight.to_bits());
                }
            }
        }
        Self(hash.finish())
    }

    /// The number itself, as an input to draws.
    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(number) if is_hex => Ok(Self(number)),
            _ => Err(format!(
                "`{text}` is not a request fingerprint, expected 16 hexadecimal digits as the journal shows"
            )),
        }
    }
}

/// A hash over delimited fields.
pub(super) struct Fields(Xxh3);

impl Fields {
    pub(super) fn new(seed: u64) -> Self {
        Self(Xxh3::with_seed(seed))
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
    }

    pub(super) fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    pub(super) fn finish(&self) -> u64 {
        self.0.digest()
    }
}

/// A random number for `purpose` and `parts`.
pub(super) fn number(seed: u64, purpose: &str, parts: &[u64]) -> u64 {
    let mut hash = Fields::new(seed);
    hash.text(purpose);
    for part in parts {
        hash.number(*part);
    }
    hash.finish()
}

/// A uniform fraction 0..1.
pub(super) fn fraction(seed: u64, purpose: &str, parts: &[u64]) -> f64 {
    unit(number(seed, purpose, parts))
}

/// A standard normal random number (Box and Muller, 1958).
pub(super) fn normal(seed: u64, purpose: &str, parts: &[u64]) -> f64 {
    let first = number(seed, purpose, parts);
    let second = number(first, purpose, &[]);
    let radius = (-2.0 * (1.0 - unit(first)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(second)).cos()
}

/// The top 53 bits as a fraction.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::sim::testing::{judge_request, request};

    #[test]
    fn a_fingerprint_depends_on_all_but_the_messages() {
        let base = request(0);
        let name = |request: &ChatRequest| Fingerprint::of(request, "m");
        let mut other = base.clone();
        other.messages.clear();
        assert_eq!(name(&base), name(&other));
        let changes: [fn(&mut ChatRequest); 4] = [
            |r| r.temperature = Some(0.1),
            |r| r.max_tokens = Some(1),
            |r| r.response_schema = Some(serde_json::json!({})),
            |r| {
                if let Brief::Phase(brief) = &mut r.brief {
                    brief.context.push("more".into());
                }
            },
        ];
        for change in changes {
            let mut other = base.clone();
            change(&mut other);
            assert_ne!(name(&base), name(&other));
        }
        assert_ne!(name(&base), name(&request(1)));
        assert_ne!(name(&base), Fingerprint::of(&base, "n"));
        assert_ne!(name(&judge_request("a", "b")), name(&judge_request("b", "a")));
    }

    #[test]
    fn fields_do_not_run_into_one_another() {
        assert_ne!(Fingerprint::of(&judge_request("ab", "c"), "m"), Fingerprint::of(&judge_request("a", "bc"), "m"));
    }

    #[test]
    fn a_fingerprint_reads_what_it_shows_and_nothing_else() {
        let print = Fingerprint::of(&request(0), "m");
        assert_eq!(print.to_string().parse(), Ok(print));
        for wrong in ["", "12", "zzzzzzzzzzzzzzzz", "+123456789abcdef", "0123456789abcdef0"] {
            assert!(wrong.parse::<Fingerprint>().unwrap_err().contains("16 hexadecimal"), "{wrong}");
        }
    }

    #[test]
    fn draws_are_reproducible_and_spread_as_they_say() {
        let count = 20_000_u64;
        let fractions: Vec<f64> = (0..count).map(|n| fraction(7, "test", &[n])).collect();
        assert_eq!(fractions[5].to_bits(), fraction(7, "test", &[5]).to_bits());
        assert!(fractions.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = fractions.iter().sum::<f64>() / count as f64;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let normals: Vec<f64> = (0..count).map(|n| normal(7, "test", &[n])).collect();
        let mean = normals.iter().sum::<f64>() / count as f64;
        let variance = normals.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count as f64;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
