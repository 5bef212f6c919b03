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

// tether runs its arguments and signals them when standard input closes, that is when
// the starter ends for any reason. The watcher outlives this shell, and the shell
// ends as soon as its command does.
const tether = `
signal=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
engine=$!
(cat <&3; kill -"$signal" $engine) >/dev/null 2>&1 &
watcher=$!
exec 3<&- </dev/null
wait $engine; code=$?
kill $watcher 2>/dev/null
exit $code
`

// tetherToParent is the same until another process ends, which is looked for each
// second: that end can be waited for only by whoever started it.
const tetherToParent = `
signal=$1 parent=$2 record=$3; shift 3
"$@" </dev/null &
engine=$!
(while kill -0 "$parent"; do sleep 1; done; rm -f "$record"; kill -"$signal" $engine) >/dev/null 2>&1 &
watcher=$!
wait $engine; code=$?
kill $watcher 2>/dev/null
exit $code
`

func tethered(c command, args []string) *exec.Cmd {
	script := []string{"-c", tether, "sh", c.signal}
	if c.parent != 0 {
		script = []string{"-c", tetherToParent, "sh", c.signal, strconv.Itoa(c.parent), c.record}
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
