package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	guestShell    = "/bin/bash"
	killedCode    = -1 // of a program that a signal ended
	patienceAfter = 5 * time.Second
)

// guestProcess is a process of a guest. Exit code and end stand once it has ended.
type guestProcess struct {
	Name      string     `xml:"name"`
	Pid       int64      `xml:"pid"`
	Owner     string     `xml:"owner"`
	CmdLine   string     `xml:"cmdLine"`
	StartTime time.Time  `xml:"startTime"`
	EndTime   *time.Time `xml:"endTime"`
	ExitCode  *int32     `xml:"exitCode"` // the library's own type leaves out a 0
}

// ListProcessesInGuestResponse is named as the element that it becomes.
type ListProcessesInGuestResponse struct {
	Returnval []guestProcess `xml:"returnval"`
}

type processesBody struct {
	Res    *ListProcessesInGuestResponse `xml:"ListProcessesInGuestResponse,omitempty"`
	Fault_ *soap.Fault                   `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

func (b *processesBody) Fault() *soap.Fault { return b.Fault_ }

// guestProcessDesk answers for the GuestProcessManager and the GuestAuthManager.
type guestProcessDesk struct {
	desk
	guests *Guests
}

// enter is the guest of a call; the fault's text is vCenter's.
func (d *guestProcessDesk) enter(vm types.ManagedObjectReference, auth types.BaseGuestAuthentication) (*Guest, *soap.Fault) {
	guest, fault := d.guests.enter(vm, auth)
	return guest, guestFault(fault)
}

func guestFault(fault types.BaseMethodFault) *soap.Fault {
	switch known := fault.(type) {
	case nil:
		return nil
	case *types.GuestOperationsUnavailable:
		return simulator.Fault("The guest operations agent could not be contacted.", fault)
	case *types.InvalidGuestLogin:
		return simulator.Fault("Failed to authenticate with the guest operating system using the supplied credentials.", fault)
	case *types.GuestPermissionDenied:
		return simulator.Fault("A file or program of the guest may not be used by this user.", fault)
	case *types.GuestProcessNotFound:
		return simulator.Fault("The process was not found in the guest.", fault)
	case *types.ManagedObjectNotFound:
		return gone(known.Obj)
	}
	return simulator.Fault(faultText(fault), fault)
}

// ValidateCredentialsInGuest says nothing when they are right.
func (d *guestProcessDesk) ValidateCredentialsInGuest(_ *simulator.Context, req *types.ValidateCredentialsInGuest) soap.HasFault {
	body := &methods.ValidateCredentialsInGuestBody{}
	if _, body.Fault_ = d.enter(req.Vm, req.Auth); body.Fault_ == nil {
		body.Res = &types.ValidateCredentialsInGuestResponse{}
	}
	return body
}

// StartProgramInGuest starts a program by the guest's shell and returns its pid.
func (d *guestProcessDesk) StartProgramInGuest(_ *simulator.Context, req *types.StartProgramInGuest) soap.HasFault {
	body := &methods.StartProgramInGuestBody{}
	guest, refused := d.enter(req.Vm, req.Auth)
	if body.Fault_ = refused; refused != nil {
		return body
	}
	pid, fault := guest.startProgram(req.Spec.GetGuestProgramSpec())
	if body.Fault_ = guestFault(fault); fault == nil {
		body.Res = &types.StartProgramInGuestResponse{Returnval: pid}
	}
	return body
}

// ReadEnvironmentVariableInGuest are the variables that a program gets: all, or those that are named.
func (d *guestProcessDesk) ReadEnvironmentVariableInGuest(
	_ *simulator.Context, req *types.ReadEnvironmentVariableInGuest,
) soap.HasFault {
	body := &methods.ReadEnvironmentVariableInGuestBody{}
	guest, refused := d.enter(req.Vm, req.Auth)
	if body.Fault_ = refused; refused != nil {
		return body
	}
	body.Res = &types.ReadEnvironmentVariableInGuestResponse{}
	for _, one := range guest.environment() {
		name, _, _ := strings.Cut(one, "=")
		if len(req.Names) == 0 || containsText(req.Names, name) {
			body.Res.Returnval = append(body.Res.Returnval, one)
		}
	}
	return body
}

// ListProcessesInGuest are a guest's processes, those that ended in the last five minutes among them; of pids that are
// not there it has nothing.
func (d *guestProcessDesk) ListProcessesInGuest(_ *simulator.Context, req *types.ListProcessesInGuest) soap.HasFault {
	body := &processesBody{}
	guest, refused := d.enter(req.Vm, req.Auth)
	if body.Fault_ = refused; refused != nil {
		return body
	}
	body.Res = &ListProcessesInGuestResponse{}
	for _, one := range guest.processes(req.Pids) {
		if len(req.Pids) == 0 || containsPid(req.Pids, one.Pid) {
			body.Res.Returnval = append(body.Res.Returnval, one)
		}
	}
	return body
}

// TerminateProcessInGuest asks a process to end, and after 5 s makes it.
func (d *guestProcessDesk) TerminateProcessInGuest(_ *simulator.Context, req *types.TerminateProcessInGuest) soap.HasFault {
	body := &methods.TerminateProcessInGuestBody{}
	guest, refused := d.enter(req.Vm, req.Auth)
	if body.Fault_ = refused; refused != nil {
		return body
	}
	for _, one := range guest.processes([]int64{req.Pid}) {
		if one.Pid == req.Pid && one.EndTime == nil {
			guest.terminate(int(one.Pid))
			body.Res = &types.TerminateProcessInGuestResponse{}
			return body
		}
	}
	body.Fault_ = guestFault(&types.GuestProcessNotFound{Pid: req.Pid})
	return body
}

func containsPid(all []int64, one int64) bool {
	for _, pid := range all {
		if pid == one {
			return true
		}
	}
	return false
}

func (g *Guest) startProgram(spec *types.GuestProgramSpec) (int64, types.BaseMethodFault) {
	program, fault := g.path(spec.ProgramPath, false) // and the folder: as they are seen from here
	if fault != nil {
		return 0, noFile(spec.ProgramPath)
	}
	if fault := executable(program); fault != nil {
		return 0, fault
	}
	folder := orText(spec.WorkingDirectory, filepath.Join(g.folder, "home"))
	if folder, fault = g.path(folder, false); fault != nil {
		return 0, fault
	}
	if about, err := os.Stat(folder); err != nil {
		return 0, noFile(folder)
	} else if !about.IsDir() {
		return 0, &types.NotADirectory{FileFault: types.FileFault{File: folder}}
	}
	environment := spec.EnvVariables
	if len(environment) == 0 {
		environment = g.environment()
	}
	environment = append(environment[:len(environment):len(environment)], g.mark())
	process := &guestProcess{Name: filepath.Base(program), Owner: g.user,
		CmdLine: strings.TrimSpace(spec.ProgramPath + " " + spec.Arguments), StartTime: g.guests.world.clock.Now().UTC()}
	var err error
	process.Pid, err = g.startLine(quoted(g.inner(program))+" "+spec.Arguments, g.inner(folder), environment, process)
	if err != nil {
		return 0, &types.SystemError{Reason: err.Error()}
	}
	return process.Pid, nil
}

// startLine lets the shell run a line, in the guest's own system where it has one.
func (g *Guest) startLine(line, folder string, environment []string, process *guestProcess) (int64, error) {
	know := func(pid int64) {
		g.mu.Lock()
		defer g.mu.Unlock()
		process.Pid = pid
		g.known[pid] = process
	}
	if system := g.machine(); system != nil {
		pid, err := system.start(line, folder, environment, know, func(code int32) { g.note(process, code) })
		return pid, err
	}
	command := exec.Command(guestShell, "-c", line)
	command.Dir, command.Env, command.SysProcAttr = folder, environment, ownSession()
	if err := command.Start(); err != nil {
		return 0, err
	}
	g.guests.warden.watch(command.Process.Pid)
	know(int64(command.Process.Pid))
	go g.await(command, process)
	return int64(command.Process.Pid), nil
}

func (g *Guest) terminate(pid int) {
	if system := g.machine(); system != nil {
		system.terminate(pid)
		return
	}
	terminate(pid, g.mark(), patienceAfter)
}

// executable is the fault of a program that can't be started, nil for one that can.
func executable(program string) types.BaseMethodFault {
	about, err := os.Stat(program)
	switch {
	case errors.Is(err, os.ErrPermission):
		return &types.GuestPermissionDenied{}
	case err != nil || about.IsDir():
		return noFile(program)
	case about.Mode()&0o111 == 0:
		return &types.GuestPermissionDenied{}
	}
	return nil
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// await notes how a program ended.
func (g *Guest) await(command *exec.Cmd, process *guestProcess) {
	_ = command.Wait()
	code := int32(command.ProcessState.ExitCode())
	if code < 0 {
		code = killedCode
	}
	g.note(process, code)
	g.guests.warden.forget(command.Process.Pid)
}

// note keeps how a program ended.
func (g *Guest) note(process *guestProcess, code int32) {
	end := g.guests.world.clock.Now().UTC()
	g.mu.Lock()
	defer g.mu.Unlock()
	process.EndTime, process.ExitCode = &end, &code
}

// processes are those that were started here and live or ended lately, and all others of the guest if pids name one or
// there are none: to look for these takes milliseconds.
func (g *Guest) processes(pids []int64) []guestProcess {
	now := g.guests.world.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []guestProcess
	for pid, one := range g.known {
		if one.EndTime != nil && now.Sub(*one.EndTime) > guestKeep {
			delete(g.known, pid)
			continue
		}
		found = append(found, *one)
	}
	unknown := len(pids) == 0
	for _, pid := range pids {
		unknown = unknown || g.known[pid] == nil
	}
	if !unknown {
		return found
	}
	others := []guestProcess{}
	if g.system != nil {
		others = g.system.processes()
	} else {
		others = marked(g.mark())
	}
	for _, one := range others {
		if g.known[one.Pid] == nil {
			one.Owner = g.user
			found = append(found, one)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Pid < found[j].Pid })
	return found
}

// killAll ends all processes of the guest and forgets them.
func (g *Guest) killAll() {
	g.mu.Lock()
	var groups []int
	for pid, one := range g.known {
		if one.EndTime == nil {
			groups = append(groups, int(pid))
		}
	}
	g.known = map[int64]*guestProcess{}
	system := g.system
	g.system = nil
	g.mu.Unlock()
	if system != nil {
		g.guests.warden.forget(system.pid())
		system.off()
		return
	}
	killMarked(g.mark(), groups)
}
