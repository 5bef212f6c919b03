//go:build unix

package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// end gives the engine time to delete its temporary files. A container, too, ends with
// TERM; KILL would reach only Docker's client.
const end = `
end() {
	kill $engine
	for i in 1 2 3 4 5; do sleep 1; kill -0 $engine || return; done
	kill -KILL $engine
}
`

// tether runs its arguments and ends them when standard input closes, that is when
// the starter ends for any reason. The watcher outlives this shell, and the shell
// ends as soon as its command does.
const tether = end + `
exec 3<&0
"$@" </dev/null 3<&- &
engine=$!
(cat <&3; end) >/dev/null 2>&1 &
watcher=$!
exec 3<&- </dev/null
wait $engine; code=$?
kill $watcher 2>/dev/null
exit $code
`

// tetherToParent is the same until another process ends, which is looked for each
// second: that end can be waited for only by whoever started it.
const tetherToParent = end + `
parent=$1 record=$2; shift 2
"$@" </dev/null &
engine=$!
(while kill -0 "$parent"; do sleep 1; done; rm -f "$record"; end) >/dev/null 2>&1 &
watcher=$!
wait $engine; code=$?
kill $watcher 2>/dev/null
exit $code
`

func tethered(c command, args []string) *exec.Cmd {
	script := []string{"-c", tether, "sh"}
	if c.parent != 0 {
		script = []string{"-c", tetherToParent, "sh", strconv.Itoa(c.parent), c.record}
	}
	cmd := exec.Command("sh", append(script, args...)...)
	// Its own group: an interrupt at the terminal is the starter's to handle.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// processName is the name of a process's program, or "" if it is unknown.
func processName(pid int) string {
	name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		name, _ = exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	}
	return filepath.Base(strings.TrimSpace(string(name)))
}

func tie(*exec.Cmd) error { return nil }

func release(*exec.Cmd) {}

func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
