package build

import (
	"bytes"
	"path"
	"strings"
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
	switch strings.ToLower(path.Ext(name)) {
	case ".o", ".obj", ".a", ".lib", ".so", ".dylib", ".dll", ".exe", ".class", ".jar", ".war", ".pyc", ".pyo", ".pyd", ".wasm", ".node":
		return "a compiled file"
	case ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".m", ".mm", ".go", ".rs", ".java", ".kt", ".scala", ".swift", ".cs", ".fs", ".hs", ".ml", ".zig", ".d", ".f90", ".cu":
		return "a source of a compiled language"
	}
	return ""
}
