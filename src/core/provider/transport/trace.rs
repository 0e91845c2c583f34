//! Passes the distributed trace of a request on to providers (W3C Trace Context, section 3.3).
//!
//! Every call that is sent is a span of its own, so the provider gets the trace with a new parent
//! id. A request that came without a trace sends none.

use crate::domain::TraceContext;
use crate::ids::{IdSource, SystemIds};
use crate::ledger::Account;
use crate::provider::wire::HttpCall;

const PARENT: &str = "traceparent";
const STATE: &str = "tracestate";

/// Adds the headers of a new span in the trace that `account` belongs to, if any.
pub(super) fn traced(mut call: HttpCall, account: &Account) -> HttpCall {
    if let Some(trace) = account.trace() {
        call.headers.extend(headers(trace, new_span()));
    }
    call
}

fn headers(trace: &TraceContext, span: u64) -> impl Iterator<Item = (&'static str, String)> {
    let own = trace.with_parent(span);
    tracing::debug!(trace_id = own.trace_id(), span_id = own.parent_id(), "a call belongs to a trace");
    let state = own.state().map(|state| (STATE, state.to_owned()));
    [(PARENT, own.to_string())].into_iter().chain(state)
}

/// The random half of a new id.
fn new_span() -> u64 {
    SystemIds.next().as_u64_pair().1
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ledger::{Caps, Labels};
    use crate::provider::wire::Method;

    fn sent(state: Option<&str>) -> Vec<(&'static str, String)> {
        let trace = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state);
        let labels = Labels { trace: trace.map(Arc::new), ..Labels::default() };
        let call = HttpCall { method: Method::Get, path: "/".into(), headers: Vec::new(), body: None };
        traced(call, &Account::open(Caps::default(), labels, None)).headers
    }

    #[test]
    fn every_call_has_a_span_of_its_own_in_the_same_trace() {
        let (first, second) = (sent(Some("congo=t61")), sent(None));
        assert_eq!(first[1], ("tracestate", "congo=t61".to_owned()));
        assert_eq!(second.len(), 1);
        let [first, second] = [&first[0], &second[0]].map(|(name, value)| {
            assert_eq!(*name, "traceparent");
            TraceContext::parse(value, None).unwrap()
        });
        assert_eq!(first.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(first.trace_id(), second.trace_id());
        assert!(![second.parent_id(), "00f067aa0ba902b7"].contains(&first.parent_id()));
    }

    #[test]
    fn without_a_trace_nothing_is_added() {
        let call = HttpCall { method: Method::Get, path: "/".into(), headers: Vec::new(), body: None };
        assert_eq!(traced(call.clone(), &Account::default()), call);
    }
}
