//! Figures as a CSV file.

use axum::body::Body;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::range::Granularity;
use atrium_core::error::{Error, Result};
use atrium_core::http::csv_cell::plain;
use atrium_core::locale::Locale;

/// A file of this name with a heading row and data rows.
pub fn file(name: &str, heads: &[String], lines: &[Vec<String>]) -> Result<Response> {
    // The byte order mark makes spreadsheets read the file as UTF-8.
    let mut writer = csv::Writer::from_writer("\u{feff}".as_bytes().to_vec());
    for line in std::iter::once(heads).chain(lines.iter().map(Vec::as_slice)) {
        writer.write_record(line.iter().map(|cell| plain(cell))).map_err(Error::internal)?;
    }
    let text = writer.into_inner().map_err(|error| Error::internal(error.into_error()))?;
    let headers = AppendHeaders([
        (CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")),
    ]);
    Ok((headers, Body::from(text)).into_response())
}

/// The heading of the column that marks rows whose bucket is not over.
pub const NOTE: (&str, &str) = ("备注", "Note");

pub fn note(partial: bool, locale: Locale) -> String {
    let so_far = match locale {
        Locale::ZhCn => "截至目前",
        Locale::EnUs => "so far",
    };
    if partial { so_far.to_owned() } else { String::new() }
}

/// The start of a bucket, in the time zone of the request.
pub fn moment(time: i64, granularity: Granularity, zone: &TimeZone) -> String {
    let at = Timestamp::from_millisecond(time).unwrap_or_default().to_zoned(zone.clone());
    match granularity {
        // With the offset, to distinguish the two hours when clocks change.
        Granularity::Hour => at.strftime("%Y-%m-%d %H:%M %:z").to_string(),
        _ => at.date().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_cell_of_a_file_is_a_formula() {
        let heads = ["Time".to_owned(), "＝1+1".to_owned()];
        let lines = [vec!["\u{200b}@SUM(A1)".to_owned(), "7".to_owned()]];
        let body = file("f", &heads, &lines).unwrap().into_body();
        let text = axum::body::to_bytes(body, 1_000).await.unwrap();
        assert_eq!(&text[..], "\u{feff}Time,'＝1+1\n'\u{200b}@SUM(A1),7\n".as_bytes());
    }

    #[test]
    fn an_hour_that_comes_twice_is_told_apart() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let hour = |text: &str| {
            let at: Timestamp = text.parse().unwrap();
            moment(at.as_millisecond(), Granularity::Hour, &zone)
        };
        assert_eq!(hour("2026-10-25T00:00:00Z"), "2026-10-25 02:00 +02:00");
        assert_eq!(hour("2026-10-25T01:00:00Z"), "2026-10-25 02:00 +01:00");
    }
}
