package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Endpoint is one place that may be reached: "host:port", with an access class,
// a protocol and an enforcement mode as optional further parts. Two endpoints
// are the same exactly if they are equal.
type Endpoint struct {
	// Host is a name in lower case, whose labels may hold wildcards, or an IP
	// address, an IPv6 one without its brackets.
	Host   string
	Port   uint16
	Access Access
	// Protocol and Enforcement are for the sandbox; empty for its own choice.
	Protocol, Enforcement string
}

// maxEndpoint bounds the text of an endpoint, in bytes.
const maxEndpoint = 512

// ParseEndpoint reads an endpoint. An IPv6 address stands in brackets. A label of
// a name may hold one "*", which stands for any characters within the label, and
// one label may be "**", which stands for one label or more.
func ParseEndpoint(s string) (Endpoint, error) {
	if len(s) > maxEndpoint {
		return Endpoint{}, fmt.Errorf("more than %d bytes", maxEndpoint)
	}
	host, rest, err := cutHost(s)
	if err != nil {
		return Endpoint{}, err
	}
	parts := strings.Split(rest, ":")
	if len(parts) > 4 {
		return Endpoint{}, errors.New(`too many parts; want "host:port:access"`)
	}
	e := Endpoint{Host: host}
	port, err := strconv.ParseUint(parts[0], 10, 16)
	if err != nil || port == 0 || strings.HasPrefix(parts[0], "+") {
		return Endpoint{}, fmt.Errorf("%q is not a port; want a number from 1 to 65535", parts[0])
	}
	e.Port = uint16(port)
	for i, part := range parts[1:] {
		if err := e.setPart(i, part); err != nil {
			return Endpoint{}, err
		}
	}
	return e, nil
}

// cutHost splits the host off and brings it into its one form.
func cutHost(s string) (host, rest string, err error) {
	if strings.Contains(s, "://") {
		return "", "", errors.New("is a URL")
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		host, rest, ok = strings.Cut(inner, "]:")
		address, parseErr := netip.ParseAddr(host)
		if !ok || parseErr != nil || !address.Is6() || address.Zone() != "" {
			return "", "", errors.New(`want "[IPv6 address]:port"`)
		}
		return address.Unmap().String(), rest, nil
	}
	host, rest, ok := strings.Cut(s, ":")
	switch {
	case bareIPv6(s):
		return "", "", errors.New(`has an IPv6 address without brackets; want "[IPv6 address]:port"`)
	case !ok:
		return "", "", errors.New(`has no port; want "host:port"`)
	case host == "":
		return "", "", errors.New(`has no host; want "host:port"`)
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String(), rest, nil
	}
	host = strings.TrimSuffix(lower(host), ".")
	return host, rest, checkName(host)
}

// bareIPv6 reports whether s begins with an IPv6 address without brackets: the
// words behind it are none of its parts.
func bareIPv6(s string) bool {
	for end := len(s); end > 0; end = strings.LastIndexByte(s[:end], ':') {
		if address, err := netip.ParseAddr(s[:end]); err == nil && address.Is6() {
			return true
		}
	}
	return false
}

// Limits of names, in bytes.
const (
	maxName  = 253
	maxLabel = 63
)

func checkName(host string) error {
	if len(host) > maxName {
		return fmt.Errorf("the host has more than %d bytes", maxName)
	}
	last, deep := "", 0
	for last = range strings.SplitSeq(host, ".") {
		if err := checkLabel(last); err != nil {
			return err
		}
		if last == "**" {
			deep++
		}
	}
	switch {
	case deep > 1:
		return errors.New(`the host has more than one "**"`)
	case numeric(last):
		return errors.New("the host is neither a name nor an IP address")
	}
	return nil
}

func checkLabel(label string) error {
	switch {
	case label == "":
		return errors.New("the host has an empty label")
	case len(label) > maxLabel:
		return fmt.Errorf("a label of the host has more than %d bytes", maxLabel)
	case label != "**" && strings.Contains(label, "**"):
		return errors.New(`"**" stands for whole labels, so it is a label of its own`)
	case label != "**" && strings.Count(label, "*") > 1:
		return errors.New(`a label of the host has more than one "*"`)
	case label[0] == '-' || label[len(label)-1] == '-':
		return errors.New("a label of the host begins or ends with a dash")
	}
	for _, r := range label {
		switch {
		case r >= 0x80:
			return errors.New("the host is not ASCII; write it in its xn-- form")
		case !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_*", r):
			return fmt.Errorf("the host has the character %q", r)
		}
	}
	return nil
}

// numeric reports whether a last label makes resolvers take the host for an IPv4
// address, which some of them read in octal, in hexadecimal or in one number.
func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func (e *Endpoint) setPart(i int, part string) error {
	if i == 0 {
		access, ok := ParseAccess(part)
		if !ok {
			return fmt.Errorf("%q is not one of full, read-write, read-only", part)
		}
		e.Access = access
		return nil
	}
	if strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("%q is not a word of lower-case letters, digits and dashes", part)
	}
	if i == 1 {
		e.Protocol = part
	} else {
		e.Enforcement = part
	}
	return nil
}

// Authority is host and port, with brackets where they are needed.
func (e Endpoint) Authority() string {
	return bracketed(e.Host) + ":" + strconv.Itoa(int(e.Port))
}

// String is the endpoint in full; parsing it gives the same endpoint.
func (e Endpoint) String() string {
	s := e.Authority() + ":" + e.Access.String()
	if e.Protocol != "" || e.Enforcement != "" {
		s += ":" + e.Protocol
	}
	if e.Enforcement != "" {
		s += ":" + e.Enforcement
	}
	return s
}

// Wildcard reports whether the host stands for more than one.
func (e Endpoint) Wildcard() bool { return strings.Contains(e.Host, "*") }
