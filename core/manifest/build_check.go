package manifest

import (
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/crucible-engine/crucible/core/diag"
)

// check holds the keys against the mode.
func (b *Build) check(t value) {
	if b.Mode == "" {
		return // refused already
	}
	// ofModes are the keys that say something to some mode.
	ofModes := []string{"base", "target", "sources", "prefix", "containerfile", "command", "timeout", "retries"}
	must, may := b.Mode.needs()
	for _, key := range must {
		if blank(t, key) {
			t.missing(key, "mode "+string(b.Mode)+" needs it")
		}
	}
	for _, e := range t.node.keys {
		if slices.Contains(ofModes, e.name) && !slices.Contains(slices.Concat(must, may), e.name) {
			t.at(e.name).fault("leave it out", "mode %s has no use for it", b.Mode)
		}
	}
	b.checkImages(t)
	b.checkSources(t)
	if path.Clean(b.Prefix) != b.Prefix || !path.IsAbs(b.Prefix) {
		t.at("prefix").fault("", "%s is not a clean absolute path in the image", diag.Quote(b.Prefix, shown))
	}
}

// checkSources refuses what would not take effect as a layer.
func (b *Build) checkSources(t value) {
	v := t.at("sources")
	if v.node.kind == kindArray && len(v.node.items) == 0 {
		v.fault("", "the array is empty")
	}
	var seen []string
	for i := range v.node.items {
		item := v.item(i)
		clean, _ := destination(strings.TrimRight(item.node.text, "/"))
		if Compiled(clean) && b.Mode == BuildLayer {
			item.fault(`choose mode = "image"`, "%s is compiled, or has to be; a layer is for what runs as it is", diag.Quote(clean, shown))
		}
		if clean != "" && slices.Contains(seen, clean) {
			item.fault("", "%s is named twice", diag.Quote(clean, shown))
		}
		seen = append(seen, clean)
	}
}

// checkImages wants names of images, and for a layer one registry.
func (b *Build) checkImages(t value) {
	base, baseOK := checkImage(t.at("base"), b.Base)
	target, targetOK := checkImage(t.at("target"), b.Target)
	if b.Mode == BuildLayer && baseOK && targetOK && base != target {
		t.at("target").fault("push to "+base, "a layer is appended within one registry; the base is in %s, the target in %s", base, target)
	}
}

// checkImage gives the registry of an image; false when there is none.
func checkImage(v value, s string) (registry string, ok bool) {
	if s == "" {
		return "", false
	}
	ref, err := name.ParseReference(s)
	if err != nil {
		v.fault(`write "registry/path:tag"`, "%s is not the name of an image", diag.Quote(s, shown))
		return "", false
	}
	return ref.Context().RegistryStr(), true
}
