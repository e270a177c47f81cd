package main

import (
	"fmt"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

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
	c.post(Happening{Type: kind, VM: vm, Host: to, From: from, At: at, Text: fmt.Sprintf(
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
	name := map[bool]string{true: "On", false: "Off"}[on]
	c.task(vm, "Power"+name+"VM_Task", "power"+name, func(*simulator.Context) {})
	c.setPower(vm, o, on)
	return nil
}

// setPower turns a VM on or off, with what that means for its guest, its samples and the events.
func (c *Changes) setPower(vm *simulator.VirtualMachine, o *Object, on bool) {
	now := c.world.clock.Now().UTC()
	state, event, verb := types.VirtualMachinePowerStatePoweredOff, "VmPoweredOffEvent", "off"
	values := map[string]any{"runtime.bootTime": nil, "summary.runtime.bootTime": nil, "guest.guestOperationsReady": false,
		"guest.toolsRunningStatus": "guestToolsNotRunning", "guest.guestState": "notRunning"}
	if on {
		state, event, verb = types.VirtualMachinePowerStatePoweredOn, "VmPoweredOnEvent", "on"
		values = map[string]any{"runtime.bootTime": now, "summary.runtime.bootTime": now, "guest.guestOperationsReady": true,
			"guest.toolsRunningStatus": "guestToolsRunning", "guest.guestState": "running"}
	}
	values["runtime.powerState"], values["summary.runtime.powerState"] = state, state
	c.set(c.world.context(), vm, values)
	if c.guests != nil && on {
		c.guests.powerOn(vm)
	} else if c.guests != nil {
		c.guests.powerOff(vm)
	}
	o.SetPower(now, on)
	host := c.hostOf(vm)
	c.post(Happening{Type: event, VM: vm, Host: host,
		Text: fmt.Sprintf("%s on %s in %s is powered %s", vm.Name, host.Name, c.world.dc.Name, verb)})
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
	c.post(Happening{Type: "VmCreatedEvent", VM: vm, Host: host, Text: "Created virtual machine " + vm.Name})
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
	c.post(Happening{Type: "VmRemovedEvent", VM: vm, Host: host,
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

func (c *Changes) rename(x *Change) error {
	vm, o, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	old := vm.Name
	c.task(vm, "Rename_Task", "rename", func(ctx *simulator.Context) {
		c.set(ctx, vm, map[string]any{"name": x.Name, "config.name": x.Name, "summary.config.name": x.Name})
	})
	c.world.mu.Lock() // its samples stay those of its first name
	delete(c.world.names, "vm:"+old)
	c.world.names["vm:"+x.Name] = o
	c.world.mu.Unlock()
	c.post(Happening{Type: "VmRenamedEvent", VM: vm, Host: c.hostOf(vm),
		Text: fmt.Sprintf("Renamed %s from %s to %s", x.Name, old, x.Name)})
	return nil
}

func (c *Changes) reconfigure(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	values := map[string]any{}
	if x.CPULimit != nil || x.CPUShare != 0 {
		cpu := *vm.Config.CpuAllocation
		if x.CPULimit != nil {
			cpu.Limit = types.NewInt64(int64(*x.CPULimit))
		}
		if x.CPUShare != 0 {
			cpu.Shares = &types.SharesInfo{Shares: x.CPUShare, Level: types.SharesLevelCustom}
		}
		values["config.cpuAllocation"] = cpu
	}
	if x.MemLimit != nil {
		memory := *vm.Config.MemoryAllocation
		memory.Limit = types.NewInt64(int64(*x.MemLimit))
		values["config.memoryAllocation"] = memory
	}
	if x.VCPUs != 0 {
		values["config.hardware.numCPU"], values["summary.config.numCpu"] = int32(x.VCPUs), int32(x.VCPUs)
	}
	c.task(vm, "ReconfigVM_Task", "reconfigure", func(ctx *simulator.Context) { c.set(ctx, vm, values) })
	c.post(Happening{Type: "VmReconfiguredEvent", VM: vm, Host: c.hostOf(vm),
		Text: orText(x.Text, "Reconfigured "+vm.Name)})
	return nil
}

func (c *Changes) tools(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	fresh := &simulator.VirtualMachine{}
	fresh.Name = vm.Name
	c.world.setTools(fresh, x.Tools)
	c.set(c.world.context(), vm, map[string]any{
		"guest.toolsRunningStatus": fresh.Guest.ToolsRunningStatus, "guest.toolsVersionStatus2": fresh.Guest.ToolsVersionStatus2,
		"guest.toolsStatus": fresh.Guest.ToolsStatus, "guest.toolsVersion": fresh.Guest.ToolsVersion,
		"guest.guestState": fresh.Guest.GuestState, "guest.guestOperationsReady": isTrue(fresh.Guest.GuestOperationsReady),
	})
	return nil
}

func (c *Changes) snapshot(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	c.task(vm, "CreateSnapshot_Task", "createSnapshot", func(ctx *simulator.Context) {
		tree := c.world.withSnapshot(vm, countSnapshots(vm), c.world.clock.Now().UTC())
		values := map[string]any{"snapshot": *tree}
		if vm.Snapshot == nil {
			values["rootSnapshot"] = []types.ManagedObjectReference{*tree.CurrentSnapshot}
		}
		c.set(ctx, vm, values)
	})
	return nil
}

func countSnapshots(vm *simulator.VirtualMachine) int {
	if vm.Snapshot == nil {
		return 0
	}
	return countTree(vm.Snapshot.RootSnapshotList)
}

func countTree(list []types.VirtualMachineSnapshotTree) int {
	n := len(list)
	for i := range list {
		n += countTree(list[i].ChildSnapshotList)
	}
	return n
}

func (c *Changes) removeSnapshots(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	c.task(vm, "RemoveAllSnapshots_Task", "removeAllSnapshots", func(ctx *simulator.Context) {
		c.set(ctx, vm, map[string]any{"snapshot": nil, "rootSnapshot": []types.ManagedObjectReference{}})
	})
	return nil
}

// restart is what HA does after a host has failed: the VM starts again on another.
func (c *Changes) restart(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	to, _, err := c.host(x.Host)
	if err != nil {
		return err
	}
	now := c.world.clock.Now().UTC()
	ctx := c.world.context()
	c.place(ctx, vm, c.hostOf(vm), to)
	c.set(ctx, vm, map[string]any{"runtime.bootTime": now, "summary.runtime.bootTime": now})
	c.post(Happening{Type: "com.vmware.vc.ha.VmRestartedByHAEvent", VM: vm, Host: to, Text: fmt.Sprintf(
		"vSphere HA restarted virtual machine %s on host %s", vm.Name, to.Name)})
	return nil
}
