//! Splits a file into lines, or CSV into rows of cells, each with the number of the line it begins on. Lines are
//! limited in size; a longer line is skipped, not buffered.

use std::io::{self, BufRead, Chain, Cursor, Read};

/// Bytes of a line, or of a CSV row with all its lines, at most.
pub(super) const LINE: usize = 1024 * 1024;

/// Content of a file with the number of the line it begins on, from 1.
pub(super) struct Numbered<T> {
    pub(super) line: usize,
    pub(super) content: T,
}

/// The next line or row of a file; `None` at its end.
type Next<T> = io::Result<Option<Numbered<Result<T, Unreadable>>>>;

/// The reason why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// The line has more than [`LINE`] bytes.
    TooLong,
    /// A quote is never closed.
    Open,
    /// Text stands between a closing quote and the next comma.
    AfterQuote,
}

impl Unreadable {
    /// The error message.
    pub(super) fn message(self) -> String {
        match self {
            Unreadable::TooLong => format!("has more than {LINE} bytes"),
            Unreadable::Open => "has a quote that is never closed".to_owned(),
            Unreadable::AfterQuote => {
                "has text after a closing quote; a quote inside is written twice".to_owned()
            }
        }
    }
}

/// Reads a file byte by byte.
pub(super) struct Lines<R> {
    from: Chain<Cursor<Vec<u8>>, R>,
    line: usize,
}

/// The parser's position in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Start,
    Plain,
    Quoted,
    QuoteInQuoted,
}

impl<R: BufRead> Lines<R> {
    /// Starts at the beginning of a file and skips a byte order mark.
    pub(super) fn new(mut from: R) -> io::Result<Self> {
        let mut first = Vec::new();
        from.by_ref().take(3).read_to_end(&mut first)?;
        if first == b"\xef\xbb\xbf" {
            first.clear();
        }
        Ok(Self { from: Cursor::new(first).chain(from), line: 1 })
    }

    /// Returns the next line that is not blank, without its line ending.
    pub(super) fn line(&mut self) -> Next<Vec<u8>> {
        loop {
            let (line, mut content, mut too_long, mut any) = (self.line, Vec::new(), false, false);
            while let Some(byte) = self.byte()? {
                any = true;
                if byte == b'\n' {
                    break;
                }
                if content.len() < LINE { content.push(byte) } else { too_long = true }
            }
            if !any {
                return Ok(None);
            }
            if too_long {
                return Ok(Some(Numbered { line, content: Err(Unreadable::TooLong) }));
            }
            if !content.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(Numbered { line, content: Ok(content) }));
            }
        }
    }

    /// Returns the next row that is not blank: its cells, without quotes.
    pub(super) fn row(&mut self) -> Next<Vec<Vec<u8>>> {
        loop {
            let (line, mut at, mut any) = (self.line, At::Start, false);
            let (mut cells, mut cell, mut bytes, mut wrong) = (Vec::new(), Vec::new(), 0, None);
            while let Some(byte) = self.byte()? {
                any = true;
                bytes += 1;
                if bytes > LINE {
                    (wrong, cells, cell) = (Some(Unreadable::TooLong), Vec::new(), Vec::new());
                    // Skips to the next line ending: where quotes end is no longer known.
                    if byte == b'\n' { break } else { continue }
                }
                at = match (at, byte) {
                    (At::Quoted, b'"') => At::QuoteInQuoted,
                    (At::Quoted, byte) => {
                        cell.push(byte);
                        At::Quoted
                    }
                    (At::Start, b'"') => At::Quoted,
                    (_, b'\n') => break,
                    (_, b',') => {
                        cells.push(std::mem::take(&mut cell));
                        At::Start
                    }
                    (At::QuoteInQuoted, b'"') => {
                        cell.push(b'"');
                        At::Quoted
                    }
                    (At::QuoteInQuoted, b'\r') => At::QuoteInQuoted,
                    (At::QuoteInQuoted, _) => {
                        wrong = wrong.or(Some(Unreadable::AfterQuote));
                        At::QuoteInQuoted
                    }
                    (At::Start | At::Plain, byte) => {
                        cell.push(byte);
                        At::Plain
                    }
                };
            }
            if !any {
                return Ok(None);
            }
            if at == At::Quoted {
                wrong = wrong.or(Some(Unreadable::Open));
            }
            if let Some(wrong) = wrong {
                return Ok(Some(Numbered { line, content: Err(wrong) }));
            }
            if at == At::Plain && cell.last() == Some(&b'\r') {
                cell.pop();
            }
            // An empty quoted string is a cell all the same.
            if cells.is_empty() && at != At::QuoteInQuoted && cell.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            cells.push(cell);
            return Ok(Some(Numbered { line, content: Ok(cells) }));
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.from.fill_buf()?.first().copied();
        if byte.is_some() {
            self.from.consume(1);
        }
        self.line += usize::from(byte == Some(b'\n'));
        Ok(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(usize, Result<Vec<String>, Unreadable>)> {
        let mut lines = Lines::new(text.as_bytes()).unwrap();
        let mut rows = Vec::new();
        while let Some(Numbered { line, content }) = lines.row().unwrap() {
            let text = |cells: Vec<Vec<u8>>| cells.into_iter().map(|cell| String::from_utf8(cell).unwrap());
            rows.push((line, content.map(|cells| text(cells).collect())));
        }
        rows
    }

    fn cells(line: usize, cells: &[&str]) -> (usize, Result<Vec<String>, Unreadable>) {
        (line, Ok(cells.iter().map(|cell| (*cell).to_owned()).collect()))
    }

    #[test]
    fn rows_know_their_line_whatever_ends_lines_and_whatever_quotes_hold() {
        let text = "\u{feff}a,b\r\n\r\n1,\"x\r\ny,\"\"z\"\"\"\r\n,\r\n\"\",\"q\"\n  \nlast,5\" pipe";
        let expected = [
            cells(1, &["a", "b"]),
            cells(3, &["1", "x\r\ny,\"z\""]),
            cells(5, &["", ""]),
            cells(6, &["", "q"]),
            cells(8, &["last", "5\" pipe"]),
        ];
        assert_eq!(rows(text), expected);
    }

    #[test]
    fn quotes_that_go_wrong_are_told_from_each_other() {
        assert_eq!(rows("a\n\"x\ny"), [cells(1, &["a"]), (2, Err(Unreadable::Open))]);
        assert_eq!(rows("\"x\"y,b\nc"), [(1, Err(Unreadable::AfterQuote)), cells(2, &["c"])]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = "x".repeat(LINE + 1);
        let mut lines = Lines::new(long.as_bytes()).unwrap();
        assert_eq!(lines.line().unwrap().unwrap().content, Err(Unreadable::TooLong));
        assert!(lines.line().unwrap().is_none());
        let text = format!("{}\n\n ok \r\n", &long[1..]);
        let mut lines = Lines::new(text.as_bytes()).unwrap();
        assert_eq!(lines.line().unwrap().unwrap().content.unwrap().len(), LINE);
        let next = lines.line().unwrap().unwrap();
        assert_eq!((next.line, next.content.unwrap()), (3, b" ok \r".to_vec()));
        assert_eq!(rows(&format!("\"{long}\nmore\"\nok")).last(), Some(&cells(3, &["ok"])));
    }
}
