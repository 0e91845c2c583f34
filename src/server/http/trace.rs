//! The distributed trace of a request (W3C Trace Context, level 1), from its headers.
//!
//! A malformed or repeated `traceparent` counts as none, and none is made up: a trace begins where
//! somebody collects it. Calls to providers continue it, which is the core's work.

use std::sync::Arc;

use aludel_core::domain::TraceContext;
use axum::http::{HeaderMap, HeaderName};

const PARENT: HeaderName = HeaderName::from_static("traceparent");
const STATE: HeaderName = HeaderName::from_static("tracestate");

/// The trace that these headers name.
pub(in crate::server) fn of(headers: &HeaderMap) -> Option<Arc<TraceContext>> {
    let mut parents = headers.get_all(PARENT).iter();
    let (parent, None) = (parents.next()?.to_str().ok()?, parents.next()) else { return None };
    // Several headers are one list (section 3.3.1).
    let states: Option<Vec<&str>> = headers.get_all(STATE).iter().map(|state| state.to_str().ok()).collect();
    let state = states.filter(|states| !states.is_empty()).map(|states| states.join(","));
    TraceContext::parse(parent, state.as_deref()).map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn trace(headers: &[(HeaderName, &str)]) -> Option<Arc<TraceContext>> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value.parse().unwrap());
        }
        of(&map)
    }

    #[test]
    fn a_parent_and_its_states_are_one_trace() {
        let found = trace(&[(PARENT, GOOD), (STATE, "a=1"), (STATE, "b=2")]).unwrap();
        assert_eq!((found.to_string().as_str(), found.state()), (GOOD, Some("a=1,b=2")));
    }

    #[test]
    fn without_exactly_one_good_parent_there_is_no_trace() {
        assert!(trace(&[]).is_none());
        assert!(trace(&[(STATE, "a=1")]).is_none());
        assert!(trace(&[(PARENT, "00-zz-00f067aa0ba902b7-01")]).is_none());
        assert!(trace(&[(PARENT, GOOD), (PARENT, GOOD)]).is_none());
    }
}
