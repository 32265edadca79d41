//! The program `tsuru`: a USI engine, and tools around it (see `cli`).

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
