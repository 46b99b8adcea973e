package world_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/sdk/world"
)

func TestValuesOfVariablesAreNeverShown(t *testing.T) {
	t.Parallel()
	request := world.OpenRequest{Workspace: "/w", Env: []world.EnvVar{{Name: "KEY", Value: "SECRET"}}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		text := fmt.Sprintf(verb, request)
		if strings.Contains(text, "SECRET") || strings.Contains(text, fmt.Sprintf("%x", "SECRET")) {
			t.Errorf("%s shows %s", verb, text)
		}
	}
	if text, err := json.Marshal(request); err != nil || strings.Contains(string(text), "SECRET") {
		t.Errorf("JSON shows %s, %v", text, err)
	}
}
