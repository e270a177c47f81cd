package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// wardenWord is the first argument of the program that only waits until the server is gone, however it ended, then
// ends the guests' processes and removes their folders.
const wardenWord = "-warden"

// warden is the server's end of it.
type warden struct {
	mu      sync.Mutex
	pipe    io.WriteCloser
	command *exec.Cmd
}

func hireWarden(folder string) (*warden, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, wardenWord, folder)
	command.SysProcAttr = ownSession()
	command.Stdout = os.Stdout // so that who reads the server's output to the end waits for the warden, too
	pipe, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &warden{pipe: pipe, command: command}, command.Start()
}

func (w *warden) watch(pid int)  { w.say("+%d\n", pid) }
func (w *warden) forget(pid int) { w.say("-%d\n", pid) }

func (w *warden) say(text string, pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w.pipe, text, pid)
}

// dismiss ends the guests, and returns when that is done.
func (w *warden) dismiss() {
	_ = w.pipe.Close()
	_ = w.command.Wait()
}

// runWarden reads which groups there are until the pipe is closed.
func runWarden(folder string) {
	signal.Ignore(os.Interrupt)
	groups := map[int]bool{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if pid, err := strconv.Atoi(strings.TrimLeft(lines.Text(), "+-")); err == nil {
			groups[pid] = strings.HasPrefix(lines.Text(), "+")
		}
	}
	var alive []int
	for pid, lives := range groups {
		if lives {
			alive = append(alive, pid)
		}
	}
	killMarked(fmt.Sprintf("%s=%s%c", guestMark, folder, filepath.Separator), alive)
	_ = os.RemoveAll(folder)
}
