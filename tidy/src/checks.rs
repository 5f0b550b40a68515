//! The list of checks.

use crate::{crates, cycles, finding::Violation, layers, repository::Repository, style, text};

pub struct Check {
    /// As in `allowed.toml`.
    pub name: &'static str,
    pub run: fn(&Repository) -> Vec<Violation>,
}

pub const CHECKS: &[Check] = &[
    Check { name: "crate-imports", run: crates::imports },
    Check { name: "foreign-crates", run: crates::foreign },
    Check { name: "layers", run: layers::check },
    Check { name: "file-cycles", run: cycles::between_files },
    Check { name: "module-cycles", run: cycles::between_modules },
    Check { name: "tuple-lets", run: |all| all.each_rust_file(style::tuple_lets::check) },
    Check { name: "local-closures", run: |all| all.each_rust_file(style::closures::check) },
    Check { name: "tuple-parameters", run: |all| all.each_rust_file(style::parameters::tuples) },
    Check { name: "many-parameters", run: |all| all.each_rust_file(style::parameters::many) },
    Check { name: "long-functions", run: |all| all.each_rust_file(style::length::functions_too_long) },
    Check { name: "long-files", run: |all| all.each_file(style::length::file_too_long) },
    Check { name: "long-lines", run: |all| all.each_file(style::length::lines_too_long) },
    Check { name: "vague-types", run: |all| all.each_rust_file(style::type_names::check) },
    Check { name: "unsafe", run: |all| all.each_file(style::unsafe_code::check) },
    Check { name: "file-docs", run: |all| all.each_file(style::files::docs) },
    Check { name: "file-names", run: |all| all.each_file(style::files::names) },
    Check { name: "mod-files", run: |all| all.each_file(style::files::mod_files) },
    Check { name: "module-style", run: style::files::module_style },
    Check { name: "shell-options", run: |all| all.each_file(text::shell_options) },
    Check { name: "machine-paths", run: |all| all.each_file(text::machine_paths) },
    Check { name: "unfinished", run: |all| all.each_file(text::unfinished) },
];
