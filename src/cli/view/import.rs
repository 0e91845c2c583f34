//! The summary of an import.

use std::fmt::Write as _;

use aludel_core::domain::ImportReport;

use super::words::{count_of, one_line, thousands};

/// The lines, for standard error.
pub(crate) fn import(report: &ImportReport) -> Vec<String> {
    let mut lines: Vec<String> =
        report.warnings.iter().map(|warning| format!("warning: {}", one_line(warning))).collect();
    if report.records == 0 {
        lines.push("there was nothing to import".into());
        return lines;
    }
    let verb = if report.dry_run { "would be imported" } else { "imported" };
    let mut summary = format!("{} {verb}", count_of(report.imported, "prompt"));
    for (count, what) in
        [(report.existing, "already there"), (report.conflicts, "in conflict"), (report.skipped, "skipped")]
    {
        if count > 0 {
            let _ = write!(summary, ", {} {what}", thousands(count));
        }
    }
    lines.push(summary);
    for conflict in &report.conflicting {
        let (id, fields) = (conflict.id.short(), conflict.fields.join(", "));
        lines.push(format!(
            "  {}: {id} is already stored with different {fields}; the stored prompt was kept",
            conflict.place
        ));
    }
    let shown = report.conflicting.len() as u64;
    if report.conflicts > shown {
        lines.push(format!("  and {} more", count_of(report.conflicts - shown, "conflict")));
    }
    for skip in &report.skips {
        let first = if skip.count == 1 { skip.first.clone() } else { format!("from {} on", skip.first) };
        lines.push(format!("  skipped {}: {} ({first})", thousands(skip.count), one_line(&skip.reason)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::{Conflict, Skip};

    use super::*;

    #[test]
    fn a_report_says_what_was_left_out_and_why() {
        let report = ImportReport {
            records: 5000,
            imported: 4990,
            existing: 3,
            conflicts: 2,
            conflicting: vec![Conflict {
                id: "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21".parse().unwrap(),
                place: "record 3 (line 4)".into(),
                fields: vec!["content".into(), "tags".into()],
            }],
            skipped: 5,
            skips: vec![Skip { reason: "it has no content".into(), count: 5, first: "row 9".into() }],
            warnings: vec!["left out: `match`".into()],
            dry_run: false,
        };
        assert_eq!(
            import(&report),
            [
                "warning: left out: `match`",
                "4,990 prompts imported, 3 already there, 2 in conflict, 5 skipped",
                "  record 3 (line 4): 7a3f9c21 is already stored with different content, tags; the stored prompt was kept",
                "  and 1 conflict more",
                "  skipped 5: it has no content (from row 9 on)",
            ]
        );
        let nothing = ImportReport::default();
        assert_eq!(import(&nothing), ["there was nothing to import"]);
    }
}
