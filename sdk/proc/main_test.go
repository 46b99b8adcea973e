//go:build linux

package proc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/sdk/proc"
)

// roleVariable makes the test binary play a program instead of testing.
const roleVariable = "CRUCIBLE_PROC_TEST_ROLE"

// nonceVariable is the number of seconds that a child of such a program sleeps, by
// which it can be told from all others.
const nonceVariable = "CRUCIBLE_PROC_TEST_NONCE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "parent":
		playParent()
	case "parent of many":
		playParentOfMany(os.Getenv(nonceVariable))
	case "adopter":
		playAdopter(os.Getenv(nonceVariable))
	case "parent on a terminal":
		playParentOnTerminal()
	default:
		os.Exit(m.Run())
	}
}

// playParent starts a shell with a child of its own, both of which would live
// for long and heed no signal but SIGKILL, prints their process ids once the
// start is over, and waits to be killed. A child that ended before must not
// confuse the guard.
func playParent() {
	if _, err := proc.Run(context.Background(), proc.Shell("exit 0")); err != nil {
		fmt.Println(err)
		return
	}
	ids := make(chan string, 1)
	c := proc.Shell("trap '' HUP INT TERM; sleep 600 >/dev/null 2>&1 & echo $$ $!; wait")
	c.Env, c.Stdout = os.Environ(), func(l proc.Line) { ids <- l.Text }
	p, err := proc.Start(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(<-ids)
	_, _ = p.Wait()
}

// playParentOfMany starts many shells at once, each of which starts a sleep and
// then kills this program: the first to do so finds most of the others in the
// middle of their start.
func playParentOfMany(seconds string) {
	for range 24 {
		go func() {
			c := proc.Shell("sleep " + seconds + " & kill -s KILL $PPID; wait")
			c.Env = os.Environ()
			_, _ = proc.Run(context.Background(), c)
		}()
	}
	select {}
}

// playAdopter runs each script beside a short sleep, prints the status of both,
// and then says "done" and waits for the end of its input: whatever still runs is left behind.
func playAdopter(seconds string) {
	if err := proc.Adopt(); err != nil {
		fmt.Println(err)
		return
	}
	for _, script := range []string{
		"setsid sleep " + seconds + " & sleep 0.05; exit 3",
		"(setsid sh -c 'sleep " + seconds + " & sleep " + seconds + "' &); sleep 0.05; exit 4",
		"setsid sh -c 'trap : TERM; while :; do setsid sleep " + seconds + " & sleep 0.001; done' & sleep 0.1; exit 5",
	} {
		other := make(chan int, 1)
		go func() { other <- codeOf("sleep 0.1; exit 2") }()
		fmt.Println(codeOf(script), <-other)
	}
	fmt.Println("done")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// codeOf runs a script and gives its exit status.
func codeOf(script string) int {
	c := proc.Shell("exec >/dev/null 2>&1; " + script)
	c.Env = os.Environ()
	exit, err := proc.Run(context.Background(), c)
	if err != nil {
		return 100
	}
	return exit.Code
}

// playParentOnTerminal starts a child that reads the terminal, and prints whether
// the child and this program can.
func playParentOnTerminal() {
	c := proc.Shell("read -r line </dev/tty")
	c.Timeout = 10 * time.Second
	exit, err := proc.Run(context.Background(), c)
	tty, openErr := os.Open("/dev/tty")
	fmt.Println(exit.Success(), exit.TimedOut, err, openErr)
	if openErr == nil {
		tty.Close()
	}
}
