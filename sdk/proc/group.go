package proc

import "time"

// settleTime bounds the wait for a group that got SIGKILL: a process in an
// uninterruptible system call dies late.
const settleTime = 2 * time.Second

// awaitGroup waits until nobody but the child itself, which has ended, is left
// in the group, or until the group gets its SIGKILL. The system has no call
// that waits for a group, so it looks again and again.
func awaitGroup(pid int, until time.Time) {
	poll(until, func() bool { return !groupLives(pid) })
}

// settleGroup waits until the processes that got SIGKILL are gone. In the usual
// case there are none and it costs one system call.
func settleGroup(pid int) {
	poll(time.Now().Add(settleTime), func() bool {
		// Zombies without a parent that reaps them are as good as gone.
		return groupGone(pid) || !groupLives(pid)
	})
}

func poll(until time.Time, done func() bool) {
	for pause := time.Millisecond; !done(); pause = min(2*pause, 50*time.Millisecond) {
		left := time.Until(until)
		if left <= 0 {
			return
		}
		time.Sleep(min(pause, left))
	}
}
