//! How many characters a function looks at, counted in tests and compiled out elsewhere.
//!
//! A loop that looks at a stretch of text whose length the text decides calls [`visit`] with that length. The tests in
//! `linear_tests` compare the counts for texts of different lengths, so that a function which looks at the same stretch
//! again and again fails them even where it allocates nothing. Counted by thread, so tests side by side do not mix.

#[cfg(test)]
thread_local! {
    static VISITED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts so many characters, or bytes, as looked at.
#[inline]
pub(crate) fn visit(characters: usize) {
    #[cfg(test)]
    VISITED.set(VISITED.get().saturating_add(characters as u64));
    #[cfg(not(test))]
    let _ = characters;
}

/// How many were looked at on this thread so far.
#[cfg(test)]
pub(crate) fn visited() -> u64 {
    VISITED.get()
}
