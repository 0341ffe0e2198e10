//! Whole elements at once: passed over, or cut out so that they can stand alone.

use crate::error::{Error, Kind};
use crate::escape::escape_attribute;
use crate::fragment::Fragment;
use crate::reader::{Open, Reader, State};

impl<'a> Reader<'a> {
    /// Passes the element that the last token started, through its `End`. What is passed is
    /// checked like everything else.
    ///
    /// # Errors
    /// Those of [`next`](Reader::next), and [`Kind::Misuse`] if the last token was no `Start`.
    pub fn skip_element(&mut self) -> Result<(), Error> {
        let outside = self.outside_started()?;
        while self.depth() > outside {
            self.next()?;
        }
        Ok(())
    }

    /// Cuts out the element that the last token started, through its `End`, as XML that can stand
    /// alone: as written, with every binding in scope that it does not itself redeclare added to
    /// its start tag, since any of them may be used in a value that looks like a QName.
    ///
    /// ```
    /// use castile_xml::Reader;
    /// # fn main() -> Result<(), castile_xml::Error> {
    /// let mut reader = Reader::new("<a xmlns:x='urn:x'><b type='x:t'>1</b></a>");
    /// reader.next()?;
    /// reader.next()?;
    /// assert_eq!(reader.capture()?, "<b xmlns:x=\"urn:x\" type='x:t'>1</b>");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`next`](Reader::next), [`Kind::Misuse`] if the last token was no `Start`, and
    /// `capture_bytes_max` if captures have added too many declarations.
    pub fn capture(&mut self) -> Result<String, Error> {
        let cut = self.begin_cut()?;
        self.skip_element()?;
        self.end_cut(cut)
    }

    /// [`capture`](Reader::capture) as a [`Fragment`], without reading it once more.
    ///
    /// # Errors
    /// Those of [`capture`](Reader::capture).
    pub fn fragment(&mut self) -> Result<Fragment, Error> {
        let heading = self.heading()?;
        Ok(heading.over(self.capture()?))
    }

    /// Begins to cut out the element that the last token started; it has to be passed before
    /// [`end_cut`](Reader::end_cut).
    pub(crate) fn begin_cut(&mut self) -> Result<Cut, Error> {
        let open = self.started()?;
        let name_end = self.token_start + "<".len() + open.whole.len();
        let mut text = self
            .cursor()
            .slice(self.token_start, name_end)
            .as_bytes()
            .to_vec();
        let name_bytes = text.len();
        for (prefix, ns) in self.namespaces.inherited(open.outside) {
            let attribute = if prefix.is_empty() { " xmlns" } else { " xmlns:" };
            text.extend_from_slice(attribute.as_bytes());
            text.extend_from_slice(prefix.as_bytes());
            text.extend_from_slice(b"=\"");
            escape_attribute(self.namespaces.uri(ns), &mut text);
            text.push(b'"');
        }
        self.captured = self.captured.saturating_add((text.len() - name_bytes) as u64);
        if self.captured > self.limits.capture_bytes_max {
            let max = self.limits.capture_bytes_max;
            return Err(Error::limit(self.token_start, "capture_bytes_max", max));
        }
        Ok(Cut { text, name_end })
    }

    /// The element that was passed since.
    pub(crate) fn end_cut(&self, cut: Cut) -> Result<String, Error> {
        let Cut { mut text, name_end } = cut;
        text.extend_from_slice(self.cursor().slice(name_end, self.at).as_bytes());
        // Every piece was text; the check is cheap beside having read it.
        String::from_utf8(text)
            .map_err(|e| Error::encoding(e.utf8_error().valid_up_to(), "a captured element is not UTF-8"))
    }

    /// What a fragment has to know of the element that the last token started.
    pub(crate) fn heading(&self) -> Result<Heading, Error> {
        let open = self.started()?;
        let declares = |prefix: &str| self.tag.declared.iter().any(|(p, _)| *p == prefix);
        Ok(Heading {
            uri: self.uri(open.name.ns).to_owned(),
            local: open.name.local.to_owned(),
            name_end: "<".len() + open.whole.len(),
            default: declares("") || self.in_scope().any(|(prefix, _)| prefix.is_empty()),
        })
    }

    /// How many elements are open around the one that the last token started.
    pub(crate) fn outside_started(&self) -> Result<u32, Error> {
        self.started()?;
        Ok(self.depth().saturating_sub(1))
    }

    /// The element that the last token started.
    fn started(&self) -> Result<Open<'a>, Error> {
        match (self.state, self.open.last()) {
            (State::Started | State::StartedEmpty, Some(open)) => Ok(*open),
            _ => {
                let what = "an element can be passed or captured only right after its start";
                Err(Error::new(Kind::Misuse(what), self.at))
            }
        }
    }
}

/// An element that is being cut out: its start tag up to the name with the declarations that it needs, and where
/// in the input that name ends.
pub(crate) struct Cut {
    text: Vec<u8>,
    name_end: usize,
}

/// The head of an element that becomes a [`Fragment`].
pub(crate) struct Heading {
    uri: String,
    local: String,
    name_end: usize,
    default: bool,
}

impl Heading {
    pub(crate) fn over(self, text: String) -> Fragment {
        Fragment::checked(text, self.uri, self.local, self.name_end, self.default)
    }
}
