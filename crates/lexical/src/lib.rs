//! XSD text to and from scalars: numbers, dates, base64, hex
