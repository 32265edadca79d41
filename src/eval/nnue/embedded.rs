//! The network that is part of the program: K-P 256x2-32-32, trained on self-play.
//! `docs/src/networks.md` tells its recipe.
//!
//! To build in another one, replace the file beside this one; every architecture
//! will do. A test makes sure that the file is sound.

use once_cell::sync::Lazy;

use super::{Network, Nnue};

/// The network's file.
const BYTES: &[u8] = include_bytes!("built_in.nn");

static NETWORK: Lazy<Nnue> = Lazy::new(|| {
    let network = Network::read(BYTES).expect("the built-in network is a sound file");
    Nnue::new(&network).expect("the built-in network has a known architecture")
});

/// The network that is part of the program.
pub fn embedded() -> &'static Nnue {
    &NETWORK
}

/// The file of the network that is part of the program.
pub fn embedded_bytes() -> &'static [u8] {
    BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_can_be_read() {
        assert_eq!(embedded().architecture().name(), "K-P 256x2-32-32");
    }
}
