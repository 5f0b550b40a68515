//! A source file, read and parsed once.

use anyhow::{Context, Result};

pub struct Source {
    /// Relative to the repository's root, with `/` between folders.
    pub path: String,
    pub text: String,
    /// For Rust files only.
    pub syntax: Option<syn::File>,
}

impl Source {
    pub fn new(path: &str, text: String) -> Result<Self> {
        let syntax = if path.ends_with(".rs") {
            Some(syn::parse_file(&text).with_context(|| format!("parse {path}"))?)
        } else {
            None
        };
        Ok(Self { path: path.to_owned(), text, syntax })
    }

    pub fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}
