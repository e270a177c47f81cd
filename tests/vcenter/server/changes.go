package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// Change is something that happens to the inventory; which fields it needs depends on its kind.
type Change struct {
	Kind     string   `json:"-"` // these three are read with those of a Fault
	VM       string   `json:"vm"`
	Host     string   `json:"host"`
	Name     string   `json:"name"`
	On       *bool    `json:"on"`
	DRS      bool     `json:"drs"`
	VCPUs    int      `json:"vcpus"`
	CPULimit *float64 `json:"cpu_limit_mhz"`
	CPUShare int32    `json:"cpu_shares"`
	MemLimit *float64 `json:"mem_limit_mb"`
	Tools    string   `json:"tools"`
	Task     string   `json:"task"`
	Store    string   `json:"datastore"`
	Cluster  string   `json:"cluster"`
	Value    string   `json:"value"`
	Rate     int32    `json:"rate"`
	MHz      float64  `json:"mhz"`
	Label    string   `json:"disk"`
	Shares   int32    `json:"shares"`
	Limit    *int64   `json:"limit_iops"`
	Support  *bool    `json:"supported"`
	Enabled  *bool    `json:"enabled"`
	Mode     string   `json:"mode"`
	Behave   string   `json:"behaviour"`
	Millis   int32    `json:"threshold_ms"`
	Error    string   `json:"error"`
	Kbps     int32    `json:"log_kbps"`
	Ago      float64  `json:"ago"`
	Type     string   `json:"-"`
	Text     string   `json:"-"`
	User     string   `json:"-"`

	Tiers map[string]float64 `json:"tiers"`
}

// Changes are made one at a time, each with the tasks and events that a vCenter shows.
type Changes struct {
	world  *World
	scribe *Scribe
	tasks  *Tasks
	guests *Guests
	mu     sync.Mutex
	chain  int32     // of the events of the change that is made now
	at     time.Time // when it is made, zero for now
	user   string    // whose change it is, empty for the administrator
}

// kinds of changes.
func (c *Changes) kinds() map[string]func(*Change) error {
	return map[string]func(*Change) error{
		"vm_moved":         func(x *Change) error { return c.move(x, time.Time{}) },
		"vm_power":         c.power,
		"vm_created":       c.create,
		"vm_destroyed":     c.destroy,
		"vm_renamed":       c.rename,
		"vm_reconfigured":  c.reconfigure,
		"vm_tools":         c.tools,
		"snapshot_created": c.snapshot,
		"snapshots_gone":   c.removeSnapshots,
		"ha_restart":       c.restart,
		"host_removed":     c.removeHost,
		"host_added":       c.addHost,
		"host_connection":  c.connection,
		"host_maintenance": c.maintenance,
		"event":            c.event,
		"iorm_changed":     c.changeIORM,
		"disk_changed":     c.changeDisk,
		"memory_tiers":     c.memoryTiers,
		"tier_reads":       c.tierReads,
		"fault_tolerance":  c.faultTolerance,
		"dpu":              c.dpu,
		"task_ended":       func(x *Change) error { return c.tasks.end(x.Task, x.Error) },
	}
}

// Make makes a change; known is false for a kind that is no change.
func (c *Changes) Make(change *Change) (known bool, err error) {
	do := c.kinds()[change.Kind]
	if do == nil {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chain, c.at = 0, time.Time{}
	return true, do(change)
}

// Start begins a task that runs until task_ended; its key.
func (c *Changes) Start(x *Change) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chain, c.at = 0, time.Time{}
	var entity mo.Entity
	var err error
	if x.VM != "" {
		entity, _, err = c.machine(x.VM)
	} else {
		entity, _, err = c.host(x.Host)
	}
	if err != nil {
		return "", err
	}
	description := orText(x.Name, "createSnapshot")
	task := c.tasks.begin(entity, strings.ToUpper(description[:1])+description[1:]+"_Task", description, x.User, x.Ago)
	c.announce(task, c.world.clock.Now().Add(-time.Duration(x.Ago*float64(time.Second))))
	return task.Self.Value, nil
}

// announce posts the TaskEvent with which every task begins; what else happens belongs to its chain.
func (c *Changes) announce(task *simulator.Task, at time.Time) {
	var info types.TaskInfo
	c.world.context().WithLock(task, func() { info = task.Info })
	happening := Happening{Type: "TaskEvent", Task: &info, At: at, Text: "Task: " + c.label(info.DescriptionId)}
	switch object := c.world.reg.Get(*info.Entity).(type) {
	case *simulator.VirtualMachine:
		happening.VM, happening.Host = object, c.hostOf(object)
	case *simulator.HostSystem:
		happening.Host = object
	}
	if reason, ok := info.Reason.(*types.TaskReasonUser); ok {
		happening.User = reason.UserName
	}
	c.chain = c.scribe.post(happening)
	c.tasks.chain(task, c.chain)
}

func (c *Changes) label(id string) string {
	manager, ok := c.world.reg.Get(*c.world.model.ServiceContent.TaskManager).(*simulator.TaskManager)
	if !ok {
		return id
	}
	for _, method := range manager.Description.MethodInfo {
		if known := method.GetElementDescription(); known.Key == id {
			return known.Label
		}
	}
	return id
}

// post posts an event of the change that is made now.
func (c *Changes) post(h Happening) {
	h.Chain, h.User = c.chain, orText(h.User, c.user)
	c.scribe.post(h)
}

// follow does a scenario's vMotion at its time.
func (c *Changes) follow(vm, host string, at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chain, c.at = 0, at
	return c.move(&Change{VM: vm, Host: host}, at)
}

func (c *Changes) machine(name string) (*simulator.VirtualMachine, *Object, error) {
	o, err := c.world.named("vm", name)
	if err != nil {
		return nil, nil, err
	}
	vm, ok := c.world.reg.Get(o.Ref).(*simulator.VirtualMachine)
	if !ok {
		return nil, nil, fmt.Errorf("VM %q is gone", name)
	}
	return vm, o, nil
}

func (c *Changes) host(name string) (*simulator.HostSystem, *Object, error) {
	o, err := c.world.named("host", name)
	if err != nil {
		return nil, nil, err
	}
	host, ok := c.world.reg.Get(o.Ref).(*simulator.HostSystem)
	if !ok {
		return nil, nil, fmt.Errorf("host %q is gone", name)
	}
	return host, o, nil
}

func (c *Changes) hostOf(vm *simulator.VirtualMachine) *simulator.HostSystem {
	host, _ := c.world.reg.Get(*vm.Runtime.Host).(*simulator.HostSystem)
	return host
}

// task does something under a task of this name, as vCenter shows it, and waits for it.
func (c *Changes) task(entity mo.Entity, name, description string, do func(*simulator.Context)) {
	ctx := c.world.context()
	task := simulator.CreateTask(entity, description, func(*simulator.Task) (types.AnyType, types.BaseMethodFault) {
		do(ctx)
		return nil, nil
	})
	task.Info.Name = name
	task.Info.EntityName = entity.Entity().Name
	task.Info.Reason = &types.TaskReasonUser{UserName: administrator}
	task.RunBlocking(ctx)
	if !c.at.IsZero() {
		then := c.at.Add(-c.world.clock.Offset())
		ctx.WithLock(task, func() {
			task.Info.QueueTime, task.Info.StartTime, task.Info.CompleteTime = then, &then, &then
		})
	}
	c.announce(task, c.at)
}

func (c *Changes) set(ctx *simulator.Context, object mo.Reference, values map[string]any) {
	var changes []types.PropertyChange
	for name, value := range values {
		changes = append(changes, types.PropertyChange{Name: name, Val: value})
	}
	ctx.WithLock(object, func() { ctx.Update(object, changes) })
}

func without(list []types.ManagedObjectReference, ref types.ManagedObjectReference) []types.ManagedObjectReference {
	kept := []types.ManagedObjectReference{}
	for _, one := range list {
		if one != ref {
			kept = append(kept, one)
		}
	}
	return kept
}

func with(list []types.ManagedObjectReference, ref types.ManagedObjectReference) []types.ManagedObjectReference {
	return append(without(list, ref), ref)
}

func (c *Changes) event(x *Change) error {
	happening := Happening{Type: x.Type, Text: x.Text, Host: c.world.host(x.Host), User: x.User}
	if x.Ago != 0 {
		happening.At = c.world.clock.Now().Add(-time.Duration(x.Ago * float64(time.Second)))
	}
	if x.VM != "" {
		vm, _, err := c.machine(x.VM)
		if err != nil {
			return err
		}
		happening.VM, happening.Host = vm, c.hostOf(vm)
	}
	c.post(happening)
	return nil
}
