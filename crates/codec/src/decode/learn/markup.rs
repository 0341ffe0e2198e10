//! Whether constant bytes say nothing but names.

/// Whether bytes between values are tags and white space and say nothing but names: no text, comment
/// or instruction, and of attributes only declarations and what stands for types.
pub(super) fn is_markup(bytes: &[u8]) -> bool {
    is_markup_from(false, bytes)
}

/// The same for bytes that may begin inside a tag.
pub(super) fn is_markup_from(mut inside: bool, bytes: &[u8]) -> bool {
    let mut name = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => inside = true,
            b'>' => inside = false,
            b'!' | b'?' if inside => return false,
            b'=' if inside && !bytes.get(name..i).is_some_and(is_plain_attribute) => return false,
            _ if castile_lexical::is_xml_space(byte) => name = i + 1,
            _ if !inside => return false,
            _ => {}
        }
    }
    true
}

fn is_plain_attribute(name: &[u8]) -> bool {
    const TYPES: [&[u8]; 4] = [b":type", b":nil", b":arrayType", b":encodingStyle"];
    name.starts_with(b"xmlns") || TYPES.iter().any(|end| name.ends_with(end))
}
