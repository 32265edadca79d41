//! Any bytes as an evaluation file: read without a panic; what could be read is
//! written as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsuru::eval::nnue::{Architecture, Network, Nnue};

/// A file of the smallest architecture: no fuzzer would make one by chance.
fn template() -> Vec<u8> {
    let mut bytes = Vec::new();
    let network = Network::new(Architecture::KP_256);
    network.write(&mut bytes).expect("memory");
    bytes
}

fuzz_target!(|bytes: &[u8]| {
    // As they are, and as the beginning of a file that is otherwise sound.
    let mut overlaid = template();
    let count = bytes.len().min(overlaid.len());
    overlaid[..count].copy_from_slice(&bytes[..count]);
    for bytes in [bytes, &overlaid] {
        match Network::read(bytes) {
            Ok(network) => {
                let mut written = Vec::new();
                network.write(&mut written).expect("memory");
                assert!(written == bytes);
                assert!(Nnue::new(&network).is_some());
            }
            Err(error) => assert!(!error.to_string().contains('\n')),
        }
    }
});
