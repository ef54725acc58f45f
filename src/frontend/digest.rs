//! The digest by which tools know a file again.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &[u8]) -> String {
    let digest = Sha256::digest(text);
    digest.iter().fold(String::new(), |mut hexadecimal, byte| {
        let _ = write!(hexadecimal, "{byte:02x}");
        hexadecimal
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_digest() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }
}
