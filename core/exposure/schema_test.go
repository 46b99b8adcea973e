package exposure_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What is printed is what the published schema says, and the schema is strict
// enough to find faults.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/exposure.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	check := func(text []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	for _, text := range []string{full, base + "[agent]\nbackend = \"command\"\nagent_cmd = \"true\"\n"} {
		encoded, err := resolve(t, text).Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := check(encoded); err != nil {
			t.Error(err)
		}
		for from, to := range map[string]string{
			`"version": 1`: `"version": 2`, `"draft-pr"`: `"pr"`, `"access": "`: `"access": "x`, `"source": "engine-default"`: `"source": "me"`,
			`"target": null`: `"target": ""`, `"sandboxed"`: `"walled"`,
		} {
			if bytes.Contains(encoded, []byte(from)) && check(bytes.Replace(encoded, []byte(from), []byte(to), 1)) == nil {
				t.Errorf("%s in place of %s is let through", to, from)
			}
		}
	}
}
