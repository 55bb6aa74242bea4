//! Keeps spreadsheets from running cells of an export as formulas.

/// Characters that start a formula: ASCII, full-width (Chinese and Japanese spreadsheets treat them
/// alike), small forms, and the typographic minus.
const FORMULA: [char; 13] =
    ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '\u{2212}'];

/// Puts an apostrophe in front of a cell that a spreadsheet would take for a formula, which makes it
/// text.
pub fn plain(cell: &str) -> String {
    if cell.starts_with(['\t', '\r', '\n'])
        || first_seen(cell).is_some_and(|c| FORMULA.contains(&c))
    {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

/// The first visible character: some programs drop invisible ones before they look.
fn first_seen(cell: &str) -> Option<char> {
    cell.chars().find(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(*c))
}

/// Zero-width characters and direction marks.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' |
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for formula in [
            "=HYPERLINK(\"x\")",
            "+1+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "＝HYPERLINK(\"x\")",
            "＋1",
            "－1",
            "＠SUM(A1)",
            "﹦1",
            "\u{2212}1",
            " =1",
            "\u{3000}＝1",
            "\u{a0}=1",
            "\t=1",
            "\r=1",
            "\n=1",
            "\tx",
            "\u{200b}=1",
            "\u{feff}=1",
            "\u{202e}=1",
            "\u{200b} \u{2060}＠x",
            "\u{1}=1",
        ] {
            assert_eq!(plain(formula), format!("'{formula}"), "{formula:?}");
        }
    }

    #[test]
    fn other_cells_stay_as_they_are() {
        for cell in ["", "Jane", "a=b", "1-2", "张三", " Jane", "'=1", "2026-03-01", "\u{200b}x"]
        {
            assert_eq!(plain(cell), cell, "{cell:?}");
        }
    }
}
