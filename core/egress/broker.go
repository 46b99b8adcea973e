package egress

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// BrokerURL is where a sandbox finds the broker: the URL that the manifest gives,
// else one made of the driver's name for the engine's machine and the port that
// the broker binds.
func BrokerURL(given, bind, driverHost string) (string, error) {
	if given != "" {
		return given, nil
	}
	port, err := bindPort(bind)
	if err != nil {
		return "", fmt.Errorf("%.80q: %w", bind, err)
	}
	return "http://" + bracketed(driverHost) + ":" + port + "/mcp", nil
}

// bindPort is the port of address:port.
func bindPort(bind string) (string, error) {
	colon := strings.LastIndexByte(bind, ':')
	if colon <= 0 {
		return "", errors.New("want address:port")
	}
	e, err := ParseEndpoint(bind)
	port := strconv.Itoa(int(e.Port))
	switch {
	case err != nil:
		return "", err
	case port != bind[colon+1:]: // there is more than the two
		return "", errors.New("want address:port")
	case e.Wildcard():
		return "", errors.New("the address has a wildcard")
	}
	return port, nil
}

// bracketed is a host as it stands before a port.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// BrokerEndpoint is the endpoint that a broker's URL needs (C-EGRESS). Its errors
// show nothing of a URL that holds a password.
func BrokerEndpoint(broker string) (Endpoint, error) {
	u, err := url.Parse(broker)
	if err != nil {
		return Endpoint{}, errors.New("not a URL")
	}
	port := u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return Endpoint{}, fmt.Errorf("the scheme %q is not http or https", u.Scheme)
	case u.User != nil:
		return Endpoint{}, errors.New("the URL holds a user name or a password, which the sandbox would see")
	case u.Hostname() == "":
		return Endpoint{}, errors.New("the URL has no host")
	case port == "" && strings.HasSuffix(u.Host, ":"):
		return Endpoint{}, errors.New("the URL has an empty port")
	case port == "" && u.Scheme == "http":
		port = "80"
	case port == "":
		port = "443"
	}
	e, err := ParseEndpoint(bracketed(u.Hostname()) + ":" + port + ":full")
	if err == nil && e.Wildcard() {
		err = errors.New("the URL's host has a wildcard")
	}
	return e, err
}
