package manifest

import (
	"path"
	"slices"
	"strings"
)

// compiled are the extensions of what a compiler made, and of sources that take
// effect only when one made something of them.
const compiled = ".o .obj .a .lib .so .dylib .dll .exe .class .jar .war .pyc .pyo .pyd .wasm .node " +
	".c .cc .cpp .cxx .h .hh .hpp .m .mm .go .rs .java .kt .scala .swift .cs .fs .hs .ml .zig .d .f90 .cu"

// Compiled reports whether the name of a file says that it is compiled or has to
// be. Appended to an image such a file changes nothing, or replaces what nobody
// can review (C-BUILD-MODE). The content has to be looked at too.
func Compiled(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext != "" && slices.Contains(strings.Fields(compiled), ext)
}
