// Package wire is the session log on paper: the events of a run, how each is
// written as one line of JSON, and how such a line is read back (C-WIRE). It
// refuses to know files, clocks and what an event means for a run.
//
// # The form of a line
//
// A line is one JSON object without white space. Its first member is "v", the
// integer 1, its second "kind", then the kind's own members in the order of the
// struct's fields. Numbers that are not integers carry a fraction or an exponent
// ("5.0", "41.5", "1e16": the shortest digits that read back as the same number,
// an exponent below 1e-5 and from 1e16 on). A number that is not finite is null.
// Strings escape the quote, the backslash and the control characters below U+0020
// (\b \t \n \f \r by letter, the others as \u00xx in lower case) and nothing else:
// <, > and & stay as they are. Bytes that are not UTF-8 become U+FFFD, one each.
//
// # Reading
//
// Unknown members are ignored, a missing "v" is 1 and any other is accepted,
// members added after a kind's first release have defaults, and a kind that this
// engine does not know becomes an Unknown. What still fails is a torn or foreign
// line: a reader of a whole log skips it.
package wire
