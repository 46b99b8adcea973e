package build

import (
	"bytes"

	"github.com/crucible-engine/crucible/core/manifest"
)

// compiled says what a file is that has no place in a layer of interpreted
// sources: a program, a library, or a source that takes effect only when it is
// compiled. It is empty for any other.
func compiled(name string, data []byte) string {
	for magic, what := range map[string]string{
		"\x7fELF": "an ELF file", "MZ": "a PE file", "\xcf\xfa\xed\xfe": "a Mach-O file", "\xce\xfa\xed\xfe": "a Mach-O file", "\xfe\xed\xfa\xcf": "a Mach-O file",
		"\xfe\xed\xfa\xce": "a Mach-O file", "\xca\xfe\xba\xbe": "a Mach-O file or a Java class", "\x00asm": "a WebAssembly module", "!<arch>\n": "an archive of objects",
	} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return what
		}
	}
	if manifest.Compiled(name) {
		return "compiled, or takes effect only when it is"
	}
	return ""
}
