package contract_test

import (
	"testing"

	"github.com/crucible-engine/crucible/sdk/contract"
)

func TestVersionIsWellFormed(t *testing.T) {
	t.Parallel()
	v, err := contract.ParseSemver(contract.Version)
	if err != nil {
		t.Fatal(err)
	}
	if v.String() != contract.Version {
		t.Errorf("%q reads back as %q", contract.Version, v)
	}
	if v.Protocol() != contract.Protocol() {
		t.Errorf("protocol: got %d, want %d", contract.Protocol(), v.Protocol())
	}
}

func TestParseSemver(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]contract.Semver{
		"0.2.0":        {Minor: 2},
		"1.0.0":        {Major: 1},
		"12.34.999999": {Major: 12, Minor: 34, Patch: 999999},
	} {
		got, err := contract.ParseSemver(text)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.3-rc1", "1.2.3+b", "01.2.3", "+1.2.3", "-1.2.3",
		"1..3", "1.2. 3", "1.2.1000000", "1.2.99999999999999999999"} {
		if got, err := contract.ParseSemver(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestProtocolAndOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"0.2.0": 2, "0.2.9": 2, "0.3.0": 3, "1.0.0": 1000, "1.7.2": 1000, "2.0.0": 2000} {
		v, err := contract.ParseSemver(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Protocol(); got != want {
			t.Errorf("protocol of %s: got %d, want %d", text, got, want)
		}
	}
	ordered := []contract.Semver{{0, 1, 9}, {0, 2, 0}, {0, 2, 1}, {1, 0, 0}}
	for i, v := range ordered {
		for j, w := range ordered {
			got := v.Compare(w)
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%v against %v: got %d", v, w, got)
			}
		}
	}
}
