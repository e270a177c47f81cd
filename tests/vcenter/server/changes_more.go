package main

import (
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

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
	c.scribe.post(Happening{Type: "VmRenamedEvent", VM: vm, Host: c.hostOf(vm),
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
	c.scribe.post(Happening{Type: "VmReconfiguredEvent", VM: vm, Host: c.hostOf(vm),
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
	})
	return nil
}

func (c *Changes) snapshot(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	info := c.task(vm, "CreateSnapshot_Task", "createSnapshot", func(ctx *simulator.Context) {
		tree := c.world.withSnapshot(vm, countSnapshots(vm), c.world.clock.Now().UTC())
		values := map[string]any{"snapshot": *tree}
		if vm.Snapshot == nil {
			values["rootSnapshot"] = []types.ManagedObjectReference{*tree.CurrentSnapshot}
		}
		c.set(ctx, vm, values)
	})
	c.scribe.post(Happening{Type: "TaskEvent", VM: vm, Host: c.hostOf(vm), Task: info, Text: "Task: Create virtual machine snapshot"})
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
	info := c.task(vm, "RemoveAllSnapshots_Task", "removeAllSnapshots", func(ctx *simulator.Context) {
		c.set(ctx, vm, map[string]any{"snapshot": nil, "rootSnapshot": []types.ManagedObjectReference{}})
	})
	c.scribe.post(Happening{Type: "TaskEvent", VM: vm, Host: c.hostOf(vm), Task: info, Text: "Task: Delete all snapshots"})
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
	c.scribe.post(Happening{Type: "com.vmware.vc.ha.VmRestartedByHAEvent", VM: vm, Host: to, Text: fmt.Sprintf(
		"vSphere HA restarted virtual machine %s on host %s", vm.Name, to.Name)})
	return nil
}

func (c *Changes) removeHost(x *Change) error {
	host, _, err := c.host(x.Host)
	if err != nil {
		return err
	}
	for _, ref := range append([]types.ManagedObjectReference(nil), host.Vm...) {
		if vm, ok := c.world.reg.Get(ref).(*simulator.VirtualMachine); ok {
			c.unlink(vm)
		}
	}
	ctx := c.world.context()
	c.scribe.post(Happening{Type: "HostRemovedEvent", Host: host, Text: "Removed host " + host.Name})
	for _, ref := range host.Datastore {
		if store, ok := c.world.reg.Get(ref).(*simulator.Datastore); ok {
			var kept []types.DatastoreHostMount
			for _, mount := range store.Host {
				if mount.Key != host.Self {
					kept = append(kept, mount)
				}
			}
			c.set(ctx, store, map[string]any{"host": kept})
		}
	}
	parent := c.world.reg.Get(*host.Parent)
	if cluster, ok := parent.(*simulator.ClusterComputeResource); ok {
		c.set(ctx, cluster, map[string]any{"host": without(cluster.Host, host.Self)})
	} else if alone, ok := parent.(*mo.ComputeResource); ok {
		folder := c.world.reg.Get(c.world.dc.HostFolder).(*simulator.Folder)
		c.set(ctx, folder, map[string]any{"childEntity": without(folder.ChildEntity, alone.Self)})
		c.world.reg.Remove(ctx, alone.Self)
	}
	c.world.reg.Remove(ctx, host.Self)
	c.world.forget("host", host.Name)
	delete(c.world.hosts, host.Name)
	c.world.deriveAll()
	return nil
}

// addHost brings back a host of the scenario, with its VMs, under new references: as removed and added again.
func (c *Changes) addHost(x *Change) error {
	if _, err := c.world.named("host", x.Host); err == nil {
		return fmt.Errorf("there is a host %q already", x.Host)
	}
	var entry *HostEntry
	for i := range c.world.scenario.Hosts {
		if c.world.scenario.Hosts[i].Name == x.Host {
			entry = &c.world.scenario.Hosts[i]
		}
	}
	if entry == nil {
		return fmt.Errorf("the scenario has no host %q", x.Host)
	}
	host := c.world.addHost(entry)
	for i := range c.world.scenario.Datastores {
		store := &c.world.scenario.Datastores[i]
		if containsText(store.Hosts, entry.Name) {
			c.world.mount(c.world.stores[store.Name], host, store)
		}
	}
	born := c.world.clock.Now().Unix()
	c.world.measureHost(entry).SetBorn(born)
	ctx := c.world.context()
	if cluster, ok := c.world.reg.Get(*host.Parent).(*simulator.ClusterComputeResource); ok {
		c.set(ctx, cluster, map[string]any{"host": with(cluster.Host, host.Self)})
	}
	for i := range c.world.scenario.VMs {
		if vm := &c.world.scenario.VMs[i]; vm.Host == entry.Name && c.world.machine(vm.Name) == nil {
			made := c.world.addVM(vm)
			c.world.object(made.Self).SetBorn(born)
			c.linked(made)
		}
	}
	c.world.deriveAll()
	c.scribe.post(Happening{Type: "HostAddedEvent", Host: host, Text: "Added host " + host.Name})
	return nil
}

// connection cuts a host off from vCenter, or joins it again; what it measured meanwhile is lost here.
func (c *Changes) connection(x *Change) error {
	host, o, err := c.host(x.Host)
	if err != nil {
		return err
	}
	on := x.On != nil && *x.On
	state, machineState, event := types.HostSystemConnectionStateNotResponding,
		types.VirtualMachineConnectionStateDisconnected, "HostConnectionLostEvent"
	if on {
		state, machineState, event = types.HostSystemConnectionStateConnected,
			types.VirtualMachineConnectionStateConnected, "HostConnectedEvent"
	}
	ctx, now := c.world.context(), c.world.clock.Now()
	c.set(ctx, host, map[string]any{"runtime.connectionState": state, "summary.runtime.connectionState": state})
	o.SetPower(now, on)
	for _, ref := range host.Vm {
		if vm, ok := c.world.reg.Get(ref).(*simulator.VirtualMachine); ok {
			c.set(ctx, vm, map[string]any{"runtime.connectionState": machineState, "summary.runtime.connectionState": machineState})
			if samples := c.world.object(ref); samples != nil {
				samples.SetPower(now, on && vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn)
			}
		}
	}
	c.scribe.post(Happening{Type: event, Host: host, Text: fmt.Sprintf("Host %s is %s", host.Name, state)})
	return nil
}

func (c *Changes) maintenance(x *Change) error {
	host, _, err := c.host(x.Host)
	if err != nil {
		return err
	}
	on := x.On != nil && *x.On
	name, description, event := "ExitMaintenanceMode_Task", "exitMaintenanceMode", "ExitMaintenanceModeEvent"
	if on {
		name, description, event = "EnterMaintenanceMode_Task", "enterMaintenanceMode", "EnteredMaintenanceModeEvent"
	}
	c.task(host, name, description, func(ctx *simulator.Context) {
		c.set(ctx, host, map[string]any{"runtime.inMaintenanceMode": on, "summary.runtime.inMaintenanceMode": on})
	})
	c.scribe.post(Happening{Type: event, Host: host, Text: description + " " + host.Name})
	return nil
}
