//! Passwords on the command line. An argument is seen by everybody on the machine and kept in the shell's history, so a
//! password can also be typed or piped.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context as _, bail};
use clap::Args;

/// How a password is given.
#[derive(Args)]
pub(super) struct PasswordArgs {
    /// The password, at least 10 characters. Other people on this machine can see it: rather use `--password-stdin`.
    #[arg(long, conflicts_with = "password_stdin")]
    password: Option<String>,
    /// Reads the password from stdin, its first line; on a terminal, asks for it twice and does not show it.
    #[arg(long)]
    password_stdin: bool,
}

impl PasswordArgs {
    /// The password, if one is given.
    ///
    /// # Errors
    /// When stdin holds none, or the two that were typed differ.
    pub(super) fn read(self) -> anyhow::Result<Option<String>> {
        if !self.password_stdin {
            return Ok(self.password);
        }
        if std::io::stdin().is_terminal() {
            let password =
                rpassword::prompt_password("Password: ").context("the password could not be read")?;
            let again =
                rpassword::prompt_password("The same again: ").context("the password could not be read")?;
            if password != again {
                bail!("the two passwords differ");
            }
            return Ok(Some(password));
        }
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).context("the password could not be read from stdin")?;
        let password = line.trim_end_matches(['\r', '\n']);
        if password.is_empty() {
            bail!("stdin has no password");
        }
        Ok(Some(password.to_owned()))
    }
}
