//! Rows of an answer in ClickHouse's RowBinary, read in the order of their columns, and blocks of columns.

use bytes::Bytes;
use roaring::RoaringBitmap;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::rows::read_uuid;

/// Limits of a dashboard statement. The number of names and values with counts of their own is bounded,
/// so an app within its limits stays below this.
const MEMORY_LIMIT: u64 = 512 << 20;
const RESULT_LIMIT: u64 = 256 << 20;
/// Beyond this, groups by device are spilled to disk.
const GROUPS_IN_MEMORY: u64 = 128 << 20;
/// The limit of a statement that joins sets: four times what `joined` has it hold, for the states that
/// shards send and those being read.
const JOINED_MEMORY_LIMIT: u64 = 1 << 30;
/// How long an answer without sets may be.
const COUNTS_MAX: usize = 32 << 20;

impl Warehouse {
    /// Asks a question whose answer is read with `Rows`. An answer that is too long is an error
    /// (`Error::is_too_large`).
    pub(crate) async fn binary(&self, sql: &str) -> Result<Bytes, Error> {
        self.ask_binary(sql, self.set_limits().answer_bytes, MEMORY_LIMIT, &[]).await
    }

    /// The same, for an answer without sets.
    pub(crate) async fn binary_counts(&self, sql: &str) -> Result<Bytes, Error> {
        let settings = [("max_bytes_before_external_group_by", GROUPS_IN_MEMORY)];
        self.ask_binary(sql, COUNTS_MAX, MEMORY_LIMIT, &settings).await
    }

    /// The same, where the store joins the sets and answers with counts.
    pub(crate) async fn binary_joined(&self, sql: &str) -> Result<Bytes, Error> {
        self.ask_binary(sql, COUNTS_MAX, JOINED_MEMORY_LIMIT, &[]).await
    }

    async fn ask_binary(
        &self,
        sql: &str,
        most: usize,
        memory: u64,
        settings: &[(&str, u64)],
    ) -> Result<Bytes, Error> {
        let sql = format!("{sql}\nFORMAT RowBinary");
        // A dashboard asks several at once: each on its own thread is less work than all on all.
        let call = Call::new(&sql, &[], self.limit())
            .long()
            .at_most(most)
            .set("max_threads", 1)
            .set("max_memory_usage", memory)
            .set("max_result_bytes", RESULT_LIMIT);
        let call = settings.iter().fold(call, |call, (name, value)| call.set(name, value));
        // On the heap: a dashboard waits for many of these at once, and is itself far up the stack.
        Box::pin(self.call(call.reading())).await
    }
}

/// Two columns of numbers, in the order of their bytes.
pub(crate) type Block<'a> = (&'a [[u8; 4]], &'a [[u8; 8]]);

/// The unread rest of an answer.
pub(crate) struct Rows<'a>(&'a [u8]);

impl<'a> Rows<'a> {
    pub fn new(answer: &'a [u8]) -> Self {
        Self(answer)
    }

    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8, Error> {
        self.fixed().map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Result<u32, Error> {
        self.fixed().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Error> {
        self.fixed().map(u64::from_le_bytes)
    }

    pub fn i64(&mut self) -> Result<i64, Error> {
        self.fixed().map(i64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, Error> {
        self.fixed().map(f64::from_le_bytes)
    }

    /// A `Nullable(Float64)`.
    pub fn optional_f64(&mut self) -> Result<Option<f64>, Error> {
        match self.u8()? {
            0 => self.f64().map(Some),
            _ => Ok(None),
        }
    }

    pub fn uuid(&mut self) -> Result<Uuid, Error> {
        self.take(16).map(read_uuid)
    }

    fn length(&mut self) -> Result<usize, Error> {
        let mut length = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.u8()?;
            length |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(length);
            }
        }
        Err(unreadable("a length without end"))
    }

    pub fn text(&mut self) -> Result<&'a str, Error> {
        let length = self.length()?;
        std::str::from_utf8(self.take(length)?).map_err(unreadable)
    }

    /// An array of numbers.
    pub fn u32s(&mut self) -> Result<impl Iterator<Item = u32> + use<'a>, Error> {
        Ok(self.chunks()?.iter().map(|number| u32::from_le_bytes(*number)))
    }

    pub fn i64s(&mut self) -> Result<impl Iterator<Item = i64> + use<'a>, Error> {
        Ok(self.chunks()?.iter().map(|number| i64::from_le_bytes(*number)))
    }

    pub fn u8s(&mut self) -> Result<impl Iterator<Item = u8> + use<'a>, Error> {
        Ok(self.chunks()?.iter().map(|[number]| *number))
    }

    fn chunks<const N: usize>(&mut self) -> Result<&'a [[u8; N]], Error> {
        let length = self.length()?;
        Ok(self.take(length.checked_mul(N).ok_or_else(cut_short)?)?.as_chunks().0)
    }

    /// The next block of an answer in ClickHouse's Native format, here of two columns of numbers. Where there
    /// are many rows, the store writes columns faster.
    pub fn block(&mut self) -> Result<Block<'a>, Error> {
        let (columns, rows) = (self.length()?, self.length()?);
        if columns != 2 {
            return Err(unreadable("a block of other columns"));
        }
        Ok((self.column("UInt32", rows)?, self.column("Int64", rows)?))
    }

    fn column<const N: usize>(&mut self, of: &str, rows: usize) -> Result<&'a [[u8; N]], Error> {
        self.text()?;
        match self.text()? {
            found if found == of => {
                Ok(self.take(rows.checked_mul(N).ok_or_else(cut_short)?)?.as_chunks().0)
            }
            other => Err(unreadable(format!("a column of {other}"))),
        }
    }

    /// An array of texts.
    pub fn texts(&mut self) -> Result<std::vec::IntoIter<&'a str>, Error> {
        let length = self.length()?;
        let texts: Result<Vec<&str>, Error> = (0..length).map(|_| self.text()).collect();
        texts.map(Vec::into_iter)
    }

    /// A state of `groupBitmap`: a plain list of numbers if there are few, else a roaring bitmap.
    pub fn bitmap(&mut self) -> Result<RoaringBitmap, Error> {
        if self.u8()? == 0 {
            let count = self.u8()?;
            let numbers: Result<Vec<u32>, Error> = (0..count).map(|_| self.u32()).collect();
            return numbers.map(RoaringBitmap::from_iter);
        }
        let length = self.length()?;
        RoaringBitmap::deserialize_from(self.take(length)?).map_err(unreadable)
    }
}

fn cut_short() -> Error {
    unreadable("the answer is cut short")
}

fn unreadable(why: impl ToString) -> Error {
    Error::Unreadable(why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_numbers_are_a_bitmap() {
        let mut rows = Rows::new(&[0, 2, 7, 0, 0, 0, 0, 1, 0, 0, 9]);
        assert_eq!(rows.bitmap().unwrap(), RoaringBitmap::from([7, 256]));
        assert_eq!(rows.u8().unwrap(), 9);
        assert!(rows.is_at_end());
    }

    #[test]
    fn many_numbers_are_one_too() {
        let numbers = RoaringBitmap::from_iter((0..100_000).step_by(3));
        let mut answer = vec![1];
        let mut length = numbers.serialized_size();
        while length >= 0x80 {
            answer.push(length.to_le_bytes()[0] | 0x80);
            length >>= 7;
        }
        answer.push(length.to_le_bytes()[0]);
        numbers.serialize_into(&mut answer).unwrap();
        assert_eq!(Rows::new(&answer).bitmap().unwrap(), numbers);
    }

    #[test]
    fn blocks_have_columns() {
        let block = |of: &str| {
            let mut block = vec![2, 2, 1, b'a', 6];
            block.extend(b"UInt32\x07\0\0\0\x09\0\0\0\x01b");
            block.push(u8::try_from(of.len()).unwrap());
            block.extend(of.bytes());
            block.extend((-1_i64).to_le_bytes());
            block.extend(5_i64.to_le_bytes());
            block
        };
        let answer = block("Int64").repeat(2);
        let mut rows = Rows::new(&answer);
        for _ in 0..2 {
            let (numbers, times) = rows.block().unwrap();
            assert_eq!(numbers.concat(), [7, 0, 0, 0, 9, 0, 0, 0]);
            assert_eq!(times.iter().map(|it| i64::from_le_bytes(*it)).collect::<Vec<_>>(), [-1, 5]);
        }
        assert!(rows.is_at_end());
        assert!(Rows::new(&block("UInt8")).block().is_err());
        assert!(Rows::new(&answer[..20]).block().is_err());
    }

    #[test]
    fn what_is_cut_short_is_an_error_and_no_panic() {
        for answer in [&[][..], &[0], &[0, 1, 7], &[1], &[1, 0x80], &[1, 40, 1], &[1, 0xff, 0xff]] {
            assert!(Rows::new(answer).bitmap().is_err(), "{answer:?}");
        }
        let endless = [0xff; 12];
        assert!(Rows::new(&endless).text().is_err());
        assert!(Rows::new(&[1, 0xff]).text().is_err());
        assert!(Rows::new(&[0; 15]).uuid().is_err());
    }
}
