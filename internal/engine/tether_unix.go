//go:build unix

package engine

import (
	"os/exec"
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

func tethered(signal string, args []string) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", tether, "sh", signal}, args...)...)
	// Its own group: an interrupt at the terminal is the starter's to handle.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func tie(*exec.Cmd) error { return nil }

func release(*exec.Cmd) {}

func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
