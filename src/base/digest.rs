//! The digest by which tools identify a file.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &[u8]) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// Bytes in hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
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
