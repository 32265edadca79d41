//! Any text read as CSA.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsuru::record::Format;

#[path = "common/record.rs"]
mod common;

fuzz_target!(|data: &[u8]| common::check(data, Format::Csa));
