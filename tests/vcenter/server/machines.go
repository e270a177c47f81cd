package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// addVM makes a VM directly: through CreateVM_Task, thousands of them would take minutes.
func (w *World) addVM(entry *VMEntry) *simulator.VirtualMachine {
	host, store := w.hosts[entry.Host], w.stores[entry.Datastore]
	pool := w.poolOf(entry)
	vm := &simulator.VirtualMachine{DataSets: map[string]*simulator.DataSet{}}
	vm.Name = entry.Name
	w.reg.NewEntity(vm)
	vm.ResourcePool = &pool.Self
	w.configureVM(vm, entry)
	vm.Runtime = types.VirtualMachineRuntimeInfo{
		Host: &host.Self, ConnectionState: "connected", PowerState: powerState(entry.Power), ConsolidationNeeded: types.NewBool(false),
		MaxCpuUsage: int32(host.Summary.Hardware.CpuMhz) * int32(entry.VCPUs), MaxMemoryUsage: int32(entry.MemoryMB),
	}
	if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
		boot := time.Unix(w.line.Epoch, 0).Add(-24 * time.Hour).UTC()
		vm.Runtime.BootTime = &boot
	}
	w.setTools(vm, entry.Tools)
	vm.Datastore = []types.ManagedObjectReference{store.Self}
	w.addDevices(vm, entry)
	for n := 0; n < entry.Snapshots; n++ {
		made := time.Unix(w.line.Epoch, 0).Add(-time.Duration(entry.Snapshots-n) * 24 * time.Hour).UTC()
		vm.Snapshot = w.withSnapshot(vm, n, made)
		if n == 0 {
			vm.RootSnapshot = []types.ManagedObjectReference{*vm.Snapshot.CurrentSnapshot}
		}
	}
	vm.Summary = w.summary(vm)
	for _, ref := range vm.Datastore {
		place := w.reg.Get(ref).(*simulator.Datastore)
		w.reg.AppendReference(w.context(), place, &place.Vm, vm.Self)
	}
	w.reg.AppendReference(w.context(), host, &host.Vm, vm.Self)
	w.reg.AppendReference(w.context(), pool, &pool.Vm, vm.Self)
	if parent := w.computeResource(host); parent.EnvironmentBrowser != nil {
		vm.EnvironmentBrowser = *parent.EnvironmentBrowser
	}
	w.putChild(w.dc.VmFolder, vm)
	if !entry.Template {
		o := w.put(vm.Self, "vm", entry.Name, w.shapes.shape("vm", w.vmInstances(vm, entry), entry.VCPUs))
		if entry.Power == "off" {
			o.SetPower(time.Time{}, false)
		}
	}
	return vm
}

func (w *World) poolOf(entry *VMEntry) *simulator.ResourcePool {
	if entry.Pool != nil && w.pools[*entry.Pool] != nil {
		return w.pools[*entry.Pool]
	}
	for i := range w.scenario.Hosts {
		if host := &w.scenario.Hosts[i]; host.Name == entry.Host {
			if pool := w.pools["/"+host.Cluster]; pool != nil {
				return pool
			}
		}
	}
	return w.pools["/"+entry.Host]
}

func powerState(power string) types.VirtualMachinePowerState {
	if power == "off" {
		return types.VirtualMachinePowerStatePoweredOff
	}
	return types.VirtualMachinePowerStatePoweredOn
}

func (w *World) configureVM(vm *simulator.VirtualMachine, entry *VMEntry) {
	cpu := allocation(entry.CPULimitMHz, entry.CPUReservation, entry.CPUShares, int32(entry.VCPUs)*1000)
	memory := allocation(entry.MemLimitMB, entry.MemReservationMB, entry.MemShares, int32(entry.MemoryMB)*10)
	created := time.Unix(w.line.Epoch, 0).Add(-90 * 24 * time.Hour).UTC()
	path := fmt.Sprintf("[%s] %s", entry.Datastore, entry.Name)
	vm.Config = &types.VirtualMachineConfigInfo{
		Name: entry.Name, Uuid: stableUUID("bios/" + entry.UUID), InstanceUuid: entry.UUID, Version: "vmx-19", Modified: created,
		GuestId: "otherLinux64Guest", GuestFullName: "Other Linux (64-bit)", Template: entry.Template, CreateDate: &created,
		ChangeVersion: changeVersion(created),
		Files: types.VirtualMachineFileInfo{
			VmPathName: path + "/" + entry.Name + ".vmx", SnapshotDirectory: path, SuspendDirectory: path, LogDirectory: path,
		},
		Tools: &types.ToolsConfigInfo{}, BootOptions: &types.VirtualMachineBootOptions{},
		CpuAllocation: &cpu, MemoryAllocation: &memory,
		LatencySensitivity: &types.LatencySensitivity{
			Level: types.LatencySensitivitySensitivityLevel(orText(entry.Latency, "normal")),
		},
		CpuHotAddEnabled: types.NewBool(false), MemoryHotAddEnabled: types.NewBool(false), ChangeTrackingEnabled: types.NewBool(false),
	}
	vm.Config.Hardware.NumCPU = int32(entry.VCPUs)
	vm.Config.Hardware.NumCoresPerSocket = max(entry.CoresPerSocket, 1)
	vm.Config.Hardware.MemoryMB = int32(entry.MemoryMB)
	if len(entry.CPUAffinity) > 0 {
		vm.Config.CpuAffinity = &types.VirtualMachineAffinityInfo{AffinitySet: entry.CPUAffinity}
	}
	vm.ResourceConfig = &types.ResourceConfigSpec{CpuAllocation: cpu, MemoryAllocation: memory}
	vm.Layout = &types.VirtualMachineFileLayout{}
	vm.LayoutEx = &types.VirtualMachineFileLayoutEx{Timestamp: created}
	vm.Storage = &types.VirtualMachineStorageInfo{Timestamp: created}
	vm.GuestHeartbeatStatus = types.ManagedEntityStatusGreen
}

func (w *World) setTools(vm *simulator.VirtualMachine, tools string) {
	vm.Guest = &types.GuestInfo{
		ToolsRunningStatus: "guestToolsNotRunning", ToolsVersionStatus2: "guestToolsCurrent", ToolsVersion: "12352",
		ToolsStatus: types.VirtualMachineToolsStatusToolsNotRunning, GuestState: "notRunning",
		GuestFamily: "linuxGuest", GuestId: "otherLinux64Guest", GuestFullName: "Other Linux (64-bit)",
		HostName: strings.ToLower(strings.ReplaceAll(vm.Name, " ", "-")), GuestOperationsReady: types.NewBool(false),
	}
	switch tools {
	case "", "running":
		vm.Guest.ToolsRunningStatus, vm.Guest.ToolsStatus = "guestToolsRunning", types.VirtualMachineToolsStatusToolsOk
		vm.Guest.GuestState, vm.Guest.GuestOperationsReady = "running", types.NewBool(true)
	case "notInstalled":
		vm.Guest.ToolsVersionStatus2, vm.Guest.ToolsVersion = "guestToolsNotInstalled", "0"
		vm.Guest.ToolsStatus = types.VirtualMachineToolsStatusToolsNotInstalled
	}
}

func (w *World) addDevices(vm *simulator.VirtualMachine, entry *VMEntry) {
	buses := map[int32]bool{}
	var devices []types.BaseVirtualDevice
	for n := range entry.Disks {
		disk := &entry.Disks[n]
		var bus, unit int32
		if _, err := fmt.Sscanf(disk.Unit, "scsi%d:%d", &bus, &unit); err != nil {
			panic(fmt.Sprintf("VM %s: disk %q is not scsiN:N", entry.Name, disk.Unit))
		}
		if !buses[bus] {
			buses[bus] = true
			devices = append(devices, scsiController(bus, disk.Controller))
		}
		devices = append(devices, w.disk(vm, entry, disk, bus, unit))
	}
	for n := range entry.NICs {
		devices = append(devices, w.nic(vm, &entry.NICs[n]))
	}
	vm.Config.Hardware.Device = devices
}

func scsiController(bus int32, kind string) types.BaseVirtualDevice {
	controller := types.VirtualSCSIController{
		SharedBus: types.VirtualSCSISharingNoSharing, ScsiCtlrUnitNumber: 7,
		VirtualController: types.VirtualController{BusNumber: bus, VirtualDevice: types.VirtualDevice{
			Key: 1000 + bus, DeviceInfo: &types.Description{Label: fmt.Sprintf("SCSI controller %d", bus), Summary: "SCSI"},
		}},
	}
	return controllers[orText(kind, "pvscsi")](controller)
}

func (w *World) disk(vm *simulator.VirtualMachine, entry *VMEntry, disk *DiskEntry, bus, unit int32) types.BaseVirtualDevice {
	name := orText(disk.Datastore, entry.Datastore)
	store := w.stores[name]
	if store == nil {
		panic(fmt.Sprintf("VM %s: its disk is on datastore %q, which is not listed", entry.Name, name))
	}
	if simulator.FindReference(vm.Datastore, store.Self) == nil {
		vm.Datastore = append(vm.Datastore, store.Self)
	}
	limit := int64(-1)
	if disk.LimitIOPS != nil {
		limit = *disk.LimitIOPS
	}
	shares := &types.SharesInfo{Shares: 1000, Level: types.SharesLevelNormal}
	if disk.Shares != 0 && disk.Shares != 1000 {
		shares = &types.SharesInfo{Shares: disk.Shares, Level: types.SharesLevelCustom}
	}
	number := bus*15 + unit + 1
	file := fmt.Sprintf("[%s] %s/%s_%d_%d.vmdk", name, entry.Name, entry.Name, bus, unit)
	w.vmdks[file] = int64(disk.SizeMB) << 20
	return &types.VirtualDisk{
		VirtualDevice: types.VirtualDevice{
			Key: 2000 + 16*bus + unit, ControllerKey: 1000 + bus, UnitNumber: types.NewInt32(unit),
			DeviceInfo: &types.Description{Label: fmt.Sprintf("Hard disk %d", number), Summary: "disk"},
			Backing: &types.VirtualDiskFlatVer2BackingInfo{
				VirtualDeviceFileBackingInfo: types.VirtualDeviceFileBackingInfo{
					FileName:  file,
					Datastore: &store.Self,
				},
				DiskMode: "persistent", ThinProvisioned: types.NewBool(true),
				Uuid: stableUUID(fmt.Sprintf("%s/%d/%d", entry.UUID, bus, unit)),
			},
		},
		CapacityInKB: int64(disk.SizeMB) << 10, CapacityInBytes: int64(disk.SizeMB) << 20,
		StorageIOAllocation: &types.StorageIOAllocationInfo{Limit: &limit, Shares: shares},
	}
}

func (w *World) nic(vm *simulator.VirtualMachine, entry *PortEntry) types.BaseVirtualDevice {
	network := w.network(orText(entry.Network, "VM Network"))
	if simulator.FindReference(vm.Network, network) == nil {
		vm.Network = append(vm.Network, network)
	}
	card := types.VirtualEthernetCard{
		VirtualDevice: types.VirtualDevice{
			Key: entry.Key, ControllerKey: 100,
			DeviceInfo: &types.Description{Label: entry.Label, Summary: orText(entry.Network, "VM Network")},
			Backing: &types.VirtualEthernetCardNetworkBackingInfo{
				VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: orText(entry.Network, "VM Network")},
				Network:                        &network,
			},
		},
		AddressType: "assigned", MacAddress: fmt.Sprintf("00:50:56:%06x", hashText(vm.Name)&0xffffff), WakeOnLanEnabled: types.NewBool(true),
	}
	return adapters[orText(entry.Type, "vmxnet3")](card)
}

// withSnapshot is a VM's tree of snapshots with one more under the newest; the tree that it has is left as it is,
// because replies may still be written from it.
func (w *World) withSnapshot(vm *simulator.VirtualMachine, n int, made time.Time) *types.VirtualMachineSnapshotInfo {
	snapshot := &simulator.VirtualMachineSnapshot{}
	snapshot.Vm = vm.Self
	snapshot.Config = *vm.Config
	ref := w.reg.Put(snapshot).Reference()
	info := &types.VirtualMachineSnapshotInfo{CurrentSnapshot: &ref}
	if vm.Snapshot != nil {
		info.RootSnapshotList = copyTree(vm.Snapshot.RootSnapshotList)
	}
	list := &info.RootSnapshotList
	for len(*list) > 0 {
		list = &(*list)[len(*list)-1].ChildSnapshotList
	}
	*list = append(*list, types.VirtualMachineSnapshotTree{
		Snapshot: ref, Vm: vm.Self, Name: fmt.Sprintf("snapshot %d", n+1), Id: int32(n + 1), State: vm.Runtime.PowerState,
		CreateTime: made,
	})
	return info
}

func copyTree(list []types.VirtualMachineSnapshotTree) []types.VirtualMachineSnapshotTree {
	copied := append([]types.VirtualMachineSnapshotTree(nil), list...)
	for i := range copied {
		copied[i].ChildSnapshotList = copyTree(copied[i].ChildSnapshotList)
	}
	return copied
}

func (w *World) summary(vm *simulator.VirtualMachine) types.VirtualMachineSummary {
	return types.VirtualMachineSummary{
		Vm: &vm.Self, Runtime: vm.Runtime, OverallStatus: types.ManagedEntityStatusGreen,
		Guest: &types.VirtualMachineGuestSummary{
			ToolsStatus: vm.Guest.ToolsStatus, ToolsRunningStatus: vm.Guest.ToolsRunningStatus,
			ToolsVersionStatus2: vm.Guest.ToolsVersionStatus2, HostName: vm.Guest.HostName,
		},
		Config: types.VirtualMachineConfigSummary{
			Name: vm.Name, Template: vm.Config.Template, VmPathName: vm.Config.Files.VmPathName, Uuid: vm.Config.Uuid,
			MemorySizeMB: vm.Config.Hardware.MemoryMB, NumCpu: vm.Config.Hardware.NumCPU, InstanceUuid: vm.Config.InstanceUuid,
			GuestId: vm.Config.GuestId, GuestFullName: vm.Config.GuestFullName, HwVersion: vm.Config.Version,
			NumVirtualDisks: countDisks(vm.Config.Hardware.Device),
		},
		Storage:    &types.VirtualMachineStorageSummary{Timestamp: vm.Storage.Timestamp},
		QuickStats: types.VirtualMachineQuickStats{GuestHeartbeatStatus: types.ManagedEntityStatusGreen},
	}
}

// vmInstances are the instances that a VM's counters have.
func (w *World) vmInstances(vm *simulator.VirtualMachine, entry *VMEntry) instances {
	of := instances{"vcpu": numbered(entry.VCPUs)}
	for _, disk := range entry.Disks {
		of["vdisk"] = append(of["vdisk"], disk.Unit)
	}
	for _, nic := range entry.NICs {
		of["port"] = append(of["port"], fmt.Sprint(nic.Key))
	}
	for _, ref := range vm.Datastore {
		name := w.reg.Get(ref).(*simulator.Datastore).Name
		for i := range w.scenario.Datastores {
			if store := &w.scenario.Datastores[i]; store.Name == name {
				of["datastore"] = append(of["datastore"], store.UUID)
				if store.Device != nil {
					of["device"] = append(of["device"], *store.Device)
				}
			}
		}
	}
	return of
}
