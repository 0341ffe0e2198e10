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
        self.started()?;
        let outside = self.depth().saturating_sub(1);
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
        let open = self.started()?;
        let cursor = self.cursor();
        let name_end = self.tag.name.start + self.tag.name.whole.len();
        let mut text = cursor.slice(self.token_start, name_end).as_bytes().to_vec();
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
        self.skip_element()?;
        text.extend_from_slice(cursor.slice(name_end, self.at).as_bytes());
        // Every piece was text; the check is cheap beside having read it.
        String::from_utf8(text)
            .map_err(|e| Error::encoding(e.utf8_error().valid_up_to(), "a captured element is not UTF-8"))
    }

    /// [`capture`](Reader::capture) as a [`Fragment`], without reading it once more.
    ///
    /// # Errors
    /// Those of [`capture`](Reader::capture).
    pub fn fragment(&mut self) -> Result<Fragment, Error> {
        let name = self.started()?.name;
        let uri = self.uri(name.ns).to_owned();
        let name_end = 1 + self.tag.name.whole.len();
        let declares = |prefix: &str| self.tag.declared.iter().any(|(p, _)| *p == prefix);
        let default = declares("") || self.in_scope().any(|(prefix, _)| prefix.is_empty());
        Ok(Fragment::checked(
            self.capture()?,
            uri,
            name.local.to_owned(),
            name_end,
            default,
        ))
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
