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

func (c *Changes) move(x *Change, at time.Time) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	to, _, err := c.host(x.Host)
	if err != nil {
		return err
	}
	from := c.hostOf(vm)
	c.task(vm, "RelocateVM_Task", "relocate", func(ctx *simulator.Context) { c.place(ctx, vm, from, to) })
	kind := "VmMigratedEvent"
	if x.DRS {
		kind = "DrsVmMigratedEvent"
	}
	c.scribe.post(Happening{Type: kind, VM: vm, Host: to, From: from, At: at, Text: fmt.Sprintf(
		"Migration of virtual machine %s from %s to %s completed", vm.Name, from.Name, to.Name)})
	return nil
}

func (c *Changes) place(ctx *simulator.Context, vm *simulator.VirtualMachine, from, to *simulator.HostSystem) {
	c.set(ctx, vm, map[string]any{"runtime.host": to.Self, "summary.runtime.host": to.Self})
	c.set(ctx, from, map[string]any{"vm": without(from.Vm, vm.Self)})
	c.set(ctx, to, map[string]any{"vm": with(to.Vm, vm.Self)})
}

func (c *Changes) power(x *Change) error {
	vm, o, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	on := x.On != nil && *x.On
	now := c.world.clock.Now().UTC()
	state, name, event, verb := types.VirtualMachinePowerStatePoweredOff, "PowerOffVM_Task", "VmPoweredOffEvent", "off"
	values := map[string]any{"runtime.bootTime": nil, "summary.runtime.bootTime": nil,
		"guest.toolsRunningStatus": "guestToolsNotRunning", "guest.guestState": "notRunning"}
	if on {
		state, name, event, verb = types.VirtualMachinePowerStatePoweredOn, "PowerOnVM_Task", "VmPoweredOnEvent", "on"
		values = map[string]any{"runtime.bootTime": now, "summary.runtime.bootTime": now,
			"guest.toolsRunningStatus": "guestToolsRunning", "guest.guestState": "running"}
	}
	values["runtime.powerState"], values["summary.runtime.powerState"] = state, state
	c.task(vm, name, "power"+map[bool]string{true: "On", false: "Off"}[on], func(ctx *simulator.Context) { c.set(ctx, vm, values) })
	o.SetPower(now, on)
	host := c.hostOf(vm)
	c.scribe.post(Happening{Type: event, VM: vm, Host: host,
		Text: fmt.Sprintf("%s on %s in %s is powered %s", vm.Name, host.Name, c.world.dc.Name, verb)})
	return nil
}

// create makes a VM like the first one of the host.
func (c *Changes) create(x *Change) error {
	host, _, err := c.host(x.Host)
	if err != nil {
		return err
	}
	entry := VMEntry{VCPUs: 2, MemoryMB: 4096}
	for _, known := range c.world.scenario.VMs {
		if known.Host == x.Host {
			entry = known
			break
		}
	}
	if entry.Datastore == "" {
		return fmt.Errorf("host %q has no VM to take as a pattern", x.Host)
	}
	entry.Name, entry.UUID, entry.Host, entry.Power = x.Name, stableUUID("vm/"+x.Name), x.Host, "on"
	entry.Snapshots = 0
	if x.VCPUs > 0 {
		entry.VCPUs = x.VCPUs
	}
	if _, err := c.world.named("vm", x.Name); err == nil {
		return fmt.Errorf("there is a VM %q already", x.Name)
	}
	vm := c.world.addVM(&entry)
	c.world.object(vm.Self).SetBorn(c.world.clock.Now().Unix())
	c.linked(vm)
	c.scribe.post(Happening{Type: "VmCreatedEvent", VM: vm, Host: host, Text: "Created virtual machine " + vm.Name})
	return nil
}

// linked tells those who watch that a VM's parents have it now.
func (c *Changes) linked(vm *simulator.VirtualMachine) {
	ctx := c.world.context()
	host := c.hostOf(vm)
	c.set(ctx, host, map[string]any{"vm": with(host.Vm, vm.Self)})
	if pool, ok := c.world.reg.Get(*vm.ResourcePool).(*simulator.ResourcePool); ok {
		c.set(ctx, pool, map[string]any{"vm": with(pool.Vm, vm.Self)})
	}
	folder := c.world.reg.Get(c.world.dc.VmFolder)
	c.set(ctx, folder, map[string]any{"childEntity": with(folder.(*simulator.Folder).ChildEntity, vm.Self)})
}

func (c *Changes) destroy(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	host := c.hostOf(vm)
	c.unlink(vm)
	c.scribe.post(Happening{Type: "VmRemovedEvent", VM: vm, Host: host,
		Text: fmt.Sprintf("Removed %s on %s from %s", vm.Name, host.Name, c.world.dc.Name)})
	return nil
}

func (c *Changes) unlink(vm *simulator.VirtualMachine) {
	ctx := c.world.context()
	if host := c.hostOf(vm); host != nil {
		c.set(ctx, host, map[string]any{"vm": without(host.Vm, vm.Self)})
	}
	if pool, ok := c.world.reg.Get(*vm.ResourcePool).(*simulator.ResourcePool); ok {
		c.set(ctx, pool, map[string]any{"vm": without(pool.Vm, vm.Self)})
	}
	for _, ref := range vm.Datastore {
		if store, ok := c.world.reg.Get(ref).(*simulator.Datastore); ok {
			c.set(ctx, store, map[string]any{"vm": without(store.Vm, vm.Self)})
		}
	}
	folder := c.world.reg.Get(c.world.dc.VmFolder)
	c.set(ctx, folder, map[string]any{"childEntity": without(folder.(*simulator.Folder).ChildEntity, vm.Self)})
	c.world.reg.Remove(ctx, vm.Self)
	c.world.forget("vm", vm.Name)
}

// forget takes an entity's samples away.
func (w *World) forget(kind, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := kind + ":" + name
	if o := w.names[key]; o != nil {
		delete(w.objects, o.Ref)
		delete(w.names, key)
	}
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
