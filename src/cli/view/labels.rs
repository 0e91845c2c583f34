//! How often a judge agrees with a person's labels, as people read it.

use aludel_core::domain::{Agreement, AgreementBin};

use super::page::{Page, Role};
use super::prompt::account;
use super::table::{Column, Table};
use super::words::count_of;
use crate::cli::view::ornament::DOT;

/// Writes the agreement with its interval, kappa, the bins and the calibration.
pub(super) fn agreement(page: &mut Page, agreement: &Agreement) {
    let pairs = count_of(u64::from(agreement.pairs), "pair");
    let said = format!(
        "It agrees with you in {} of {pairs} that you labelled ({} with 90 % confidence).",
        percent(agreement.agreement),
        interval(agreement.interval)
    );
    page.paragraph(Role::Good, &said, 0);
    page.paragraph(Role::Body, &kappa(agreement), 0);
    page.gap();
    bins(agreement).write(page);
    page.gap();
    let slope = format!(
        "Calibration: at a margin m you prefer the first with the probability 1 / (1 + exp(-k m)), k = {:.2} (standard error {:.2}).",
        agreement.slope, agreement.slope_error
    );
    page.paragraph(Role::Body, &slope, 0);
    let missing = format!("{} without a valid answer in both orders", count_of(u64::from(agreement.missing), "pair"));
    page.paragraph(Role::Faint, &format!("{missing}{DOT}{}", account(&agreement.model_metadata)), 2);
}

/// The agreement in a cell of a table.
pub(super) fn agrees(agreement: Option<&Agreement>) -> String {
    agreement.map_or_else(|| "-".to_owned(), |agreement| percent(agreement.agreement))
}

fn kappa(agreement: &Agreement) -> String {
    let chance = percent(agreement.expected_by_chance);
    match (agreement.kappa, agreement.kappa_error) {
        (Some(kappa), Some(error)) => format!(
            "Cohen's kappa {kappa:.2} (standard error {error:.2}): 0 is chance, 1 perfect; {chance} of the labels would be the same by chance."
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

/// Which margins a bin is of.
fn range(bin: &AgreementBin) -> String {
    if bin.expected.is_none() { "none".to_owned() } else { format!("to {}", bin.to) }
}

fn interval([low, high]: [f64; 2]) -> String {
    format!("{:.0} to {}", low * 100.0, percent(high))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
