package contract

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is the contract version of this tree, semver without a leading v. It
// covers everything typed that crosses a boundary: the session log, the
// ledgers, the exposure document and the plugin protocols. While the major is
// 0, a breaking change bumps the minor.
const Version = "0.2.0"

// Semver is a parsed contract version.
type Semver struct {
	Major, Minor, Patch int
}

// ParseSemver reads MAJOR.MINOR.PATCH. Pre-release and build suffixes are
// refused: a contract version never has one.
func ParseSemver(s string) (Semver, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return Semver{}, fmt.Errorf("contract version %q: want MAJOR.MINOR.PATCH", s)
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > 999_999 || (len(p) > 1 && p[0] == '0') || p[0] == '+' || p[0] == '-' {
			return Semver{}, fmt.Errorf("contract version %q: %q is not a number", s, p)
		}
		n[i] = v
	}
	return Semver{n[0], n[1], n[2]}, nil
}

// Protocol is the number that host and plugin settle at the handshake: the minor
// while the major is 0, else the major times 1000. Two versions with the same
// number understand each other; the factor keeps 2.0 apart from 0.2.
func (v Semver) Protocol() int {
	if v.Major == 0 {
		return v.Minor
	}
	return v.Major * 1000
}

// String is the inverse of ParseSemver.
func (v Semver) String() string {
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
}

// Compare orders v against w: negative when v is older.
func (v Semver) Compare(w Semver) int {
	for _, d := range []int{v.Major - w.Major, v.Minor - w.Minor, v.Patch - w.Patch} {
		if d != 0 {
			return d
		}
	}
	return 0
}
