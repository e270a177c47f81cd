package main

import (
	"fmt"
	"path"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// migrateDesk moves VMs and turns them on and off.
type migrateDesk struct{ desk }

// placement is where a VM shall be; nil leaves it where it is.
type placement struct {
	host  *simulator.HostSystem
	pool  *simulator.ResourcePool
	store *simulator.Datastore
	disks map[int32]*simulator.Datastore // by key
	drs   *types.ClusterDrsMigration     // what DRS had recommended
}

// MigrateVMTask moves a VM to another host, and into a pool if one is given.
func (d *migrateDesk) MigrateVMTask(ctx *simulator.Context, req *types.MigrateVM_Task) soap.HasFault {
	body := &methods.MigrateVM_TaskBody{}
	vm := d.world().virtualMachine(req.This)
	if vm == nil {
		body.Fault_ = gone(req.This)
		return body
	}
	to, fault := d.world().placement(vm, req.Host, req.Pool)
	if fault == nil && req.State != "" && req.State != vm.Runtime.PowerState {
		fault = &types.InvalidPowerState{RequestedState: req.State, ExistingState: vm.Runtime.PowerState}
	}
	if fault == nil {
		fault = d.mayMove(ctx, vm, to)
	}
	if body.Fault_ = asFault(fault); fault == nil {
		task := d.acts.begin(ctx, d.acts.moving(vm, to, "MigrateVM_Task", "VirtualMachine.migrate"))
		body.Res = &types.MigrateVM_TaskResponse{Returnval: task}
	}
	return body
}

// RelocateVMTask moves a VM to another host, its disks to other datastores, or both.
func (d *migrateDesk) RelocateVMTask(ctx *simulator.Context, req *types.RelocateVM_Task) soap.HasFault {
	body := &methods.RelocateVM_TaskBody{}
	vm := d.world().virtualMachine(req.This)
	if vm == nil {
		body.Fault_ = gone(req.This)
		return body
	}
	to, fault := d.world().placement(vm, req.Spec.Host, req.Spec.Pool)
	if fault == nil {
		fault = d.world().placeDisks(to, vm, &req.Spec)
	}
	if fault == nil {
		fault = d.mayMove(ctx, vm, to)
	}
	if body.Fault_ = asFault(fault); fault == nil {
		task := d.acts.begin(ctx, d.acts.moving(vm, to, "RelocateVM_Task", "VirtualMachine.relocate"))
		body.Res = &types.RelocateVM_TaskResponse{Returnval: task}
	}
	return body
}

func asFault(fault types.BaseMethodFault) *soap.Fault {
	switch known := fault.(type) {
	case nil:
		return nil
	case *types.ManagedObjectNotFound:
		return gone(known.Obj)
	}
	return simulator.Fault(faultText(fault), fault)
}

// mayMove is the fault of a user who lacks one of the documented privileges.
func (d *migrateDesk) mayMove(ctx *simulator.Context, vm *simulator.VirtualMachine, to *placement) types.BaseMethodFault {
	needed := "Resource.ColdMigrate"
	if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
		needed = "Resource.HotMigrate"
	}
	if fault := d.acts.refuse(ctx, vm.Self, needed); fault != nil {
		return fault
	}
	if to.pool != nil && to.pool.Self != *vm.ResourcePool {
		if fault := d.acts.refuse(ctx, to.pool.Self, "Resource.AssignVMToPool"); fault != nil {
			return fault
		}
	}
	if to.store != nil {
		return d.acts.refuse(ctx, to.store.Self, "Datastore.AllocateSpace")
	}
	return nil
}

// placement checks where a VM shall run: a host that is there and takes VMs, and a pool of the same cluster.
func (w *World) placement(vm *simulator.VirtualMachine, hostRef, poolRef *types.ManagedObjectReference) (*placement, types.BaseMethodFault) {
	to := &placement{}
	if hostRef != nil {
		if to.host = w.hostSystem(*hostRef); to.host == nil {
			return nil, &types.ManagedObjectNotFound{Obj: *hostRef}
		}
	}
	if poolRef != nil {
		if to.pool, _ = w.reg.Get(*poolRef).(*simulator.ResourcePool); to.pool == nil {
			return nil, &types.ManagedObjectNotFound{Obj: *poolRef}
		}
	}
	pool := to.pool
	if pool == nil {
		pool, _ = w.reg.Get(*vm.ResourcePool).(*simulator.ResourcePool)
	}
	host := to.host
	if host == nil {
		host = w.hostSystem(*vm.Runtime.Host)
	}
	if pool != nil && w.computeResource(host).Self != pool.Owner {
		if to.pool == nil {
			return nil, &types.InvalidArgument{InvalidProperty: "spec.pool"}
		}
		return nil, &types.InvalidArgument{InvalidProperty: "spec.host"}
	}
	return to, nil
}

// unfit is the fault of a host that can't run the VM now.
func (w *World) unfit(vm *simulator.VirtualMachine, host *simulator.HostSystem) types.BaseMethodFault {
	if host.Runtime.ConnectionState != types.HostSystemConnectionStateConnected || host.Runtime.InMaintenanceMode {
		return &types.InvalidHostState{Host: &host.Self}
	}
	for _, device := range vm.Config.Hardware.Device {
		disk, isDisk := device.(*types.VirtualDisk)
		if !isDisk {
			continue
		}
		backing := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
		if simulator.FindReference(host.Datastore, *backing.Datastore) == nil {
			device := types.CannotAccessVmDevice{Device: disk.DeviceInfo.GetDescription().Label, Backing: backing.FileName, Connected: true}
			return &types.CannotAccessVmDisk{CannotAccessVmDevice: device, Fault: types.LocalizedMethodFault{
				Fault: noFile(backing.FileName), LocalizedMessage: "Unable to access file " + backing.FileName}}
		}
	}
	return nil
}

// placeDisks reads where a specification wants the disks.
func (w *World) placeDisks(to *placement, vm *simulator.VirtualMachine, spec *types.VirtualMachineRelocateSpec) types.BaseMethodFault {
	to.disks = map[int32]*simulator.Datastore{}
	if spec.Datastore != nil {
		if to.store = w.datastore(*spec.Datastore); to.store == nil {
			return &types.ManagedObjectNotFound{Obj: *spec.Datastore}
		}
		for _, device := range vm.Config.Hardware.Device {
			if disk, isDisk := device.(*types.VirtualDisk); isDisk {
				to.disks[disk.Key] = to.store
			}
		}
	}
	for _, one := range spec.Disk {
		store := w.datastore(one.Datastore)
		if store == nil {
			return &types.ManagedObjectNotFound{Obj: one.Datastore}
		}
		to.disks[one.DiskId] = store
	}
	if spec.Folder != nil || spec.Service != nil || len(spec.DeviceChange) > 0 {
		return &types.NotSupported{}
	}
	return nil
}

// moving is the job that moves a VM: it is told at once that it is being moved, and done when it is there.
func (a *Acts) moving(vm *simulator.VirtualMachine, to *placement, method, description string) job {
	leaves := to.host != nil && to.host.Self != *vm.Runtime.Host
	return job{entity: vm, method: method, description: description,
		before: func(c *Changes) {
			if from := c.hostOf(vm); leaves {
				c.post(Happening{Type: "VmBeingMigratedEvent", VM: vm, Host: from, To: to.host,
					Text: fmt.Sprintf("Migrating %s off host %s in %s", vm.Name, from.Name, c.world.dc.Name)})
			}
		},
		do: func(c *Changes) (types.AnyType, types.BaseMethodFault) {
			fault := c.moveVM(vm, to)
			if fault != nil && leaves {
				c.post(Happening{Type: "VmFailedMigrateEvent", VM: vm, Host: c.hostOf(vm), To: to.host,
					Text: fmt.Sprintf("Cannot migrate %s to %s in %s", vm.Name, to.host.Name, c.world.dc.Name)})
			}
			a.drs.measure(a.world.clusterOf(vm))
			return nil, fault
		}}
}

func (c *Changes) moveVM(vm *simulator.VirtualMachine, to *placement) types.BaseMethodFault {
	ctx, from := c.world.context(), c.hostOf(vm)
	if to.host != nil && to.host.Self != from.Self {
		if fault := c.world.unfit(vm, to.host); fault != nil && len(to.disks) == 0 {
			return fault
		}
		c.place(ctx, vm, from, to.host)
		c.countVMotion(vm)
	}
	if to.pool != nil && to.pool.Self != *vm.ResourcePool {
		if old, ok := c.world.reg.Get(*vm.ResourcePool).(*simulator.ResourcePool); ok {
			c.set(ctx, old, map[string]any{"vm": without(old.Vm, vm.Self)})
		}
		c.set(ctx, vm, map[string]any{"resourcePool": to.pool.Self})
		c.set(ctx, to.pool, map[string]any{"vm": with(to.pool.Vm, vm.Self)})
	}
	c.moveDisks(ctx, vm, to)
	kind := "VmMigratedEvent"
	switch {
	case to.drs != nil:
		kind = "DrsVmMigratedEvent"
	case to.host == nil || to.host.Self == from.Self:
		kind = "VmRelocatedEvent"
	}
	now := c.hostOf(vm)
	c.post(Happening{Type: kind, VM: vm, Host: now, From: from, Text: fmt.Sprintf(
		"Migration of virtual machine %s from %s to %s completed", vm.Name, from.Name, now.Name)})
	return nil
}

// moveDisks gives the disks files of the same names on other datastores.
func (c *Changes) moveDisks(ctx *simulator.Context, vm *simulator.VirtualMachine, to *placement) {
	if len(to.disks) == 0 {
		return
	}
	devices := append([]types.BaseVirtualDevice(nil), vm.Config.Hardware.Device...)
	stores := []types.ManagedObjectReference{}
	for n, device := range devices {
		disk, isDisk := device.(*types.VirtualDisk)
		if !isDisk {
			continue
		}
		backing := *disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
		if store := to.disks[disk.Key]; store != nil && store.Self != *backing.Datastore {
			_, file := splitPath(backing.FileName)
			moved := *disk
			old := backing.FileName
			backing.FileName, backing.Datastore = fmt.Sprintf("[%s] %s", store.Name, file), &store.Self
			moved.Backing, devices[n] = &backing, &moved
			c.world.vmdks[backing.FileName] = disk.CapacityInBytes
			delete(c.world.vmdks, old)
		}
		stores = with(stores, *backing.Datastore)
	}
	values := map[string]any{"config.hardware.device": devices}
	if to.store != nil {
		_, file := splitPath(vm.Config.Files.VmPathName)
		files := vm.Config.Files
		files.VmPathName = fmt.Sprintf("[%s] %s", to.store.Name, file)
		files.LogDirectory = fmt.Sprintf("[%s] %s", to.store.Name, path.Dir(file))
		values["config.files"], values["summary.config.vmPathName"] = files, files.VmPathName
		stores = with(stores, to.store.Self)
	}
	for _, ref := range vm.Datastore {
		if store := c.world.datastore(ref); store != nil && simulator.FindReference(stores, ref) == nil {
			c.set(ctx, store, map[string]any{"vm": without(store.Vm, vm.Self)})
		}
	}
	values["datastore"] = stores
	c.set(ctx, vm, values)
	for _, ref := range stores {
		if store := c.world.datastore(ref); store != nil {
			c.set(ctx, store, map[string]any{"vm": with(store.Vm, vm.Self)})
		}
	}
}

// countVMotion adds to the cluster's number of moves.
func (c *Changes) countVMotion(vm *simulator.VirtualMachine) {
	cluster := c.world.clusterOf(vm)
	if cluster == nil {
		return
	}
	if summary, ok := cluster.Summary.(*types.ClusterComputeResourceSummary); ok {
		counted := *summary
		counted.NumVmotions++
		c.set(c.world.context(), cluster, map[string]any{"summary": counted})
	}
}

// clusterOf is the cluster that a VM's host is in, nil for none.
func (w *World) clusterOf(vm *simulator.VirtualMachine) *simulator.ClusterComputeResource {
	host := w.hostSystem(*vm.Runtime.Host)
	if host == nil {
		return nil
	}
	cluster, _ := w.reg.Get(*host.Parent).(*simulator.ClusterComputeResource)
	return cluster
}

// PowerOnVMTask turns a VM on.
func (d *migrateDesk) PowerOnVMTask(ctx *simulator.Context, req *types.PowerOnVM_Task) soap.HasFault {
	body := &methods.PowerOnVM_TaskBody{}
	task, fault := d.power(ctx, req.This, true, "PowerOnVM_Task", "VirtualMachine.powerOn")
	if body.Fault_ = fault; fault == nil {
		body.Res = &types.PowerOnVM_TaskResponse{Returnval: task}
	}
	return body
}

// PowerOffVMTask turns a VM off.
func (d *migrateDesk) PowerOffVMTask(ctx *simulator.Context, req *types.PowerOffVM_Task) soap.HasFault {
	body := &methods.PowerOffVM_TaskBody{}
	task, fault := d.power(ctx, req.This, false, "PowerOffVM_Task", "VirtualMachine.powerOff")
	if body.Fault_ = fault; fault == nil {
		body.Res = &types.PowerOffVM_TaskResponse{Returnval: task}
	}
	return body
}

func (d *migrateDesk) power(
	ctx *simulator.Context, ref types.ManagedObjectReference, on bool, method, description string,
) (types.ManagedObjectReference, *soap.Fault) {
	vm := d.world().virtualMachine(ref)
	if vm == nil {
		return types.ManagedObjectReference{}, gone(ref)
	}
	wanted := types.VirtualMachinePowerStatePoweredOff
	if on {
		wanted = types.VirtualMachinePowerStatePoweredOn
	}
	o := d.world().object(ref)
	if o == nil { // a template
		return types.ManagedObjectReference{}, asFault(&types.InvalidState{})
	}
	return d.acts.begin(ctx, job{entity: vm, method: method, description: description,
		do: func(c *Changes) (types.AnyType, types.BaseMethodFault) {
			if now := vm.Runtime.PowerState; now == wanted {
				return nil, &types.InvalidPowerState{RequestedState: wanted, ExistingState: now}
			}
			c.setPower(vm, o, on)
			d.acts.drs.measure(d.world().clusterOf(vm))
			return nil, nil
		}}), nil
}
