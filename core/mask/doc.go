// Package mask takes the values of secrets out of texts before they are
// recorded or shown. It knows values, not names: where a value comes from is the
// caller's business, and so is the order (mask first, then encode or cut).
//
// A value is found as it is and in the forms in which programs tend to print it:
// Base64 and Base64 for URLs, with and without padding and at any place inside a
// longer encoded text (user:password); percent-encoded; escaped in a JSON string;
// quoted for a shell; in hex digits. A value with several lines is also found
// line by line. What is encrypted, compressed, reversed or cut into pieces by
// the program that prints it is not found: masking protects against accidents,
// not against an agent that wants to give a secret away.
package mask
