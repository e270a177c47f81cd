//go:build !windows

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ownSession takes a guest's program out of this one's group, as a daemon starts it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// terminate asks a process to end and kills it if it has not after a while.
func terminate(pid int, mark string, patience time.Duration) {
	_ = syscall.Kill(pid, syscall.SIGTERM)
	time.AfterFunc(patience, func() {
		for _, one := range marked(mark) {
			if int(one.Pid) == pid {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
}

// killMarked kills these groups and every process with the mark, until there is none.
func killMarked(mark string, groups []int) {
	for _, pid := range groups {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	for tries := 0; tries < 50; tries++ {
		left := marked(mark)
		if len(left) == 0 {
			return
		}
		for _, one := range left {
			_ = syscall.Kill(int(one.Pid), syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// marked are the processes whose environment has the mark; none where there is no /proc.
func marked(mark string) []guestProcess {
	return processesIn("/proc", func(folder string) bool {
		environment, err := os.ReadFile(filepath.Join(folder, "environ"))
		return err == nil && holds(environment, mark)
	})
}

// processesIn are the processes in a folder like /proc whose own folder is wanted.
func processesIn(proc string, wanted func(folder string) bool) []guestProcess {
	var found []guestProcess
	folders, _ := filepath.Glob(proc + "/[0-9]*")
	for _, folder := range folders {
		if !wanted(folder) {
			continue
		}
		pid, err := strconv.ParseInt(filepath.Base(folder), 10, 64)
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if err != nil || len(line) == 0 { // an ended one that nobody has waited for has no command line
			continue
		}
		about, err := os.Stat(folder)
		if err != nil {
			continue
		}
		words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		found = append(found, guestProcess{Name: filepath.Base(words[0]), Pid: pid, CmdLine: strings.Join(words, " "),
			StartTime: about.ModTime().UTC()})
	}
	return found
}

// holds says whether an environment has a variable whose value begins so.
func holds(environment []byte, mark string) bool {
	return bytes.HasPrefix(environment, []byte(mark)) || bytes.Contains(environment, []byte("\x00"+mark))
}
