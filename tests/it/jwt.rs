//! Makes JSON web tokens by hand, valid and not: the oracle of the tests of authentication.
//!
//! From RFC 2104 (HMAC), RFC 4648 (base64url) and RFC 7515 (JWS), with nothing of the program or of
//! its library for tokens.

use sha2::{Digest, Sha256, Sha384, Sha512};

/// HMAC (RFC 2104) with a hash whose block has this many bytes.
fn hmac<H: Digest>(block: usize, key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut padded = if key.len() > block { H::digest(key).to_vec() } else { key.to_vec() };
    padded.resize(block, 0);
    let pad = |byte: u8| padded.iter().map(|key| key ^ byte).collect::<Vec<u8>>();
    let inner = H::digest([&pad(0x36)[..], message].concat());
    H::digest([&pad(0x5c)[..], &inner[..]].concat()).to_vec()
}

pub(crate) fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    hmac::<Sha256>(64, key, message)
}

pub(crate) fn hmac_sha384(key: &[u8], message: &[u8]) -> Vec<u8> {
    hmac::<Sha384>(128, key, message)
}

pub(crate) fn hmac_sha512(key: &[u8], message: &[u8]) -> Vec<u8> {
    hmac::<Sha512>(128, key, message)
}

/// Base64 for URLs, without padding (RFC 4648, section 5).
pub(crate) fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for letter in 0..=group.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * letter) & 63) as usize]));
        }
    }
    text
}

/// What is signed: the first two parts of a token.
pub(crate) fn unsigned(header: &str, claims: &str) -> String {
    format!("{}.{}", base64url(header.as_bytes()), base64url(claims.as_bytes()))
}

/// A token with this header and these claims, signed with HMAC-SHA256 whatever they say.
pub(crate) fn signed(secret: &str, header: &str, claims: &str) -> String {
    let message = unsigned(header, claims);
    format!("{message}.{}", base64url(&hmac_sha256(secret.as_bytes(), message.as_bytes())))
}

/// The header of an ordinary token.
pub(crate) const HS256: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

/// An ordinary token with these claims.
pub(crate) fn token(secret: &str, claims: &str) -> String {
    signed(secret, HS256, claims)
}

#[test]
fn the_maker_agrees_with_the_standards() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    // RFC 4231, test case 2.
    let (key, message) = (&b"Jefe"[..], &b"what do ya want for nothing?"[..]);
    assert_eq!(hex(&hmac_sha256(key, message)), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert!(hex(&hmac_sha384(key, message)).starts_with("af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47"));
    assert!(hex(&hmac_sha512(key, message)).starts_with("164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd6"));
    // RFC 4648, section 10, and RFC 7515, appendix A.1.
    assert_eq!(["f", "fo", "foo", "foob"].map(|text| base64url(text.as_bytes())), ["Zg", "Zm8", "Zm9v", "Zm9vYg"]);
    assert_eq!(base64url(b"{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}"), "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9");
}
