package engine

import (
	"os/exec"
	"syscall"
	"unsafe"
)

func tethered(_ command, args []string) *exec.Cmd {
	return exec.Command(args[0], args[1:]...)
}

// processName is unknown, so that each process starts its own engine.
func processName(int) string { return "" }

var (
	kernel32                 = syscall.NewLazyDLL("kernel32.dll")
	createJobObject          = kernel32.NewProc("CreateJobObjectW")
	setInformationJobObject  = kernel32.NewProc("SetInformationJobObject")
	assignProcessToJobObject = kernel32.NewProc("AssignProcessToJobObject")
)

const (
	jobObjectExtendedLimitInformation = 9
	jobObjectLimitKillOnJobClose      = 0x2000
	processTerminate                  = 0x0001
	processSetQuota                   = 0x0100
)

// jobLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type jobLimits struct {
	perProcessUserTime, perJobUserTime int64
	flags                              uint32
	minWorkingSet, maxWorkingSet       uintptr
	activeProcesses                    uint32
	affinity                           uintptr
	priorityClass, schedulingClass     uint32
	io                                 [6]uint64
	processMemory, jobMemory           uintptr
	peakProcessMemory, peakJobMemory   uintptr
}

// tie puts the process into a job that ends when its only handle, ours, is closed.
// The system closes it when this process ends. Untested on a real Windows.
func tie(cmd *exec.Cmd) error {
	job, _, err := createJobObject.Call(0, 0)
	if job == 0 {
		return err
	}
	limits := jobLimits{flags: jobObjectLimitKillOnJobClose}
	ok, _, err := setInformationJobObject.Call(job, jobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), unsafe.Sizeof(limits))
	if ok == 0 {
		return err
	}
	process, err := syscall.OpenProcess(processTerminate|processSetQuota, false, uint32(cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer syscall.CloseHandle(process)
	if ok, _, err := assignProcessToJobObject.Call(job, uintptr(process)); ok == 0 {
		return err
	}
	return nil
}

func release(cmd *exec.Cmd) { kill(cmd) }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
