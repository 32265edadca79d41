//! Parameters of the search that can be tuned.
//!
//! The macro `tunable!` declares each one once: documentation, name, value, range.
//! In an ordinary build it becomes a `const fn`, so that the compiler sees a
//! number. With the feature `tune` it becomes an atomic that the USI option
//! `Tune_name` sets, so that one binary can play against itself with other numbers:
//! `tsuru tune` moves many of them at once by SPSA, and a value at the end of its
//! range switches most heuristics off, which shows by a match what they are worth.

/// Declares parameters: `name = value, lowest to highest;`, all `i32`.
macro_rules! tunable {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:expr, $min:literal to $max:expr;)+) => {
        $(
            $(#[doc = $doc])+
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub const fn $name() -> i32 {
                const { assert!($min <= $value && $value <= $max) };
                $value
            }

            $(#[doc = $doc])+
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub fn $name() -> i32 {
                cells::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )+

        /// The present values.
        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod cells {
            use std::sync::atomic::AtomicI32;

            $(pub static $name: AtomicI32 = AtomicI32::new($value);)+
        }

        /// All parameters in the order of their declaration.
        #[cfg(feature = "tune")]
        pub static TUNABLES: &[super::tunable::Tunable] = &[
            $(super::tunable::Tunable {
                name: stringify!($name),
                default: $value,
                min: $min,
                max: $max,
                cell: &cells::$name,
            },)+
        ];
    };
}

pub(super) use tunable;

#[cfg(feature = "tune")]
pub use with_options::{Tunable, declarations, set};

#[cfg(feature = "tune")]
mod with_options {
    use std::sync::atomic::{AtomicI32, Ordering};

    use crate::search::params::TUNABLES;

    /// What the names of the options begin with.
    const PREFIX: &str = "Tune_";

    /// A parameter as a USI option.
    pub struct Tunable {
        /// Its name, without the prefix.
        pub name: &'static str,
        /// The value that an ordinary build has.
        pub default: i32,
        /// The lowest value that makes sense.
        pub min: i32,
        /// The highest value that makes sense.
        pub max: i32,
        /// The present value.
        pub cell: &'static AtomicI32,
    }

    /// The lines that declare the parameters as options.
    pub fn declarations() -> impl Iterator<Item = String> {
        TUNABLES.iter().map(|tunable| {
            let Tunable {
                name,
                default,
                min,
                max,
                ..
            } = tunable;
            format!("option name {PREFIX}{name} type spin default {default} min {min} max {max}")
        })
    }

    /// Sets a parameter as a `setoption` line asks for it; false when the name is
    /// none of a parameter or the value is out of its range. No search may run.
    pub fn set(name: &str, value: &str) -> bool {
        let Some(tunable) = name
            .strip_prefix(PREFIX)
            .and_then(|name| TUNABLES.iter().find(|tunable| tunable.name == name))
        else {
            return false;
        };
        match value.trim().parse() {
            Ok(value) if (tunable.min..=tunable.max).contains(&value) => {
                tunable.cell.store(value, Ordering::Relaxed);
                true
            }
            _ => false,
        }
    }
}
