//! Splits a file into lines, or CSV into rows of cells, each with the number of the line it begins on. Lines are
//! limited in size; a longer line is skipped, not buffered.

use std::io::{self, BufRead, Chain, Cursor, Read};

use super::error::{Code, Error};

/// Maximum bytes of a line, or of a CSV row with all its lines.
pub(crate) const MAX_LINE_BYTES: usize = 1024 * 1024;

/// Content of a file with the number of the line it begins on, from 1.
pub(crate) struct Numbered<T> {
    pub(crate) line: usize,
    pub(crate) content: T,
}

/// The next line or row of a file; `None` at its end.
type NextRecord<T> = io::Result<Option<Numbered<Result<T, LineError>>>>;

/// The reason why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineError {
    /// The line has more than [`MAX_LINE_BYTES`] bytes.
    TooLong,
    /// A quote is never closed.
    UnclosedQuote,
    /// Text stands between a closing quote and the next comma.
    TextAfterQuote,
}

impl LineError {
    /// The error message.
    pub(crate) fn message(self) -> String {
        match self {
            LineError::TooLong => format!("has more than {MAX_LINE_BYTES} bytes"),
            LineError::UnclosedQuote => "has a quote that is never closed".to_owned(),
            LineError::TextAfterQuote => {
                "has text after a closing quote; a quote inside is written twice".to_owned()
            }
        }
    }
}

/// Reads a file byte by byte.
pub(crate) struct Lines<R> {
    from: Chain<Cursor<Vec<u8>>, R>,
    line: usize,
}

/// The parser's position in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellState {
    Start,
    Plain,
    Quoted,
    QuoteInQuoted,
}

/// A file without its byte order mark.
///
/// # Errors
/// `MALFORMED_BODY` within the error for UTF-16 and UTF-32.
pub(crate) fn without_byte_order_mark<R: BufRead>(mut from: R) -> io::Result<Chain<Cursor<Vec<u8>>, R>> {
    let mut first = Vec::new();
    from.by_ref().take(3).read_to_end(&mut first)?;
    // What begins a file is ASCII, so that a zero beside it is half of a wider character.
    if matches!(first[..], [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, _, ..] | [_, 0, ..]) {
        let message = "the file must be UTF-8; this one is UTF-16 or UTF-32, which Excel calls \"Unicode Text\": save \
                       it as \"CSV UTF-8\"";
        return Err(io::Error::other(Error::new(Code::MalformedBody, message)));
    }
    if first == b"\xef\xbb\xbf" {
        first.clear();
    }
    Ok(Cursor::new(first).chain(from))
}

impl<R: BufRead> Lines<R> {
    /// Starts at the beginning of a file and skips a byte order mark.
    ///
    /// # Errors
    /// As [`without_byte_order_mark`].
    pub(crate) fn new(from: R) -> io::Result<Self> {
        Ok(Self { from: without_byte_order_mark(from)?, line: 1 })
    }

    /// Returns the next line that is not blank, without its line ending.
    pub(crate) fn line(&mut self) -> NextRecord<Vec<u8>> {
        loop {
            let line = self.line;
            let mut content = Vec::new();
            let mut too_long = false;
            let mut any = false;
            while let Some(byte) = self.byte()? {
                any = true;
                if byte == b'\n' {
                    break;
                }
                if content.len() < MAX_LINE_BYTES { content.push(byte) } else { too_long = true }
            }
            if !any {
                return Ok(None);
            }
            if too_long {
                return Ok(Some(Numbered { line, content: Err(LineError::TooLong) }));
            }
            if !content.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(Numbered { line, content: Ok(content) }));
            }
        }
    }

    /// Returns the next row that is not blank: its cells, without quotes.
    pub(crate) fn row(&mut self) -> NextRecord<Vec<Vec<u8>>> {
        loop {
            let line = self.line;
            let mut at = CellState::Start;
            let mut any = false;
            let mut cells = Vec::new();
            let mut cell = Vec::new();
            let mut bytes = 0;
            let mut error = None;
            while let Some(byte) = self.byte()? {
                any = true;
                bytes += 1;
                if bytes > MAX_LINE_BYTES {
                    error = Some(LineError::TooLong);
                    cells.clear();
                    cell.clear();
                    // Skips to the next line ending: where quotes end is no longer known.
                    if byte == b'\n' { break } else { continue }
                }
                at = match (at, byte) {
                    (CellState::Quoted, b'"') => CellState::QuoteInQuoted,
                    (CellState::Quoted, byte) => {
                        cell.push(byte);
                        CellState::Quoted
                    }
                    (CellState::Start, b'"') => CellState::Quoted,
                    (_, b'\n') => break,
                    (_, b',') => {
                        cells.push(std::mem::take(&mut cell));
                        CellState::Start
                    }
                    (CellState::QuoteInQuoted, b'"') => {
                        cell.push(b'"');
                        CellState::Quoted
                    }
                    (CellState::QuoteInQuoted, b'\r') => CellState::QuoteInQuoted,
                    (CellState::QuoteInQuoted, _) => {
                        error = error.or(Some(LineError::TextAfterQuote));
                        CellState::QuoteInQuoted
                    }
                    (CellState::Start | CellState::Plain, byte) => {
                        cell.push(byte);
                        CellState::Plain
                    }
                };
            }
            if !any {
                return Ok(None);
            }
            if at == CellState::Quoted {
                error = error.or(Some(LineError::UnclosedQuote));
            }
            if let Some(error) = error {
                return Ok(Some(Numbered { line, content: Err(error) }));
            }
            if at == CellState::Plain && cell.last() == Some(&b'\r') {
                cell.pop();
            }
            // An empty quoted string is a cell all the same.
            if cells.is_empty() && at != CellState::QuoteInQuoted && cell.iter().all(u8::is_ascii_whitespace)
            {
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
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str) -> Vec<(usize, Result<Vec<String>, LineError>)> {
        let mut lines = Lines::new(text.as_bytes()).unwrap();
        let mut rows = Vec::new();
        while let Some(Numbered { line, content }) = lines.row().unwrap() {
            let cells =
                content.map(|cells| cells.into_iter().map(|cell| String::from_utf8(cell).unwrap()).collect());
            rows.push((line, cells));
        }
        rows
    }

    fn cells(line: usize, cells: &[&str]) -> (usize, Result<Vec<String>, LineError>) {
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
        assert_eq!(rows("a\n\"x\ny"), [cells(1, &["a"]), (2, Err(LineError::UnclosedQuote))]);
        assert_eq!(rows("\"x\"y,b\nc"), [(1, Err(LineError::TextAfterQuote)), cells(2, &["c"])]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        let mut lines = Lines::new(long.as_bytes()).unwrap();
        assert_eq!(lines.line().unwrap().unwrap().content, Err(LineError::TooLong));
        assert!(lines.line().unwrap().is_none());
        let text = format!("{}\n\n ok \r\n", &long[1..]);
        let mut lines = Lines::new(text.as_bytes()).unwrap();
        assert_eq!(lines.line().unwrap().unwrap().content.unwrap().len(), MAX_LINE_BYTES);
        let next = lines.line().unwrap().unwrap();
        assert_eq!((next.line, next.content.unwrap()), (3, b" ok \r".to_vec()));
        assert_eq!(rows(&format!("\"{long}\nmore\"\nok")).last(), Some(&cells(3, &["ok"])));
    }

    /// A row of CSV with a quote around every cell.
    fn quoted(cells: &[String]) -> String {
        let cells = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        cells.collect::<Vec<_>>().join(",") + "\r\n"
    }

    proptest! {
        #[test]
        fn quoted_cells_are_read_as_they_were_written(
            table in prop::collection::vec(prop::collection::vec("[a\",\r\né ]{0,5}", 1..4), 0..6),
        ) {
            let read = rows(&table.iter().map(|cells| quoted(cells)).collect::<String>());
            prop_assert_eq!(read.into_iter().map(|(_, cells)| cells.unwrap()).collect::<Vec<_>>(), table);
        }

        #[test]
        fn any_bytes_are_read_to_their_end_or_refused_as_utf_16(bytes: Vec<u8>) {
            let Ok(mut lines) = Lines::new(&bytes[..]) else { return Ok(()) };
            while lines.line().unwrap().is_some() {}
            let mut lines = Lines::new(&bytes[..]).unwrap();
            let mut before = 0;
            while let Some(Numbered { line, .. }) = lines.row().unwrap() {
                prop_assert!(before < line);
                before = line;
            }
        }
    }
}
