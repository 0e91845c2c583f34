//! The rows of a page, grouped by run.

use super::SessionId;

/// The rows of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRows<'a, T> {
    /// The run.
    pub session_id: SessionId,
    /// Its rows on the page, at least one, in the page's order.
    pub rows: Vec<&'a T>,
}

/// Groups rows by run. Runs are in the order of their first row, so the run of the best hit, or of
/// the newest prompt, comes first.
pub fn by_run<T>(rows: &[T], run_of: impl Fn(&T) -> SessionId) -> Vec<RunRows<'_, T>> {
    let mut runs: Vec<RunRows<'_, T>> = Vec::new();
    for row in rows {
        let session_id = run_of(row);
        match runs.iter_mut().find(|run| run.session_id == session_id) {
            Some(run) => run.rows.push(row),
            None => runs.push(RunRows { session_id, rows: vec![row] }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn run(number: u128) -> SessionId {
        SessionId(Uuid::from_u128(number))
    }

    #[test]
    fn runs_stand_in_the_order_of_their_best_row() {
        let page = [(2, "a"), (1, "b"), (2, "c"), (3, "d"), (1, "e")];
        let runs = by_run(&page, |(number, _)| run(*number));
        let told: Vec<(SessionId, String)> =
            runs.iter().map(|of| (of.session_id, of.rows.iter().map(|(_, text)| *text).collect())).collect();
        assert_eq!(told, [(run(2), "ac".into()), (run(1), "be".into()), (run(3), "d".into())]);
        assert!(by_run(&[] as &[(u128, &str)], |(number, _)| run(*number)).is_empty());
    }

    proptest! {
        #[test]
        fn every_row_is_there_once_under_its_run_and_in_order(page in proptest::collection::vec(0_u128..6, 0..40)) {
            let page: Vec<(usize, u128)> = page.into_iter().enumerate().collect();
            let runs = by_run(&page, |(_, number)| run(*number));
            let mut places: Vec<usize> = runs.iter().flat_map(|of| of.rows.iter().map(|(place, _)| *place)).collect();
            let firsts: Vec<usize> = runs.iter().map(|of| of.rows[0].0).collect();
            prop_assert!(firsts.is_sorted());
            for of in &runs {
                prop_assert!(of.rows.iter().all(|(_, number)| run(*number) == of.session_id));
                prop_assert!(of.rows.iter().map(|(place, _)| place).is_sorted());
            }
            places.sort_unstable();
            prop_assert_eq!(places, (0..page.len()).collect::<Vec<_>>());
            let mut names: Vec<SessionId> = runs.iter().map(|of| of.session_id).collect();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), runs.len(), "a run stands once");
        }
    }
}
