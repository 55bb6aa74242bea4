//! Arithmetic over the series of a trend: `A / B * 100`.

/// No real formula is longer.
pub const LENGTH_MAX: usize = 200;
const DEPTH_MAX: usize = 32;

#[derive(Debug, PartialEq)]
pub enum Formula {
    Number(f64),
    /// The place of a series.
    Series(usize),
    Minus(Box<Self>),
    Of(Sign, Box<Self>, Box<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Plus,
    Minus,
    Times,
    Over,
}

impl Formula {
    /// None if it is invalid, or uses a series that does not exist.
    pub fn read(text: &str, series: usize) -> Option<Self> {
        if text.len() > LENGTH_MAX {
            return None;
        }
        let mut reading = Reading { rest: text.trim_start(), series, depth: 0 };
        let formula = reading.sum()?;
        reading.rest.is_empty().then_some(formula)
    }

    /// None if a value is missing, or on division by zero.
    pub fn of(&self, values: &[Option<f64>]) -> Option<f64> {
        let value = match self {
            Self::Number(number) => *number,
            Self::Series(place) => (*values.get(*place)?)?,
            Self::Minus(other) => -other.of(values)?,
            Self::Of(sign, a, b) => {
                let (a, b) = (a.of(values)?, b.of(values)?);
                match sign {
                    Sign::Plus => a + b,
                    Sign::Minus => a - b,
                    Sign::Times => a * b,
                    Sign::Over => a / b,
                }
            }
        };
        value.is_finite().then_some(value)
    }
}

struct Reading<'a> {
    rest: &'a str,
    series: usize,
    depth: usize,
}

impl Reading<'_> {
    fn take(&mut self, signs: &[(char, Sign)]) -> Option<Sign> {
        let first = self.rest.chars().next()?;
        let (_, sign) = signs.iter().find(|(sign, _)| *sign == first)?;
        self.skip(first.len_utf8());
        Some(*sign)
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }

    fn sum(&mut self) -> Option<Formula> {
        let mut all = self.product()?;
        while let Some(sign) = self.take(&[('+', Sign::Plus), ('-', Sign::Minus)]) {
            all = Formula::Of(sign, Box::new(all), Box::new(self.product()?));
        }
        Some(all)
    }

    fn product(&mut self) -> Option<Formula> {
        let signs = [('*', Sign::Times), ('×', Sign::Times), ('/', Sign::Over), ('÷', Sign::Over)];
        let mut all = self.one()?;
        while let Some(sign) = self.take(&signs) {
            all = Formula::Of(sign, Box::new(all), Box::new(self.one()?));
        }
        Some(all)
    }

    fn one(&mut self) -> Option<Formula> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let first = self.rest.chars().next()?;
        let one = match first {
            '-' => {
                self.skip(1);
                Formula::Minus(Box::new(self.one()?))
            }
            '(' => {
                self.skip(1);
                let inner = self.sum()?;
                self.rest.starts_with(')').then(|| self.skip(1))?;
                inner
            }
            'A'..='Z' | 'a'..='z' => {
                let place = usize::from(first.to_ascii_uppercase() as u8 - b'A');
                self.skip(1);
                (place < self.series).then_some(Formula::Series(place))?
            }
            _ => {
                let is_digit = |c: char| c.is_ascii_digit() || c == '.';
                let length = self.rest.find(|c| !is_digit(c)).unwrap_or(self.rest.len());
                let number = self.rest[..length].parse().ok().filter(|n: &f64| n.is_finite())?;
                self.skip(length);
                Formula::Number(number)
            }
        };
        self.depth -= 1;
        Some(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, values: &[f64]) -> Option<f64> {
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        Formula::read(text, values.len()).unwrap().of(&values)
    }

    #[test]
    fn products_come_before_sums() {
        assert_eq!(value("A / B * 100", &[1.0, 4.0]), Some(25.0));
        assert_eq!(value(" a + B*-(2 - C)", &[1.0, 2.0, 3.0]), Some(3.0));
        assert_eq!(value("A÷B×2.5", &[6.0, 3.0]), Some(5.0));
    }

    #[test]
    fn what_is_divided_by_zero_is_nothing() {
        assert_eq!(value("A / B", &[1.0, 0.0]), None);
        assert_eq!(value("1 + A / (B - B)", &[0.0, 5.0]), None);
        assert_eq!(Formula::read("A + 1", 1).unwrap().of(&[None]), None);
    }

    #[test]
    fn what_makes_no_sense_is_no_formula() {
        for text in ["", "A +", "(A", "A B", "C", "A ** B", "1..2", "log(A)", "A)", "🙂"] {
            assert_eq!(Formula::read(text, 2), None, "{text}");
        }
        assert_eq!(Formula::read(&"(".repeat(200), 2), None);
        assert_eq!(Formula::read(&"-".repeat(150), 2), None);
        assert_eq!(Formula::read(&"A+".repeat(101), 2), None);
    }
}
