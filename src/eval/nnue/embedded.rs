//! The network that is part of the program, if there is one.
//!
//! To build one in: put the file beside this one and let [`BYTES`] be
//! `Some(include_bytes!("NAME"))`. Every architecture will do; the tests make sure
//! that the file is sound.

use once_cell::sync::Lazy;

use super::{Network, Nnue};

/// The network's file.
const BYTES: Option<&[u8]> = None;

static NETWORK: Lazy<Option<Nnue>> =
    Lazy::new(|| BYTES.and_then(|bytes| Nnue::new(&Network::read(bytes).ok()?)));

/// The network that is part of the program, if there is one.
pub fn embedded() -> Option<&'static Nnue> {
    NETWORK.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_can_be_read() {
        assert_eq!(embedded().is_some(), BYTES.is_some());
    }
}
