// Package conformance tries whether a plugin keeps the contract. A suite is a
// list of cases; each has a name and a sentence that says what it demands. A
// plugin's own tests run them with
//
//	for _, c := range conformance.Transport() {
//		t.Run(c.Name, func(t *testing.T) { c.Run(t, target) })
//	}
//
// twice: with the implementation in process, and with the command line of the
// plugin, so that what concerns the process is tried too. Both go through gRPC.
package conformance
