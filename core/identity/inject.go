package identity

import "encoding/hex"

func injectHash(injects []Inject) string {
	parts := make([]string, 0, 2*len(injects))
	for _, i := range injects {
		parts = append(parts, hex.EncodeToString(i.SHA256[:]), i.Dst)
	}
	return sum(parts)
}
