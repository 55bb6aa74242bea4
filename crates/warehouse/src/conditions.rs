//! What events are chosen by: their names, their fields and properties.

/// What a filter or a grouping looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    Column(Column),
    /// A name in the properties, and one for each level below.
    Path(Vec<String>),
}

/// A field that every event has; empty is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Os,
    Browser,
    BrowserVersion,
    DeviceType,
    Language,
    UrlPath,
    ClientVersion,
    SdkVersion,
    Source,
    UserId,
    DeviceId,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// One of the elements is one of these; numbers compare as numbers.
    Is(Vec<String>),
    Contains(Vec<String>),
    Above(f64),
    AtLeast(f64),
    Below(f64),
    AtMost(f64),
    Set,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub property: Property,
    pub test: Test,
    /// Those that do not pass the test are wanted.
    pub negated: bool,
}

/// Tests put together.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Test(Filter),
    /// Holds for everything where there are none.
    All(Vec<Self>),
    /// Holds for nothing where there are none.
    Any(Vec<Self>),
}

impl Default for Condition {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

/// Events that count as one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventChoice {
    /// Any, if there is no list; none, if it is empty.
    pub names: Option<Vec<String>>,
    pub condition: Condition,
}
