//! The Tsuru shogi engine.

fn main() -> std::process::ExitCode {
    tsuru::usi::run()
}
