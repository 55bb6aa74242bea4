//! The engine process on its own, for tests. The server has it as a subcommand.

fn main() -> std::process::ExitCode {
    warehouse::engine::main()
}
