//! The names and values of a JSON object's own properties, without building the object. The collector has
//! already checked that the text is an object.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::super::limits::end_of_string;

/// Iterates over the properties of an object, not over those of nested objects: the name of each, and its
/// value as written.
pub struct TopLevelProperties<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> TopLevelProperties<'a> {
    pub fn of(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Skips a value, up to the comma after it or the end of the object.
    fn take_value(&mut self) -> &'a [u8] {
        let start = self.at;
        self.skip_value();
        let value = self.text.get(start..self.at).unwrap_or_default().trim_ascii();
        value.strip_prefix(b":").unwrap_or_default().trim_ascii()
    }

    fn skip_value(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'"' => self.at = end_of_string(self.text, self.at),
                b'{' | b'[' => depth += 1,
                b',' | b'}' if depth == 0 => return,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }
}

impl<'a> Iterator for TopLevelProperties<'a> {
    type Item = (Cow<'a, [u8]>, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at + memchr(b'"', self.text.get(self.at..)?)?;
        let inside = self.text.get(start + 1..)?;
        let length = memchr2(b'"', b'\\', inside)?;
        if inside.get(length) == Some(&b'"') {
            self.at = start + 1 + length + 1;
            return Some((Cow::Borrowed(inside.get(..length)?), self.take_value()));
        }
        let end = end_of_string(self.text, start);
        self.at = end + 1;
        let value = self.take_value();
        // The same name can be written in several ways.
        let name = match serde_json::from_slice::<String>(self.text.get(start..=end)?) {
            Ok(name) => Cow::Owned(name.into_bytes()),
            Err(_) => Cow::Borrowed(self.text.get(start + 1..end)?),
        };
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let properties = TopLevelProperties::of(text.as_bytes());
        properties.map(|(name, _)| String::from_utf8(name.into_owned()).unwrap()).collect()
    }

    #[test]
    fn names_of_the_object_itself() {
        assert_eq!(names("{}"), Vec::<String>::new());
        assert_eq!(
            names(r#" { "a" : 1 , "b":"x,}{\"y\":", "c" :[{"d":[1]}, "e"],"f":null} "#),
            ["a", "b", "c", "f"]
        );
        assert_eq!(
            names(r#"{"deep":{"a":{"b":"}"}},"":true,"名称":-1.5e3}"#),
            ["deep", "", "名称"]
        );
    }

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        assert_eq!(names(r#"{"pl\u0061n":1,"a\"b":2}"#), ["plan", "a\"b"]);
        assert_eq!(names(r#"{"\ud800":1}"#), [r"\ud800"], "half a character stands as it is");
    }

    #[test]
    fn values_are_as_they_are_written() {
        let text = r#"{"a" : 1 , "b":"x,}{\"y\":","c":{"d":[1]} }"#;
        let values: Vec<&[u8]> =
            TopLevelProperties::of(text.as_bytes()).map(|(_, value)| value).collect();
        assert_eq!(values, [&b"1"[..], br#""x,}{\"y\":""#, br#"{"d":[1]}"#]);
    }

    #[test]
    fn text_that_is_cut_off_ends() {
        let whole = r#"{"a":"b\\","c":{"d":["e"]},"f":1}"#;
        for cut in 0..whole.len() {
            let _ = names(&whole[..cut]);
        }
    }
}
