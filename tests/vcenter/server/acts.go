package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// Acts answers the calls by which a client changes something. Each method belongs to one desk, which answers it
// instead of the simulator's own object.
type Acts struct {
	world   *World
	changes *Changes
	tasks   *Tasks
	rights  *Rights
	faults  *Faults
	drs     *DRS
	clocks  *dateTimeDesk
	esxtop  *esxtopDesk
	mu      sync.Mutex
	waiting []postponed
	desks   map[string]mo.Reference // by the method's name
}

// desk is what every desk has: the lock that its calls share, and a way to the others.
type desk struct {
	Self types.ManagedObjectReference
	acts *Acts
}

// Reference names the lock.
func (d *desk) Reference() types.ManagedObjectReference { return d.Self }

func (d *desk) world() *World { return d.acts.world }

func newActs(w *World, changes *Changes, tasks *Tasks, rights *Rights, faults *Faults, guests *Guests) *Acts {
	a := &Acts{world: w, changes: changes, tasks: tasks, rights: rights, faults: faults, desks: map[string]mo.Reference{}}
	a.open(&iormDesk{desk: a.lock("iorm")},
		"ConfigureDatastoreIORM_Task", "QueryIORMConfigOption", "QueryDatastorePerformanceSummary")
	a.open(&reconfigureDesk{desk: a.lock("reconfigure")}, "ReconfigVM_Task")
	a.open(&fieldDesk{desk: a.lock("fields")},
		"AddCustomFieldDef", "RemoveCustomFieldDef", "SetField", "SetCustomValue", "setCustomValue")
	a.open(&guestProcessDesk{desk: a.lock("guest processes"), guests: guests}, "ValidateCredentialsInGuest",
		"StartProgramInGuest", "ListProcessesInGuest", "TerminateProcessInGuest", "ReadEnvironmentVariableInGuest")
	a.open(&guestFileDesk{desk: a.lock("guest files"), guests: guests}, "MakeDirectoryInGuest", "DeleteFileInGuest",
		"DeleteDirectoryInGuest", "MoveFileInGuest", "MoveDirectoryInGuest", "CreateTemporaryDirectoryInGuest",
		"CreateTemporaryFileInGuest", "ChangeFileAttributesInGuest", "ListFilesInGuest", "InitiateFileTransferFromGuest",
		"InitiateFileTransferToGuest")
	a.drs = newDRS(a)
	a.clocks = newDateTimeDesk(a.lock("clocks"))
	a.open(a.clocks, "QueryDateTime")
	a.open(&clusterDesk{desk: a.lock("clusters"), drs: a.drs}, "ReconfigureComputeResource_Task", "RefreshRecommendation",
		"ApplyRecommendation", "CancelRecommendation")
	a.open(&migrateDesk{desk: a.lock("migrations")}, "MigrateVM_Task", "RelocateVM_Task", "PowerOnVM_Task", "PowerOffVM_Task")
	return a
}

func (a *Acts) lock(name string) desk {
	return desk{types.ManagedObjectReference{Type: "Desk", Value: name}, a}
}

// open gives methods to a desk, which is put among the server's objects: a session looks there only.
func (a *Acts) open(d mo.Reference, methods ...string) {
	a.world.reg.Put(d)
	for _, name := range methods {
		a.desks[name] = d
	}
}

// postponed is a change of somebody else that waits for a call.
type postponed struct {
	before, after string
	do            func() error
}

// later lets something happen just before the next call of a method, or just after its next task.
func (a *Acts) later(before, after string, do func() error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, postponed{before, after, do})
}

// meddle does what has waited for this; what fails is written to the log, as nobody is there to be told.
func (a *Acts) meddle(due func(*postponed) bool) {
	a.mu.Lock()
	var now, still []postponed
	for _, one := range a.waiting {
		if due(&one) {
			now = append(now, one)
		} else {
			still = append(still, one)
		}
	}
	a.waiting = still
	a.mu.Unlock()
	for _, one := range now {
		if err := one.do(); err != nil {
			fmt.Fprintln(os.Stderr, "testvcenter:", err)
		}
	}
}

// take is asked before every call of a session. It sends the call to the desk that answers it, if there is one, and
// returns the fault for a user who may not.
func (a *Acts) take(ctx *simulator.Context, method *simulator.Method) types.BaseMethodFault {
	a.meddle(func(one *postponed) bool { return one.before != "" && matches(one.before, method.Name) })
	if needed, known := neededPrivileges[method.Name]; known {
		if fault := a.refuse(ctx, objectOf(method, needed.field), needed.privilege); fault != nil {
			return fault
		}
	}
	if d := a.desks[method.Name]; d != nil {
		method.This = d.Reference()
	}
	return nil
}

// refuse is the fault for a user who lacks a privilege, nil for one who has it.
func (a *Acts) refuse(ctx *simulator.Context, what types.ManagedObjectReference, privilege string) types.BaseMethodFault {
	if a.rights.Has(ctx.Session.UserName, privilege) {
		return nil
	}
	return &types.NoPermission{Object: &what, PrivilegeId: privilege}
}

// change makes a change of somebody else that needs a desk; done is false for one that needs none.
func (a *Acts) change(x *Change) (done bool, err error) {
	switch x.Kind {
	case "field_changed":
		return true, a.changeField(x)
	case "vm_load":
		return true, a.drs.changeLoad(x)
	case "drs_changed":
		return true, a.drs.changeDRS(x)
	case "drs_run":
		cluster, err := a.drs.cluster(x)
		if err == nil {
			a.drs.invoke(cluster)
		}
		return true, err
	}
	return false, nil
}

const noPermissionText = "Permission to perform this operation was denied."

const (
	guestQuery   = "VirtualMachine.GuestOperations.Query"
	guestModify  = "VirtualMachine.GuestOperations.Modify"
	guestExecute = "VirtualMachine.GuestOperations.Execute"
)

// neededPrivileges are those that a method always needs, on the object that the field of the request names.
var neededPrivileges = map[string]struct{ privilege, field string }{
	"ConfigureDatastoreIORM_Task":      {"Datastore.ConfigIOManagement", "Datastore"},
	"QueryIORMConfigOption":            {"Datastore.Config", "Host"},
	"QueryDatastorePerformanceSummary": {"System.View", "Datastore"},
	"AddCustomFieldDef":                {"Global.ManageCustomFields", ""},
	"RemoveCustomFieldDef":             {"Global.ManageCustomFields", ""},
	"SetField":                         {"Global.SetCustomField", "Entity"},
	"SetCustomValue":                   {"Global.SetCustomField", ""},
	"setCustomValue":                   {"Global.SetCustomField", ""},
	"ReconfigureComputeResource_Task":  {"Host.Inventory.EditCluster", ""},
	"RefreshRecommendation":            {"Host.Inventory.EditCluster", ""},
	"ApplyRecommendation":              {"Resource.ApplyRecommendation", ""},
	"CancelRecommendation":             {"System.Read", ""},
	"QueryServiceList":                 {"Global.ServiceManagers", "This"},
	"ExecuteSimpleCommand":             {"Global.ServiceManagers", "This"},
	"PowerOnVM_Task":                   {"VirtualMachine.Interact.PowerOn", ""},
	"PowerOffVM_Task":                  {"VirtualMachine.Interact.PowerOff", ""},
	"ValidateCredentialsInGuest":       {guestQuery, "Vm"},
	"ListProcessesInGuest":             {guestQuery, "Vm"},
	"ReadEnvironmentVariableInGuest":   {guestQuery, "Vm"},
	"ListFilesInGuest":                 {guestQuery, "Vm"},
	"InitiateFileTransferFromGuest":    {guestQuery, "Vm"},
	"StartProgramInGuest":              {guestExecute, "Vm"},
	"TerminateProcessInGuest":          {guestExecute, "Vm"},
	"MakeDirectoryInGuest":             {guestModify, "Vm"},
	"DeleteFileInGuest":                {guestModify, "Vm"},
	"DeleteDirectoryInGuest":           {guestModify, "Vm"},
	"MoveFileInGuest":                  {guestModify, "Vm"},
	"MoveDirectoryInGuest":             {guestModify, "Vm"},
	"CreateTemporaryDirectoryInGuest":  {guestModify, "Vm"},
	"CreateTemporaryFileInGuest":       {guestModify, "Vm"},
	"ChangeFileAttributesInGuest":      {guestModify, "Vm"},
	"InitiateFileTransferToGuest":      {guestModify, "Vm"},
}

// objectOf is the object that a field of the request names, or the one that is called.
func objectOf(method *simulator.Method, field string) types.ManagedObjectReference {
	if field != "" {
		value := reflect.ValueOf(method.Body).Elem().FieldByName(field)
		if ref, ok := value.Interface().(types.ManagedObjectReference); ok {
			return ref
		}
	}
	return method.This
}

// vcenterName is a user as vCenter's events and tasks name one: VSPHERE.LOCAL\Administrator.
func vcenterName(user string) string {
	name, domain, found := strings.Cut(user, "@")
	switch {
	case strings.EqualFold(user, "administrator@vsphere.local") || user == "":
		return administrator
	case found:
		return strings.ToUpper(domain) + "\\" + name
	}
	return user
}

// invalid is the fault for an argument that the documentation does not allow.
func invalid(property string) *soap.Fault {
	return simulator.Fault("A specified parameter was not correct: "+property,
		&types.InvalidArgument{InvalidProperty: property})
}

// gone is the fault for an object that is not there.
func gone(ref types.ManagedObjectReference) *soap.Fault {
	return simulator.Fault("The object '"+ref.Type+":"+ref.Value+"' has already been deleted or has not been completely created",
		&types.ManagedObjectNotFound{Obj: ref})
}

// virtualMachine finds a VM by reference, nil when there is none.
func (w *World) virtualMachine(ref types.ManagedObjectReference) *simulator.VirtualMachine {
	vm, _ := w.reg.Get(ref).(*simulator.VirtualMachine)
	return vm
}

// hostSystem finds a host by reference, nil when there is none.
func (w *World) hostSystem(ref types.ManagedObjectReference) *simulator.HostSystem {
	host, _ := w.reg.Get(ref).(*simulator.HostSystem)
	return host
}

// datastore finds a datastore by reference, nil when there is none.
func (w *World) datastore(ref types.ManagedObjectReference) *simulator.Datastore {
	store, _ := w.reg.Get(ref).(*simulator.Datastore)
	return store
}
