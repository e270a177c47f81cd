package main

import (
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

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
	c.post(Happening{Type: "HostRemovedEvent", Host: host, Text: "Removed host " + host.Name})
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
	c.world.reg.Put(host) // again: views did not find it as long as its cluster had it not
	for i := range c.world.scenario.VMs {
		if vm := &c.world.scenario.VMs[i]; vm.Host == entry.Name && c.world.machine(vm.Name) == nil {
			made := c.world.addVM(vm)
			c.world.object(made.Self).SetBorn(born)
			c.linked(made)
		}
	}
	c.world.deriveAll()
	c.post(Happening{Type: "HostAddedEvent", Host: host, Text: "Added host " + host.Name})
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
	c.post(Happening{Type: event, Host: host, Text: fmt.Sprintf("Host %s is %s", host.Name, state)})
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
	c.post(Happening{Type: event, Host: host, Text: description + " " + host.Name})
	return nil
}
