//! Spans of time that are asked about together and may overlap: a range, a part of it, its days. Rows
//! are first joined within the pieces that the spans are cut into, and the pieces then joined for each
//! span.

use std::collections::BTreeSet;

use crate::buckets::{Bucket, between};

pub(super) struct Spans<'a> {
    spans: &'a [Bucket],
    /// Ordered by time. No piece crosses the start or end of a span, and each is part of at least one.
    pub pieces: Vec<Bucket>,
}

impl<'a> Spans<'a> {
    pub fn new(spans: &'a [Bucket]) -> Self {
        let ends: BTreeSet<u32> = spans.iter().flat_map(|span| [span.start, span.end()]).collect();
        let ends: Vec<u32> = ends.into_iter().collect();
        let pieces =
            ends.windows(2).map(|pair| Bucket { start: pair[0], length: pair[1] - pair[0] });
        let is_asked = |piece: &Bucket| spans.iter().any(|span| is_part(*piece, *span));
        Self { spans, pieces: pieces.filter(is_asked).collect() }
    }

    /// The start of each piece.
    pub fn starts(&self) -> impl Iterator<Item = u32> {
        self.pieces.iter().map(|piece| piece.start)
    }

    /// The indexes of the spans that contain a piece.
    pub fn with(&self, piece: Bucket) -> impl Iterator<Item = usize> {
        let spans = self.spans.iter().enumerate();
        spans.filter(move |(_, span)| is_part(piece, **span)).map(|(place, _)| place)
    }

    /// The piece that starts at a moment.
    pub fn piece_at(&self, start: u32) -> Option<Bucket> {
        let found = self.pieces.binary_search_by_key(&start, |piece| piece.start);
        found.ok().map(|place| self.pieces[place])
    }

    /// The buckets that the pieces are made of.
    pub fn buckets<const N: usize>(&self, lengths: [u32; N]) -> Vec<Bucket> {
        let pieces = self.pieces.iter();
        pieces.flat_map(|piece| between(&[piece.start, piece.end()], lengths)).collect()
    }
}

fn is_part(piece: Bucket, span: Bucket) -> bool {
    span.start <= piece.start && piece.end() <= span.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Bucket {
        Bucket { start, length: end - start }
    }

    #[test]
    fn spans_are_made_of_pieces_that_cross_no_end() {
        // A range of three days without its second, a part of it, and a day after a gap.
        let asked = [span(0, 30), span(0, 15), span(0, 10), span(20, 30), span(50, 60)];
        let spans = Spans::new(&asked);
        let pieces = [(0, 10), (10, 15), (15, 20), (20, 30), (50, 60)];
        assert_eq!(spans.pieces, pieces.map(|(start, end)| span(start, end)));
        let with = |start| -> Vec<usize> { spans.with(spans.piece_at(start).unwrap()).collect() };
        assert_eq!(
            [with(0), with(10), with(15), with(20), with(50)],
            [vec![0, 1, 2], vec![0, 1], vec![0], vec![0, 3], vec![4]]
        );
        assert!(spans.piece_at(30).is_none());
        let buckets = spans.buckets([10, 5]);
        assert_eq!(buckets.len(), 5);
        assert!(Spans::new(&[]).pieces.is_empty());
    }
}
