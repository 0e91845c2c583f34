//! Every token that is refused, what the client is told, and that nothing of it is shown again.

use aludel_core::error::Code;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};

use super::{Api, LIST, NOW, Reply, SECRET, api, ask, ask_with, request, seeded, signed_by_another};
use crate::jwt::{HS256, base64url, hmac_sha256, hmac_sha384, hmac_sha512, signed, token, unsigned};

/// Claims that are accepted.
fn claims() -> Value {
    json!({ "sub": "canary-subject", "jti": "canary-id", "exp": NOW + 600, "scope": "admin" })
}

/// The same with another value of one.
fn but(claim: &str, value: Value) -> String {
    let mut claims = claims();
    claims[claim] = value;
    token(SECRET, &claims.to_string())
}

/// The same without one.
fn without(claim: &str) -> String {
    let mut claims = claims();
    claims.as_object_mut().expect("an object").remove(claim);
    token(SECRET, &claims.to_string())
}

fn good() -> String {
    token(SECRET, &claims().to_string())
}

/// Nothing of the token or of the secret is in the answer.
fn assert_tells_nothing(reply: &Reply, token: &str) {
    let shown = format!("{:?} {}", reply.headers, reply.text());
    let parts = token.split(['.', ' ']).filter(|part| part.len() > 6);
    for secret in parts.chain([SECRET, "canary"]) {
        assert!(!shown.contains(secret), "`{secret}` is in {shown}");
    }
}

/// The request is refused for its token, and the reason has this in it.
async fn assert_refused(api: &Api, token: &str, reason: &str) {
    let reply = ask_with(api, "GET", LIST, token).await;
    let problem = reply.problem();
    assert_eq!((reply.status.as_u16(), problem.code), (401, Code::Unauthorized), "{token}");
    assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"aludel\", error=\"invalid_token\"");
    assert!(problem.detail.contains(reason), "{reason}: {}", problem.detail);
    assert_tells_nothing(&reply, token);
}

/// What is said of anything that this server has not signed.
const NOT_OURS: &str = "it has to be a JWT, signed with HS256";

#[tokio::test]
async fn a_good_token_is_accepted() {
    let api = api();
    for accepted in [
        good(),
        without("sub"),
        without("jti"),
        but("nbf", json!(NOW - 600)),
        but("exp", json!(NOW as f64 + 600.5)),
        but("iss", json!("anyone")),
        but("aud", json!(["anyone"])),
        but("budget_usd", json!(0)),
        but("budget_usd", json!(12.5)),
        but("max_calls", json!(u64::MAX)),
        but("other", json!({"deep": [1, {}]})),
        but("scope", json!("openid admin")),
        signed(SECRET, r#"{"alg":"HS256"}"#, &claims().to_string()),
        signed(SECRET, r#"{"kid":"x","alg":"HS256","typ":"at+jwt"}"#, &claims().to_string()),
    ] {
        assert_eq!(ask_with(&api, "GET", LIST, &accepted).await.status, 200, "{accepted}");
    }
    for scheme in ["bearer", "BEARER"] {
        assert_eq!(ask(&api, "GET", LIST, Some(&format!("{scheme} {}", good()))).await.status, 200);
    }
}

#[tokio::test]
async fn a_request_without_a_token_is_told_what_to_send() {
    let reply = ask(&api(), "GET", LIST, None).await;
    let problem = reply.problem();
    assert_eq!((reply.status.as_u16(), problem.code), (401, Code::Unauthorized));
    // RFC 6750, section 3.1: no error for a request without authentication.
    assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"aludel\"");
    assert!(problem.detail.contains("Authorization: Bearer"), "{}", problem.detail);
}

#[tokio::test]
async fn a_token_is_taken_from_one_authorization_header_alone() {
    let api = api();
    let good = good();
    let bearer = format!("Bearer {good}");
    for path in [
        format!("{LIST}?access_token={good}"),
        format!("{LIST}?token={good}"),
        format!("{LIST}?authorization=Bearer%20{good}"),
    ] {
        let reply = ask(&api, "GET", &path, None).await;
        assert_eq!(reply.status, 401, "{path}");
        assert_tells_nothing(&reply, &good);
        // Nor with a good one in the header: the parameter is unknown.
        let reply = ask_with(&api, "GET", &path, &good).await;
        assert_eq!(reply.status, 400, "{path}");
        assert_tells_nothing(&reply, &good);
    }
    for name in ["proxy-authorization", "x-authorization", "cookie", "x-api-key"] {
        let reply = api.send(request("GET", LIST, &[(name, &bearer)], Body::empty())).await;
        assert_eq!(reply.status, 401, "{name}");
    }
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let body = Body::from(format!("access_token={good}"));
    assert_eq!(api.send(request("POST", "/api/v1/prompts/search", &form, body)).await.status, 401);
}

#[tokio::test]
async fn two_headers_are_refused_whatever_they_hold() {
    let api = api();
    let bearer = format!("Bearer {}", good());
    for (first, second) in [(&*bearer, &*bearer), (&*bearer, "Basic YTpi"), ("Basic YTpi", &*bearer), ("", &*bearer)] {
        let mut twice = request("GET", LIST, &[("authorization", first)], Body::empty());
        twice.headers_mut().append("authorization", HeaderValue::from_str(second).expect("a value"));
        let reply = api.send(twice).await;
        assert_eq!((reply.status.as_u16(), reply.problem().code), (400, Code::InvalidRequest));
        assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"aludel\", error=\"invalid_request\"");
        assert_tells_nothing(&reply, &good());
    }
}

#[tokio::test]
async fn another_scheme_is_refused() {
    let api = api();
    let good = good();
    for value in [
        good.clone(),
        format!("Token {good}"),
        format!("Basic {good}"),
        format!("Bearer{good}"),
        format!("Bearer:{good}"),
        format!("Bearer\t{good}"),
        format!("Bearer {good}, Bearer {good}"),
        format!("Bearer {good} {good}"),
        format!("Bearer token=\"{good}\""),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        String::new(),
    ] {
        let reply = ask(&api, "GET", LIST, Some(&value)).await;
        assert_eq!((reply.status.as_u16(), reply.problem().code), (401, Code::Unauthorized), "{value}");
        assert!(reply.problem().detail.contains("Bearer TOKEN"), "{value}");
        assert_tells_nothing(&reply, &good);
    }
    let mut odd: Request<Body> = request("GET", LIST, &[], Body::empty());
    odd.headers_mut().insert("authorization", HeaderValue::from_bytes(b"Bearer \xff\xfe").expect("a value"));
    assert_eq!(api.send(odd).await.status, 401);
}

#[tokio::test]
async fn only_this_secret_and_hs256_sign() {
    let api = api();
    let claims = claims().to_string();
    let header = |alg: &str| format!(r#"{{"alg":{alg},"typ":"JWT"}}"#);
    for alg in [
        "\"none\"",
        "\"None\"",
        "\"NONE\"",
        "\"nOnE\"",
        "\"\"",
        "\"hs256\"",
        "\"HS256 \"",
        "\"HS384\"",
        "\"HS512\"",
        "\"RS256\"",
        "\"PS256\"",
        "\"ES256\"",
        "\"EdDSA\"",
        "null",
        "0",
        "[\"HS256\"]",
        "{}",
    ] {
        // With the secret as the key, whatever the algorithm says: for RS256 the known confusion.
        let token = signed(SECRET, &header(alg), &claims);
        assert_refused(&api, &token, NOT_OURS).await;
        let (message, _) = token.rsplit_once('.').expect("a signature");
        assert_refused(&api, &format!("{message}."), NOT_OURS).await;
    }
    let by = |alg: &str, sign: fn(&[u8], &[u8]) -> Vec<u8>| {
        let message = unsigned(&header(alg), &claims);
        format!("{message}.{}", base64url(&sign(SECRET.as_bytes(), message.as_bytes())))
    };
    assert_eq!(ask_with(&api, "GET", LIST, &by("\"HS256\"", hmac_sha256)).await.status, 200, "the maker works");
    assert_refused(&api, &by("\"HS384\"", hmac_sha384), NOT_OURS).await;
    assert_refused(&api, &by("\"HS512\"", hmac_sha512), NOT_OURS).await;
    assert_refused(&api, &by("\"HS256\"", hmac_sha512), NOT_OURS).await;
    for other in ["", "canary-secret-0123456789-canary-secreT", &format!("{SECRET}\n"), &SECRET[..32]] {
        assert_refused(&api, &token(other, &claims), NOT_OURS).await;
    }
    assert_refused(&api, &signed_by_another(&claims), NOT_OURS).await;
    for header in [
        r#"{"typ":"JWT"}"#,
        r#"{"alg":"HS256","alg":"none"}"#,
        r#"{"alg":"none","alg":"HS256"}"#,
        r#"{"alg":"HS256","crit":["b64"],"b64":false}"#,
        r#"{"alg":"HS256","crit":[]}"#,
        r#"{"ALG":"HS256"}"#,
        r#"["alg","HS256"]"#,
        r#""HS256""#,
        "",
        "{",
    ] {
        assert_refused(&api, &signed(SECRET, header, &claims), NOT_OURS).await;
    }
}

#[tokio::test]
async fn a_token_that_was_changed_is_refused() {
    let api = api();
    let good = good();
    let parts: Vec<&str> = good.split('.').collect();
    let [header, payload, signature] = parts[..] else { panic!("{good}") };
    let richer = base64url(good_but_richer().as_bytes());
    let last = signature.chars().last().expect("a character");
    // The last character of 43 holds two bits that belong to no byte.
    let alike = char::from(last as u8 + 1);
    for changed in [
        format!("{header}.{richer}.{signature}"),
        format!("{header}.{payload}.{}", &signature[1..]),
        format!("{header}.{payload}.{}", &signature[..42]),
        format!("{header}.{payload}.{}{alike}", &signature[..42]),
        format!("{header}.{payload}.{signature}="),
        format!("{header}.{payload}.{signature}A"),
        format!("{header}.{payload}.{}", signature.to_ascii_lowercase()),
        format!("{header}.{payload}=.{signature}"),
        format!("{header}.{payload}"),
        format!("{payload}.{signature}"),
        format!("{header}.{payload}.{signature}.{signature}"),
        format!("{header}.{payload}.{signature}.{signature}.{signature}"),
        format!(".{payload}.{signature}"),
        format!("{header}..{signature}"),
        format!("{header}.{payload}."),
        "..".into(),
        ".".into(),
        "a".into(),
        "a.b.c".into(),
        "====".into(),
        "-._~+/".into(),
    ] {
        assert_refused(&api, &changed, NOT_OURS).await;
    }
}

fn good_but_richer() -> String {
    let mut claims = claims();
    claims["budget_usd"] = json!(1000);
    claims.to_string()
}

/// Payloads that are signed well and are no claims.
#[tokio::test]
async fn claims_are_one_json_object() {
    let api = api();
    let exp = NOW + 600;
    for payload in [
        String::new(),
        "{".into(),
        "null".into(),
        "[]".into(),
        format!("[{exp}]"),
        format!("[{exp},null,null,null,\"admin\",null,null]"),
        format!("[{exp},null,null,null,\"admin\",null,null,{{}}]"),
        format!("\"{exp}\""),
        format!("{{\"exp\":{exp}}}x"),
        format!("{{'exp':{exp}}}"),
        format!("{{\"exp\":{exp},\"exp\":{exp}}}"),
        format!("{{\"exp\":1,\"exp\":{exp}}}"),
        format!("{{\"exp\":{exp},\"scope\":\"read\",\"scope\":\"admin\"}}"),
        format!("{{\"exp\":{exp},\"x\":\"\u{7}\"}}"),
        "{\"exp\":1e400}".into(),
        "{\"exp\":NaN}".into(),
    ] {
        assert_refused(&api, &token(SECRET, &payload), NOT_OURS).await;
    }
    let not_utf8 = format!("{}.{}", base64url(HS256.as_bytes()), base64url(b"{\"exp\":1800000000,\"x\":\"\xff\"}"));
    let signature = base64url(&hmac_sha256(SECRET.as_bytes(), not_utf8.as_bytes()));
    assert_refused(&api, &format!("{not_utf8}.{signature}"), NOT_OURS).await;
}

#[tokio::test]
async fn a_token_is_valid_in_its_time_alone() {
    let api = api();
    let accepted = async |token: &str| ask_with(&api, "GET", LIST, token).await.status == 200;
    assert!(accepted(&but("exp", json!(NOW - 25))).await, "within the leeway");
    assert!(accepted(&but("nbf", json!(NOW + 25))).await, "within the leeway");
    for exp in [json!(NOW - 30), json!(NOW - 31), json!(NOW as f64 - 30.5), json!(0), json!(1)] {
        assert_refused(&api, &but("exp", exp), "has expired").await;
    }
    for nbf in [json!(NOW + 40), json!(NOW as f64 + 40.5), json!(4_000_000_000_u64)] {
        assert_refused(&api, &but("nbf", nbf), "not valid yet").await;
    }
    assert_refused(&api, &without("exp"), "`exp` is missing").await;
    assert_refused(&api, &but("exp", json!(null)), "`exp` is missing").await;
    let no_times = [
        json!((NOW + 600).to_string()),
        json!("2099-01-01T00:00:00Z"),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MAX),
        json!(253_402_300_800_u64),
    ];
    for value in no_times {
        assert_refused(&api, &but("exp", value.clone()), "`exp` is not a time").await;
        assert_refused(&api, &but("nbf", value), "`nbf` is not a time").await;
    }
    for value in [json!([NOW + 600]), json!({}), json!({ "exp": NOW + 600 })] {
        assert_refused(&api, &but("exp", value), "the token").await;
    }
    // Both wrong: only who holds a signed token is told of its time.
    let expired = json!({ "exp": NOW - 600 }).to_string();
    assert_refused(&api, &signed_by_another(&expired), NOT_OURS).await;
}

#[tokio::test]
async fn issuer_and_audience_match_when_they_are_configured() {
    let api = Api::new(seeded(", issuer: 'https://id.example', audience: aludel", ""));
    let with = |iss: Value, aud: Value| {
        let mut claims = claims();
        (claims["iss"], claims["aud"]) = (iss, aud);
        token(SECRET, &claims.to_string())
    };
    let (iss, aud) = (json!("https://id.example"), json!("aludel"));
    for aud in [aud.clone(), json!(["other", "aludel"])] {
        assert_eq!(ask_with(&api, "GET", LIST, &with(iss.clone(), aud)).await.status, 200);
    }
    for wrong in
        [json!("https://id.example/"), json!("HTTPS://ID.EXAMPLE"), json!(""), json!(null), json!(7), json!([])]
    {
        assert_refused(&api, &with(wrong, aud.clone()), "`iss` is not this server's").await;
    }
    for wrong in [json!("Aludel"), json!("aludel "), json!(["other"]), json!(null), json!({"aludel": 1}), json!([])] {
        assert_refused(&api, &with(iss.clone(), wrong), "`aud` is not this server's").await;
    }
    assert_refused(&api, &good(), "is not this server's").await;
}

/// A cap that cannot be read must not be no cap.
#[tokio::test]
async fn a_claim_of_the_wrong_type_is_refused() {
    let api = api();
    for wrong in [json!("5"), json!(-0.01), json!([5]), json!(true)] {
        assert_refused(&api, &but("budget_usd", wrong), "`budget_usd` is not a number of US dollars").await;
    }
    for wrong in [json!("5"), json!(-1), json!(1.5), json!(1e30), json!(false)] {
        assert_refused(&api, &but("max_calls", wrong), "`max_calls` is not a number of calls").await;
    }
    for wrong in [json!(7), json!(["read", "admin"]), json!({})] {
        assert_refused(&api, &but("scope", wrong), "`scope` is not a text").await;
    }
    for claim in ["sub", "jti"] {
        assert_refused(&api, &but(claim, json!(7)), "is not a text").await;
        for wrong in ["", "a\nb", "a\u{1b}[31m", &"x".repeat(257)] {
            assert_refused(&api, &but(claim, json!(wrong)), "is empty, too long or has control characters").await;
        }
    }
}

#[tokio::test]
async fn a_huge_token_is_refused_before_it_is_read() {
    let api = api();
    let of_length = |most: usize| {
        let padded = |padding: usize| but("padding", json!("x".repeat(padding)));
        let mut padding = most * 3 / 4 - 400;
        while padded(padding + 1).len() <= most {
            padding += 1;
        }
        padded(padding)
    };
    let largest = of_length(8192);
    assert!(largest.len() > 8188, "{}", largest.len());
    assert_eq!(ask_with(&api, "GET", LIST, &largest).await.status, 200);
    assert_refused(&api, &of_length(8200), "longer than 8192 bytes").await;
    // It is well signed, and so is what follows; neither is looked at.
    assert_refused(&api, &of_length(1_000_000), "longer than 8192 bytes").await;
    assert_refused(&api, &"a.".repeat(500_000), "longer than 8192 bytes").await;
}
