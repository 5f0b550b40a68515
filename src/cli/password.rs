//! Passwords on the command line. Everybody on the machine can see an argument, and the shell keeps it in its history,
//! so a password can also be typed or piped.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context as _, bail};
use clap::Args;

/// How a password is given.
#[derive(Args)]
pub(super) struct PasswordArgs {
    /// The password, at least 10 characters. Other people on this machine can see it: prefer `--password-stdin`.
    #[arg(long, conflicts_with = "password_stdin")]
    password: Option<String>,
    /// Read the password from the first line of stdin; on a terminal, ask for it twice without showing it.
    #[arg(long)]
    password_stdin: bool,
}

impl PasswordArgs {
    /// The password, if one is given.
    ///
    /// # Errors
    /// If stdin is empty, or the two typed passwords differ.
    pub(super) fn read(self) -> anyhow::Result<Option<String>> {
        if !self.password_stdin {
            return Ok(self.password);
        }
        if std::io::stdin().is_terminal() {
            let password = rpassword::prompt_password("Password: ").context("cannot read the password")?;
            let again =
                rpassword::prompt_password("Repeat the password: ").context("cannot read the password")?;
            if password != again {
                bail!("the two passwords differ");
            }
            return Ok(Some(password));
        }
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).context("cannot read the password from stdin")?;
        let password = line.trim_end_matches(['\r', '\n']);
        if password.is_empty() {
            bail!("stdin has no password");
        }
        Ok(Some(password.to_owned()))
    }
}
