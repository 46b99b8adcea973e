package manifest

import (
	"path"
	"slices"
	"strings"
)

// compiled are the extensions of sources that a compiler turns into what runs,
// and of what it makes of them.
const compiled = ".a .asm .c .cc .class .cpp .cs .cu .cxx .d .dll .dylib .exe .f .f90 .fs .go .h .hh .hpp .hs .jar .java " +
	".kt .m .ml .mm .nim .o .obj .rs .s .scala .so .swift .zig"

// Compiled reports whether the name of a file says that it is compiled or has to
// be. Appended to an image such a file changes nothing, or replaces what nobody
// can review (C-BUILD-MODE). The content has to be looked at too.
func Compiled(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext != "" && slices.Contains(strings.Fields(compiled), ext)
}
