package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// launcherFolders are those of jobs, in a folder where every user of a guest may write; their names never repeat.
const launcherFolders = "/var/tmp/hyperscope-"

// guestKeep is how long VMware Tools knows the exit code of a program that it started.
const guestKeep = 5 * time.Minute

// Guests are the guest operating systems: a folder and real processes of this machine for each VM that is asked.
type Guests struct {
	world    *World
	user     string
	password string
	doors    *Doors
	mu       sync.Mutex
	root     string // the folder of all, made at the first call
	warden   *warden
	all      map[types.ManagedObjectReference]*Guest
	starts   map[types.ManagedObjectReference]time.Duration // how long after power-on no call gets through
	machines bool                                           // guests have a system of their own
	shows    map[types.ManagedObjectReference]bool          // tells its guest the UUIDs of disks since its power-on
}

// Guest is one of them.
type Guest struct {
	guests *Guests
	vm     *simulator.VirtualMachine
	folder string
	user   string
	mu     sync.Mutex
	known  map[int64]*guestProcess
	system machine // nil where the guest shares everything with this machine, and while it is off
}

func newGuests(w *World, user, password string, machines bool, doors *Doors) *Guests {
	g := &Guests{world: w, user: user, password: password, machines: machines, doors: doors,
		all: map[types.ManagedObjectReference]*Guest{}, starts: map[types.ManagedObjectReference]time.Duration{},
		shows: map[types.ManagedObjectReference]bool{}}
	for _, one := range w.reg.All("VirtualMachine") {
		g.powerOn(one.(*simulator.VirtualMachine))
	}
	manager := w.reg.Get(*w.model.ServiceContent.GuestOperationsManager).(*simulator.GuestOperationsManager)
	auth := &mo.GuestAuthManager{Self: types.ManagedObjectReference{Type: "GuestAuthManager", Value: "guestOperationsAuthManager"}}
	w.reg.Put(auth)
	manager.AuthManager = &auth.Self
	return g
}

// enter lets a user into a VM's guest, or says why not.
func (g *Guests) enter(ref types.ManagedObjectReference, auth types.BaseGuestAuthentication) (*Guest, types.BaseMethodFault) {
	vm := g.world.virtualMachine(ref)
	if vm == nil {
		return nil, &types.ManagedObjectNotFound{Obj: ref}
	}
	if state := vm.Runtime.PowerState; state != types.VirtualMachinePowerStatePoweredOn {
		return nil, &types.InvalidPowerState{RequestedState: types.VirtualMachinePowerStatePoweredOn, ExistingState: state}
	}
	password, byName := auth.(*types.NamePasswordAuthentication)
	switch {
	case vm.Guest.ToolsRunningStatus != string(types.VirtualMachineToolsRunningStatusGuestToolsRunning):
		return nil, &types.GuestOperationsUnavailable{}
	case g.starting(vm):
		return nil, &types.GuestOperationsUnavailable{}
	case !byName:
		return nil, &types.OperationNotSupportedByGuest{}
	case password.InteractiveSession: // nobody sits at the console
		return nil, &types.GuestOperationsUnavailable{}
	case password.Username != g.user || password.Password != g.password:
		return nil, &types.InvalidGuestLogin{}
	}
	return g.guest(vm)
}

// starting says whether the guest has not come up yet.
func (g *Guests) starting(vm *simulator.VirtualMachine) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	needs, set := g.starts[vm.Self]
	return set && vm.Runtime.BootTime != nil && g.world.clock.Now().Before(vm.Runtime.BootTime.Add(needs))
}

// guest is a VM's; its folder is made when it is asked for at first.
func (g *Guests) guest(vm *simulator.VirtualMachine) (*Guest, types.BaseMethodFault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if found := g.all[vm.Self]; found != nil {
		return found, found.boot()
	}
	if err := g.begin(); err != nil {
		return nil, &types.SystemError{Reason: err.Error()}
	}
	found := &Guest{guests: g, vm: vm, folder: filepath.Join(g.root, vm.Self.Value), user: g.user, known: map[int64]*guestProcess{}}
	for _, name := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(found.folder, name), 0o755); err != nil {
			return nil, &types.SystemError{Reason: err.Error()}
		}
	}
	if fault := found.boot(); fault != nil {
		return nil, fault
	}
	g.all[vm.Self] = found
	return found, nil
}

// boot plugs in the disks, and starts the guest's own system if it has one that does not run.
func (g *Guest) boot() types.BaseMethodFault {
	if !g.guests.machines {
		g.plugFiles(g.vm.Config.Hardware.Device)
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.system != nil {
		return nil
	}
	system, err := bootMachine(g.folder, g.guests.shows[g.vm.Self])
	if err == nil {
		g.guests.warden.watch(system.pid())
		if err = system.plug(virtualDisks(g.vm.Config.Hardware.Device)); err != nil {
			system.off()
		}
	}
	if err != nil {
		return &types.SystemError{Reason: err.Error()}
	}
	g.system = system
	return nil
}

// begin makes the folder of all guests, and the warden that ends their processes when this one is gone.
func (g *Guests) begin() (err error) {
	if g.root != "" {
		return nil
	}
	root, err := os.MkdirTemp("", "testvc-guests-")
	if err != nil {
		return err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return err
	}
	g.root = root
	g.warden, err = hireWarden(root)
	return err
}

// plugFiles keeps an image file for each disk, under the name that a guest's udev gives it.
func (g *Guest) plugFiles(devices []types.BaseVirtualDevice) {
	folder := filepath.Join(g.folder, "dev", "disk", "by-id")
	_ = os.MkdirAll(folder, 0o755)
	wanted := map[string]bool{}
	for _, device := range devices {
		disk, isDisk := device.(*types.VirtualDisk)
		if !isDisk {
			continue
		}
		backing, flat := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
		if !flat {
			continue
		}
		name := "wwn-0x" + strings.ToLower(strings.ReplaceAll(backing.Uuid, "-", ""))
		wanted[name] = true
		if file, err := os.OpenFile(filepath.Join(folder, name), os.O_RDWR|os.O_CREATE, 0o600); err == nil {
			_ = file.Truncate(disk.CapacityInBytes)
			_ = file.Close()
		}
	}
	there, _ := os.ReadDir(folder)
	for _, one := range there {
		if !wanted[one.Name()] {
			_ = os.Remove(filepath.Join(folder, one.Name()))
		}
	}
}

// devices tells a guest that its VM has other disks now.
func (g *Guests) devices(vm *simulator.VirtualMachine) {
	g.mu.Lock()
	defer g.mu.Unlock()
	found := g.all[vm.Self]
	if found == nil {
		return
	}
	if !g.machines {
		found.plugFiles(vm.Config.Hardware.Device)
		return
	}
	if system := found.machine(); system != nil {
		system.unplug(virtualDisks(vm.Config.Hardware.Device))
		time.AfterFunc(hotPlug, func() {
			if err := system.plug(virtualDisks(vm.Config.Hardware.Device)); err != nil {
				fmt.Fprintln(os.Stderr, "testvcenter:", vm.Name, err)
			}
		})
	}
}

// powerOn notes what a VM that begins to run tells its guest; a change of that takes effect at the next power-on.
func (g *Guests) powerOn(vm *simulator.VirtualMachine) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shows[vm.Self] = showsUUIDs(vm.Config)
}

// powerOff ends a guest: its processes and the addresses of its files; the disks and files stay.
func (g *Guests) powerOff(vm *simulator.VirtualMachine) {
	g.mu.Lock()
	found := g.all[vm.Self]
	g.mu.Unlock()
	g.doors.forget(vm.Self)
	if found != nil {
		found.killAll()
	}
}

// close ends all guests.
func (g *Guests) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.warden != nil {
		g.warden.dismiss()
	}
}

// start says how many seconds after each power-on a guest can't be contacted.
func (g *Guests) start(vm *simulator.VirtualMachine, seconds float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.starts[vm.Self] = time.Duration(seconds * float64(time.Second))
}

// path is where a file of the guest is. A guest's own folder and the launcher's are all that it can write to (all of its
// /var/tmp if that is its own); what is elsewhere on this machine it can read, but for the folders of others.
func (g *Guest) path(text string, write bool) (string, types.BaseMethodFault) {
	if !filepath.IsAbs(text) {
		return "", &types.InvalidArgument{InvalidProperty: "filePath"}
	}
	clean := filepath.Clean(text)
	place := clean
	if system := g.machine(); system != nil {
		if inside("/var/tmp", clean) || inside("/dev", clean) || inside("/proc", clean) {
			return system.place(clean), nil
		}
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(clean)); err == nil {
		place = filepath.Join(folder, filepath.Base(clean))
	}
	switch {
	case inside(g.folder, place), strings.HasPrefix(place, launcherFolders):
		return clean, nil
	case inside(g.guests.root, place):
		return "", noFile(text)
	case write:
		return "", &types.GuestPermissionDenied{}
	}
	return clean, nil
}

// machine is the guest's own system, nil where it has none.
func (g *Guest) machine() machine {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.system
}

// inner is the path in the guest of a file's place.
func (g *Guest) inner(place string) string {
	if system := g.machine(); system != nil {
		return system.inner(place)
	}
	return place
}

func inside(folder, file string) bool {
	return file == folder || strings.HasPrefix(file, folder+string(filepath.Separator))
}

func noFile(file string) types.BaseMethodFault {
	return &types.FileNotFound{FileFault: types.FileFault{File: file}}
}

// environment is what a program gets when the client gives none.
func (g *Guest) environment() []string {
	return []string{
		"PATH=" + orText(os.Getenv("PATH"), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
		"HOME=" + filepath.Join(g.folder, "home"), "TMPDIR=" + filepath.Join(g.folder, "tmp"),
		"USER=" + g.user, "LOGNAME=" + g.user, "SHELL=/bin/bash", "LANG=C.UTF-8",
	}
}

// guestMark is the variable by which all processes of a guest are found again, also those that left their group.
const guestMark = "TESTVCENTER_GUEST"

func (g *Guest) mark() string { return fmt.Sprintf("%s=%s%c", guestMark, g.folder, filepath.Separator) }
