//! A judge's agreement with a person's labels, for people.

use aludel_core::domain::{Agreement, AgreementBin};

use super::page::{Page, Role};
use super::prompt::account;
use super::table::{Column, Table};
use super::words::count_of;
use crate::cli::view::symbols::DOT;

/// Writes the agreement with its interval, kappa, the bins and the calibration.
pub(super) fn agreement(page: &mut Page, agreement: &Agreement) {
    let pairs = count_of(u64::from(agreement.pairs), "pair");
    let said = format!(
        "It agrees with you in {} of {pairs} that you labelled ({} with 90 % confidence).",
        percent(agreement.agreement),
        interval(agreement.interval)
    );
    page.paragraph(if may_be_chance(agreement) { Role::Warning } else { Role::Good }, &said, 0);
    page.paragraph(Role::Body, &kappa(agreement), 0);
    page.gap();
    bins(agreement).write(page);
    page.gap();
    let slope = format!(
        "Calibration: at a margin m, the probability that you prefer the first is 1 / (1 + exp(-k m)), k = {:.2} (standard error {:.2}).",
        agreement.slope, agreement.slope_error
    );
    page.paragraph(Role::Body, &slope, 0);
    let missing = format!("{} without a valid answer in both orders", count_of(u64::from(agreement.missing), "pair"));
    page.paragraph(Role::Faint, &format!("{missing}{DOT}{}", account(&agreement.model_metadata)), 2);
}

/// The agreement as a table cell.
pub(super) fn agrees(agreement: Option<&Agreement>) -> String {
    agreement.map_or_else(|| "-".to_owned(), |agreement| percent(agreement.agreement))
}

/// True if a judge that guesses with the same frequencies could agree as often. Kappa's own error
/// is no help: it is 0 if all of a few pairs agree.
fn may_be_chance(agreement: &Agreement) -> bool {
    agreement.interval[0] <= agreement.expected_by_chance
}

fn kappa(agreement: &Agreement) -> String {
    let chance = percent(agreement.expected_by_chance);
    let verdict = if may_be_chance(agreement) { " This may be chance." } else { "" };
    match (agreement.kappa, agreement.kappa_error) {
        (Some(kappa), Some(error)) => format!(
            "Cohen's kappa {kappa:.2} (standard error {error:.2}): 0 is chance, 1 perfect; {chance} of the labels would be the same by chance.{verdict}"
        ),
        _ => "There is no kappa: you and the judge always gave the same label.".to_owned(),
    }
}

fn bins(agreement: &Agreement) -> Table {
    let columns = ["pairs", "agreed", "90 % interval", "calibrated"].map(Column::numbers);
    let mut table = Table::new(std::iter::once(Column::words("margin")).chain(columns).collect());
    for bin in &agreement.bins {
        table.row(vec![
            range(bin),
            bin.pairs.to_string(),
            percent(bin.agreed),
            interval(bin.interval),
            bin.expected.map_or_else(|| "-".to_owned(), percent),
        ]);
    }
    table
}

/// The range of margins of a bin.
fn range(bin: &AgreementBin) -> String {
    if bin.expected.is_none() { "none".to_owned() } else { format!("{} to {}", bin.from, bin.to) }
}

fn interval([low, high]: [f64; 2]) -> String {
    format!("{:.0} to {}", low * 100.0, percent(high))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::view::Paint;

    fn shown(change: impl Fn(&mut serde_json::Value), width: usize) -> String {
        let mut value = json!({
            "asked_at": "2026-11-18T10:00:00Z", "pairs": 38, "missing": 2, "agreement": 0.8, "interval": [0.68, 0.88],
            "expected_by_chance": 0.41, "kappa": 0.62, "kappa_error": 0.11, "slope": 3.2, "slope_error": 0.8,
            "bins": [
                { "from": 0.0, "to": 0.0, "pairs": 4, "agreed": 0.5, "interval": [0.2, 0.8], "expected": null },
                { "from": 0.25, "to": 0.5, "pairs": 34, "agreed": 0.84, "interval": [0.71, 0.92], "expected": 0.79 }
            ],
            "observations": [],
            "model_metadata": {
                "provider": "openai", "model": "gpt-6", "input_tokens": 4000, "output_tokens": 321, "total_tokens": 4321,
                "cost_usd": 0.0123, "latency_ms": 2500, "calls": 80
            }
        });
        change(&mut value);
        let mut page = Page::new(Paint::Plain, width, true);
        agreement(&mut page, &serde_json::from_value(value).unwrap());
        page.finish().to_string()
    }

    #[test]
    fn an_agreement_reads_well() {
        insta::assert_snapshot!(shown(|_| {}, 80));
    }

    #[test]
    fn an_agreement_that_may_be_chance_is_said_to_be() {
        assert!(!shown(|_| {}, 80).contains("may be chance"));
        assert!(shown(|value| value["interval"][0] = json!(0.4), 200).contains("This may be chance."));
        let none = |value: &mut serde_json::Value| {
            value["kappa"] = json!(null);
            value["kappa_error"] = json!(null);
        };
        assert!(shown(none, 200).contains("There is no kappa"));
    }
}
