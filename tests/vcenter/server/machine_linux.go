package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// machineOrder tells the first process of a machine to start a line by the shell, or to send a signal.
type machineOrder struct {
	ID          int64    `json:"id"`
	Line        string   `json:"line,omitempty"`
	Folder      string   `json:"folder,omitempty"`
	Environment []string `json:"environment,omitempty"`
	Pid         int      `json:"pid,omitempty"`
	Signal      int      `json:"signal,omitempty"`
}

// machineReply is its answer, or (ID 0) that a program has ended.
type machineReply struct {
	ID    int64  `json:"id"`
	Pid   int    `json:"pid"`
	Code  int32  `json:"code"`
	Error string `json:"error,omitempty"`
}

// linuxMachine is the server's end of a machine.
type linuxMachine struct {
	folder string
	shows  bool
	first  *exec.Cmd
	mu     sync.Mutex
	orders io.WriteCloser
	asked  int64
	wait   map[int64]chan machineReply
	ended  map[int]func(int32)
	disks  map[string]*blockDevice // by UUID
	names  int                     // how many names of disks were given
	isOff  bool
}

// bootMachine starts a machine whose files are in a folder. shows: its guest is told the UUIDs of its disks.
func bootMachine(folder string, shows bool) (machine, error) {
	m := &linuxMachine{folder: folder, shows: shows,
		wait: map[int64]chan machineReply{}, ended: map[int]func(int32){}, disks: map[string]*blockDevice{}}
	for _, name := range []string{"block", "disks", "var-tmp"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			return nil, err
		}
	}
	old, _ := filepath.Glob(filepath.Join(folder, "block", "*"))
	for _, one := range old {
		_ = os.RemoveAll(one)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	m.first = exec.Command(program, machineWord, folder)
	m.first.Stderr = os.Stderr
	m.first.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	if m.orders, err = m.first.StdinPipe(); err != nil {
		return nil, err
	}
	replies, err := m.first.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.first.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(replies)
	if line, err := lines.ReadString('\n'); err != nil || line != "{}\n" {
		m.off()
		return nil, fmt.Errorf("the machine did not start: %s", strings.TrimSpace(line))
	}
	go m.hear(lines)
	return m, nil
}

func (m *linuxMachine) pid() int { return m.first.Process.Pid }

func (m *linuxMachine) root() string { return fmt.Sprintf("/proc/%d/root", m.pid()) }

func (m *linuxMachine) place(path string) string  { return m.root() + path }
func (m *linuxMachine) inner(place string) string { return strings.TrimPrefix(place, m.root()) }

// hear reads replies until the machine is off.
func (m *linuxMachine) hear(lines *bufio.Reader) {
	replies := json.NewDecoder(lines)
	for {
		var one machineReply
		if replies.Decode(&one) != nil {
			break
		}
		m.mu.Lock()
		if one.ID != 0 {
			m.wait[one.ID] <- one
			delete(m.wait, one.ID)
		} else if ended := m.ended[one.Pid]; ended != nil {
			delete(m.ended, one.Pid)
			go ended(one.Code)
		}
		m.mu.Unlock()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, waiting := range m.wait {
		waiting <- machineReply{ID: id, Error: "the guest is off"}
	}
	for _, ended := range m.ended {
		go ended(killedCode)
	}
	m.wait, m.ended = map[int64]chan machineReply{}, map[int]func(int32){}
}

func (m *linuxMachine) start(
	line, folder string, environment []string, begun func(int64), ended func(int32),
) (int64, error) {
	m.mu.Lock()
	m.asked++
	answer := make(chan machineReply, 1)
	m.wait[m.asked] = answer
	order := machineOrder{ID: m.asked, Line: line, Folder: folder, Environment: environment}
	err := json.NewEncoder(m.orders).Encode(order)
	m.mu.Unlock()
	if err != nil {
		return 0, err
	}
	reply := <-answer
	if reply.Error != "" {
		return 0, fmt.Errorf("%s", reply.Error)
	}
	m.mu.Lock()
	m.ended[reply.Pid] = ended
	m.mu.Unlock()
	begun(int64(reply.Pid))
	m.tell(machineOrder{Pid: reply.Pid}) // its end may be told now
	return int64(reply.Pid), nil
}

func (m *linuxMachine) tell(order machineOrder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = json.NewEncoder(m.orders).Encode(order)
}

func (m *linuxMachine) terminate(pid int) {
	m.tell(machineOrder{Pid: pid, Signal: int(syscall.SIGTERM)})
	time.AfterFunc(patienceAfter, func() { m.tell(machineOrder{Pid: pid, Signal: int(syscall.SIGKILL)}) })
}

func (m *linuxMachine) processes() []guestProcess {
	var others []guestProcess
	for _, one := range processesIn(m.place("/proc"), func(string) bool { return true }) {
		if one.Pid != 1 { // the system itself
			others = append(others, one)
		}
	}
	return others
}

// off ends it with all its processes; its disks and /var/tmp stay.
func (m *linuxMachine) off() {
	_ = m.orders.Close()
	_ = m.first.Process.Kill()
	_ = m.first.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.disks {
		one.close()
	}
	m.disks, m.isOff = map[string]*blockDevice{}, true
}

// plug gives each disk a block device, an entry in /sys/block, a node in /dev and, where the guest is told the UUID, its
// name in /dev/disk/by-id.
func (m *linuxMachine) plug(disks []*types.VirtualDisk) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n, disk := range disks {
		uuid := plainUUID(disk)
		if m.isOff || m.disks[uuid] != nil {
			continue
		}
		image := filepath.Join(m.folder, "disks", uuid)
		_, err := os.Stat(image)
		if err := sized(image, disk.CapacityInBytes); err != nil {
			return err
		}
		if os.IsNotExist(err) && n == 0 && len(m.disks) == 0 {
			if err := writeSystem(image); err != nil {
				return err
			}
		}
		if err := m.attach(uuid, image); err != nil {
			return err
		}
	}
	return nil
}

func (m *linuxMachine) unplug(disks []*types.VirtualDisk) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := map[string]bool{}
	for _, disk := range disks {
		kept[plainUUID(disk)] = true
	}
	for uuid, one := range m.disks {
		if !kept[uuid] {
			m.detach(uuid, one)
		}
	}
}

func (m *linuxMachine) attach(uuid, image string) error {
	device, err := openLoop(image)
	if err != nil {
		return err
	}
	device.name = diskName(m.names)
	m.names++
	m.disks[uuid] = device
	entry := filepath.Join(m.folder, "block", device.name)
	if err := os.MkdirAll(filepath.Join(entry, "device"), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"size", "ro", "dev", "holders", "queue", "stat", "removable"} {
		if err := os.Symlink(fmt.Sprintf("/sys/devices/virtual/block/loop%d/%s", device.number, name), filepath.Join(entry, name)); err != nil {
			return err
		}
	}
	texts := map[string]string{"vendor": "VMware  \n", "model": "Virtual disk    \n"}
	if m.shows {
		texts["wwid"] = "naa." + uuid + "\n"
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(entry, "device", name), []byte(text), 0o444); err != nil {
			return err
		}
	}
	if err := syscall.Mknod(m.place("/dev/"+device.name), syscall.S_IFBLK|0o660, device.rdev); err != nil {
		return err
	}
	if m.shows {
		for _, name := range []string{"wwn-0x" + uuid, "scsi-3" + uuid} {
			if err := os.Symlink("../../"+device.name, m.place("/dev/disk/by-id/"+name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *linuxMachine) detach(uuid string, device *blockDevice) {
	for _, path := range []string{"/dev/disk/by-id/wwn-0x" + uuid, "/dev/disk/by-id/scsi-3" + uuid, "/dev/" + device.name} {
		_ = os.Remove(m.place(path))
	}
	_ = os.RemoveAll(filepath.Join(m.folder, "block", device.name))
	device.close()
	_ = os.Remove(filepath.Join(m.folder, "disks", uuid))
	delete(m.disks, uuid)
}

// diskName is sda, sdb, …, sdaa, …
func diskName(n int) string {
	text := ""
	for n++; n > 0; n = (n - 1) / 26 {
		text = string(rune('a'+(n-1)%26)) + text
	}
	return "sd" + text
}

func sized(image string, bytes int64) error {
	file, err := os.OpenFile(image, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Truncate(bytes)
}

// writeSystem makes a disk one that is in use: it has a partition table with one partition of Linux.
func writeSystem(image string) error {
	file, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return err
	}
	sectors := uint32(about.Size()/512 - 2048)
	table := make([]byte, 66)
	copy(table, []byte{0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, byte(sectors), byte(sectors >> 8), byte(sectors >> 16), byte(sectors >> 24)})
	table[64], table[65] = 0x55, 0xaa
	_, err = file.WriteAt(table, 446)
	return err
}

// runMachine is the first process of a machine: it makes what is the machine's own, then starts and awaits programs until
// nobody tells it anything more.
func runMachine(folder string) {
	if err := furnish(folder); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("{}")
	system := &firstProcess{replies: json.NewEncoder(os.Stdout), announced: map[int]bool{}, codes: map[int]int32{}}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGCHLD)
	go system.reap(ends)
	orders := json.NewDecoder(os.Stdin)
	for {
		var one machineOrder
		if orders.Decode(&one) != nil {
			os.Exit(0) // the kernel ends all the others
		}
		system.obey(&one)
	}
}

func furnish(folder string) error {
	mount := func(from, to, kind string, flags uintptr, data string) error {
		if err := syscall.Mount(from, to, kind, flags, data); err != nil {
			return fmt.Errorf("mount %s: %w", to, err)
		}
		return nil
	}
	block := filepath.Join(folder, "block")
	for _, one := range []error{
		mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		mount(filepath.Join(folder, "var-tmp"), "/var/tmp", "", syscall.MS_BIND, ""),
		mount(block, "/sys/block", "", syscall.MS_BIND, ""),
		mount(block, "/sys/class/block", "", syscall.MS_BIND, ""),
		mount("tmpfs", "/dev", "tmpfs", 0, "mode=755"),
		mount("proc", "/proc", "proc", 0, ""),
	} {
		if one != nil {
			return one
		}
	}
	if err := os.MkdirAll("/dev/disk/by-id", 0o755); err != nil {
		return err
	}
	if err := os.Mkdir("/dev/shm", 0o1777); err != nil {
		return err
	}
	for name, minor := range map[string]int{"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9} {
		if err := syscall.Mknod("/dev/"+name, syscall.S_IFCHR|0o666, 1<<8|minor); err != nil {
			return err
		}
		if err := os.Chmod("/dev/"+name, 0o666); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		if err := os.Symlink(to, "/dev/"+name); err != nil {
			return err
		}
	}
	return nil
}

// firstProcess starts programs and hears of the end of all processes of the machine.
type firstProcess struct {
	mu        sync.Mutex
	replies   *json.Encoder
	announced map[int]bool  // started here, and the server knows
	codes     map[int]int32 // ended, and the server may not know yet that they were started
}

func (p *firstProcess) obey(order *machineOrder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case order.Signal != 0:
		_ = syscall.Kill(order.Pid, syscall.Signal(order.Signal))
	case order.ID == 0:
		if code, ended := p.codes[order.Pid]; ended {
			p.tellEnd(order.Pid, code)
		} else {
			p.announced[order.Pid] = true
		}
	default:
		reply := machineReply{ID: order.ID}
		nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err == nil {
			reply.Pid, err = syscall.ForkExec(guestShell, []string{guestShell, "-c", order.Line}, &syscall.ProcAttr{
				Dir: order.Folder, Env: order.Environment, Files: []uintptr{nothing.Fd(), nothing.Fd(), nothing.Fd()},
				Sys: &syscall.SysProcAttr{Setsid: true}})
			_ = nothing.Close()
			delete(p.codes, reply.Pid) // of an earlier process with that pid
		}
		if err != nil {
			reply.Error = err.Error()
		}
		_ = p.replies.Encode(reply)
	}
}

func (p *firstProcess) tellEnd(pid int, code int32) {
	delete(p.codes, pid)
	delete(p.announced, pid)
	_ = p.replies.Encode(machineReply{Pid: pid, Code: code})
}

func (p *firstProcess) reap(ends chan os.Signal) {
	for range ends {
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
			if err != nil || pid <= 0 {
				break
			}
			code := int32(status.ExitStatus())
			if status.Signaled() {
				code = killedCode
			}
			p.mu.Lock()
			if p.announced[pid] {
				p.tellEnd(pid, code)
			} else {
				p.codes[pid] = code
			}
			p.mu.Unlock()
		}
	}
}
