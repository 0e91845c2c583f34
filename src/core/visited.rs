//! Counts the characters a function looks at, in tests only.
//!
//! A loop over a stretch of text of variable length calls [`visit`] with that length. The tests in
//! `linear_tests` compare the counts for texts of different lengths, to catch functions that
//! revisit the same stretch without allocating. Counted per thread.

#[cfg(test)]
thread_local! {
    static VISITED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts this many characters or bytes as visited.
#[inline]
pub(crate) fn visit(characters: usize) {
    #[cfg(test)]
    VISITED.set(VISITED.get().saturating_add(characters as u64));
    #[cfg(not(test))]
    let _ = characters;
}

/// The number visited on this thread so far.
#[cfg(test)]
pub(crate) fn visited() -> u64 {
    VISITED.get()
}
