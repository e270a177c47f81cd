package main

import (
	"fmt"
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
	Type     string   `json:"-"`
	Text     string   `json:"-"`
}

// Changes are made one at a time, each with the tasks and events that a vCenter shows.
type Changes struct {
	world  *World
	scribe *Scribe
	mu     sync.Mutex
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
	return true, do(change)
}

// follow does a scenario's vMotion at its time.
func (c *Changes) follow(vm, host string, at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
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
func (c *Changes) task(entity mo.Entity, name, description string, do func(*simulator.Context)) *types.TaskInfo {
	ctx := c.world.context()
	task := simulator.CreateTask(entity, description, func(*simulator.Task) (types.AnyType, types.BaseMethodFault) {
		do(ctx)
		return nil, nil
	})
	task.Info.Name = name
	task.Info.EntityName = entity.Entity().Name
	task.Info.Reason = &types.TaskReasonUser{UserName: "VSPHERE.LOCAL\\Administrator"}
	task.RunBlocking(ctx)
	info := task.Info
	return &info
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
	happening := Happening{Type: x.Type, Text: x.Text, Host: c.world.host(x.Host)}
	if x.VM != "" {
		vm, _, err := c.machine(x.VM)
		if err != nil {
			return err
		}
		happening.VM, happening.Host = vm, c.hostOf(vm)
	}
	c.scribe.post(happening)
	return nil
}
