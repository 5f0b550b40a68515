//! Tells a database that cannot be written, as on a full disk, from other failures: it may still be read.

use sea_orm::{DbErr, RuntimeErr};

/// The primary result codes of SQLite: read-only, an I/O error, full. An extended code holds its primary code in the
/// last byte.
const SQLITE_READONLY: u32 = 8;
const SQLITE_IOERR: u32 = 10;
const SQLITE_FULL: u32 = 13;
/// SQLSTATEs of PostgreSQL: disk full, and a server that is read-only.
const POSTGRES: [&str; 2] = ["53100", "25006"];

/// Whether a statement failed because the database cannot be written.
pub(crate) fn is_unwritable(error: &DbErr) -> bool {
    let (DbErr::Conn(cause) | DbErr::Exec(cause) | DbErr::Query(cause)) = error else { return false };
    let RuntimeErr::SqlxError(cause) = cause else { return false };
    let code = cause.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| POSTGRES.contains(&&*code) || is_unwritable_sqlite(&code))
}

fn is_unwritable_sqlite(code: &str) -> bool {
    // An SQLSTATE has five characters.
    let extended: Option<u32> = code.parse().ok().filter(|_| code.len() < 5);
    extended.is_some_and(|code| [SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL].contains(&(code & 0xff)))
}

#[cfg(test)]
mod tests {
    use super::is_unwritable_sqlite;

    #[test]
    fn codes_of_a_full_disk_are_told_from_others() {
        // Full; a write, the shared memory and a sync that failed; a read-only file.
        for code in ["13", "778", "4874", "1034", "8"] {
            assert!(is_unwritable_sqlite(code), "{code}");
        }
        // Busy, locked, two constraints, interrupted; two SQLSTATEs.
        for code in ["5", "6", "1555", "2067", "9", "40001", "23505"] {
            assert!(!is_unwritable_sqlite(code), "{code}");
        }
    }
}
