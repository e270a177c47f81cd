package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// The documented range of a disk's shares, the usual number, and the unit that a SCSI controller has itself.
const (
	leastShares, mostShares, normalShares = 200, 4000, 1000
	unitsOfController                     = 64
	ownUnit                               = 7
	minKB                                 = 1 << 10
)

// diskPlan are a VM's devices as a specification wants them, and what then changes on datastores.
type diskPlan struct {
	changes *Changes
	vm      *simulator.VirtualMachine
	devices []types.BaseVirtualDevice
	freed   map[*simulator.Datastore]int64
	made    map[string]int64 // files and their bytes; negative: removed
	keys    map[int32]int32  // of new controllers, by the key that the client gave
}

// changedDevices plans the device changes in their order; commit does to datastores what belongs to them.
func (c *Changes) changedDevices(
	vm *simulator.VirtualMachine, list []types.BaseVirtualDeviceConfigSpec,
) (devices []types.BaseVirtualDevice, commit func(*simulator.Context), fault types.BaseMethodFault) {
	plan := &diskPlan{changes: c, vm: vm, freed: map[*simulator.Datastore]int64{}, made: map[string]int64{}, keys: map[int32]int32{}}
	plan.devices = append(plan.devices, vm.Config.Hardware.Device...)
	for n, change := range list {
		spec := change.GetVirtualDeviceConfigSpec()
		switch spec.Operation {
		case types.VirtualDeviceConfigSpecOperationAdd:
			fault = plan.add(int32(n), spec)
		case types.VirtualDeviceConfigSpecOperationRemove:
			fault = plan.remove(int32(n), spec)
		case types.VirtualDeviceConfigSpecOperationEdit:
			fault = plan.edit(int32(n), spec)
		default:
			fault = wrongDevice(int32(n), "operation")
		}
		if fault != nil {
			return nil, nil, fault
		}
	}
	return plan.devices, plan.commit, nil
}

func wrongDevice(n int32, property string) types.BaseMethodFault {
	return &types.InvalidDeviceSpec{
		InvalidVmConfig: types.InvalidVmConfig{Property: "virtualDeviceSpec." + property}, DeviceIndex: n,
	}
}

func (p *diskPlan) find(key int32) int {
	for n, device := range p.devices {
		if device.GetVirtualDevice().Key == key {
			return n
		}
	}
	return -1
}

func (p *diskPlan) add(n int32, spec *types.VirtualDeviceConfigSpec) types.BaseMethodFault {
	switch device := spec.Device.(type) {
	case *types.VirtualDisk:
		return p.addDisk(n, spec, device)
	case types.BaseVirtualSCSIController:
		controller := device.GetVirtualSCSIController()
		for _, other := range p.devices {
			if known, same := other.(types.BaseVirtualSCSIController); same && known.GetVirtualSCSIController().BusNumber == controller.BusNumber {
				return wrongDevice(n, "device.busNumber")
			}
		}
		given := controller.Key
		controller.Key, controller.ScsiCtlrUnitNumber = 1000+controller.BusNumber, ownUnit
		controller.DeviceInfo = &types.Description{Label: fmt.Sprintf("SCSI controller %d", controller.BusNumber), Summary: "SCSI"}
		p.keys[given] = controller.Key
		p.devices = append(p.devices, spec.Device)
		return nil
	}
	return &types.NotSupported{}
}

func (p *diskPlan) addDisk(n int32, spec *types.VirtualDeviceConfigSpec, disk *types.VirtualDisk) types.BaseMethodFault {
	if key, known := p.keys[disk.ControllerKey]; known {
		disk.ControllerKey = key
	}
	if fault := p.place(n, disk); fault != nil {
		return fault
	}
	if disk.CapacityInBytes == 0 {
		disk.CapacityInBytes = disk.CapacityInKB << 10
	}
	disk.CapacityInKB = disk.CapacityInBytes >> 10
	backing, flat := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
	if !flat {
		return wrongDevice(n, "device.backing")
	}
	allocation, fault := mergedIOAllocation(n, nil, disk.StorageIOAllocation)
	if fault != nil {
		return fault
	}
	disk.StorageIOAllocation = allocation
	if fault := p.file(n, spec.FileOperation, disk, backing); fault != nil {
		return fault
	}
	bus := disk.ControllerKey - 1000
	disk.Key = 2000 + 16*bus + *disk.UnitNumber
	for p.find(disk.Key) >= 0 {
		disk.Key++
	}
	number := int32(1)
	for p.labelled(fmt.Sprintf("Hard disk %d", number)) {
		number++
	}
	disk.DeviceInfo = &types.Description{Label: fmt.Sprintf("Hard disk %d", number), Summary: fmt.Sprintf("%d KB", disk.CapacityInKB)}
	p.devices = append(p.devices, disk)
	return nil
}

func (p *diskPlan) labelled(label string) bool {
	for _, device := range p.devices {
		if info := device.GetVirtualDevice().DeviceInfo; info != nil && info.GetDescription().Label == label {
			return true
		}
	}
	return false
}

// place checks where a disk is plugged in: a controller that is there, a unit that is free and not its own.
func (p *diskPlan) place(n int32, disk *types.VirtualDisk) types.BaseMethodFault {
	at := p.find(disk.ControllerKey)
	if at < 0 {
		return wrongDevice(n, "device.controllerKey")
	}
	if _, scsi := p.devices[at].(types.BaseVirtualSCSIController); !scsi {
		return wrongDevice(n, "device.controllerKey")
	}
	if disk.UnitNumber == nil || *disk.UnitNumber < 0 || *disk.UnitNumber >= unitsOfController || *disk.UnitNumber == ownUnit {
		return wrongDevice(n, "device.unitNumber")
	}
	for _, other := range p.devices {
		device := other.GetVirtualDevice()
		if device.ControllerKey == disk.ControllerKey && device.UnitNumber != nil && *device.UnitNumber == *disk.UnitNumber {
			return wrongDevice(n, "device.unitNumber")
		}
	}
	return nil
}

// file finds or makes the disk's file, with its UUID.
func (p *diskPlan) file(
	n int32, operation types.VirtualDeviceConfigSpecFileOperation, disk *types.VirtualDisk, backing *types.VirtualDiskFlatVer2BackingInfo,
) types.BaseMethodFault {
	storeName, file := splitPath(orText(backing.FileName, p.vm.Config.Files.VmPathName))
	if backing.Datastore != nil {
		if chosen := p.changes.world.datastore(*backing.Datastore); chosen != nil && backing.FileName == "" {
			storeName = chosen.Name
		}
	}
	store := p.changes.world.stores[storeName]
	if store == nil {
		return &types.InvalidDatastorePath{InvalidDatastore: types.InvalidDatastore{Name: storeName}, DatastorePath: backing.FileName}
	}
	if !strings.HasSuffix(file, ".vmdk") {
		file = p.freeName(storeName)
	}
	backing.FileName, backing.Datastore = fmt.Sprintf("[%s] %s", storeName, file), &store.Self
	size, exists := p.size(backing.FileName)
	switch {
	case operation == "" && !exists:
		return &types.FileNotFound{FileFault: types.FileFault{File: backing.FileName}}
	case operation == "":
		disk.CapacityInBytes, disk.CapacityInKB = size, size>>10
	case exists && operation != types.VirtualDeviceConfigSpecFileOperationReplace:
		return &types.FileAlreadyExists{FileFault: types.FileFault{File: backing.FileName}}
	case disk.CapacityInKB < minKB:
		return wrongDevice(n, "device.capacityInKB")
	default:
		if !isTrue(backing.ThinProvisioned) {
			if p.freed[store]-disk.CapacityInBytes+store.Summary.FreeSpace < 0 {
				return &types.NoDiskSpace{FileFault: types.FileFault{File: backing.FileName}, Datastore: storeName}
			}
			p.freed[store] -= disk.CapacityInBytes
		}
		p.made[backing.FileName] = disk.CapacityInBytes
	}
	for _, unset := range []**bool{&backing.ThinProvisioned, &backing.EagerlyScrub, &backing.WriteThrough, &backing.Split} {
		if *unset == nil {
			*unset = types.NewBool(false)
		}
	}
	backing.DiskMode = orText(backing.DiskMode, string(types.VirtualDiskModePersistent))
	backing.Uuid = "6000C29" + stableUUID("vmdk/" + backing.FileName)[7:]
	return nil
}

// size is a file's, if it is there.
func (p *diskPlan) size(file string) (int64, bool) {
	if size, planned := p.made[file]; planned {
		return size, size >= 0
	}
	size, known := p.changes.world.vmdks[file]
	return size, known
}

// freeName is the name that vCenter gives: VM.vmdk, VM_1.vmdk, … in the VM's folder.
func (p *diskPlan) freeName(store string) string {
	name := p.vm.Config.Name
	_, home := splitPath(p.vm.Config.Files.VmPathName)
	for n := 0; ; n++ {
		file := path.Join(path.Dir(home), name+".vmdk")
		if n > 0 {
			file = path.Join(path.Dir(home), fmt.Sprintf("%s_%d.vmdk", name, n))
		}
		if _, taken := p.size(fmt.Sprintf("[%s] %s", store, file)); !taken {
			return file
		}
	}
}

// splitPath takes "[store] folder/file" apart.
func splitPath(text string) (store, file string) {
	store, file, _ = strings.Cut(strings.TrimPrefix(text, "["), "]")
	return store, strings.TrimSpace(file)
}

func (p *diskPlan) remove(n int32, spec *types.VirtualDeviceConfigSpec) types.BaseMethodFault {
	at := p.find(spec.Device.GetVirtualDevice().Key)
	if at < 0 {
		return wrongDevice(n, "device.key")
	}
	disk, isDisk := p.devices[at].(*types.VirtualDisk)
	p.devices = append(p.devices[:at:at], p.devices[at+1:]...)
	if !isDisk || spec.FileOperation != types.VirtualDeviceConfigSpecFileOperationDestroy {
		return nil
	}
	if backing, flat := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo); flat {
		p.made[backing.FileName] = -1
		if store := p.changes.world.datastore(*backing.Datastore); store != nil && !isTrue(backing.ThinProvisioned) {
			p.freed[store] += disk.CapacityInBytes
		}
	}
	return nil
}

func (p *diskPlan) edit(n int32, spec *types.VirtualDeviceConfigSpec) types.BaseMethodFault {
	at := p.find(spec.Device.GetVirtualDevice().Key)
	if at < 0 {
		return wrongDevice(n, "device.key")
	}
	now, isDisk := p.devices[at].(*types.VirtualDisk)
	wanted, same := spec.Device.(*types.VirtualDisk)
	if !isDisk || !same {
		return &types.NotSupported{}
	}
	edited := *now
	bytes := max(wanted.CapacityInBytes, wanted.CapacityInKB<<10)
	if bytes != 0 && bytes < now.CapacityInBytes {
		return &types.InvalidDeviceOperation{InvalidDeviceSpec: types.InvalidDeviceSpec{
			InvalidVmConfig: types.InvalidVmConfig{Property: "virtualDeviceSpec.device.capacityInKB"}, DeviceIndex: n}}
	}
	if bytes != 0 {
		edited.CapacityInBytes, edited.CapacityInKB = bytes, bytes>>10
	}
	var fault types.BaseMethodFault
	if edited.StorageIOAllocation, fault = mergedIOAllocation(n, now.StorageIOAllocation, wanted.StorageIOAllocation); fault != nil {
		return fault
	}
	p.devices = append([]types.BaseVirtualDevice(nil), p.devices...)
	p.devices[at] = &edited
	return nil
}

// mergedIOAllocation is a disk's limit and shares with what is set anew; unset is unchanged, at first unlimited and
// normal.
func mergedIOAllocation(n int32, now, spec *types.StorageIOAllocationInfo) (*types.StorageIOAllocationInfo, types.BaseMethodFault) {
	merged := types.StorageIOAllocationInfo{Limit: types.NewInt64(-1), Reservation: types.NewInt32(0),
		Shares: &types.SharesInfo{Level: types.SharesLevelNormal, Shares: normalShares}}
	if now != nil {
		merged = *now
	}
	if spec == nil {
		return &merged, nil
	}
	if spec.Limit != nil {
		if *spec.Limit < -1 || *spec.Limit == 0 {
			return nil, wrongDevice(n, "device.storageIOAllocation.limit")
		}
		merged.Limit = spec.Limit
	}
	if spec.Reservation != nil {
		merged.Reservation = spec.Reservation
	}
	if spec.Shares != nil {
		merged.Shares = levelled(spec.Shares, normalShares)
		if merged.Shares.Shares < leastShares || merged.Shares.Shares > mostShares {
			return nil, wrongDevice(n, "device.storageIOAllocation.shares")
		}
	}
	return &merged, nil
}

func (p *diskPlan) commit(ctx *simulator.Context) {
	for file, size := range p.made {
		if size < 0 {
			delete(p.changes.world.vmdks, file)
		} else {
			p.changes.world.vmdks[file] = size
		}
	}
	for store, bytes := range p.freed {
		free := store.Summary.FreeSpace + bytes
		p.changes.set(ctx, store, map[string]any{"summary.freeSpace": free})
		ctx.WithLock(store, func() { store.Info.GetDatastoreInfo().FreeSpace = free })
	}
	p.link(ctx)
}

// link keeps a VM's list of datastores, and theirs of VMs: those where it has a disk or its own file.
func (p *diskPlan) link(ctx *simulator.Context) {
	vm := p.vm
	home, _ := splitPath(vm.Config.Files.VmPathName)
	used := map[types.ManagedObjectReference]bool{}
	if store := p.changes.world.stores[home]; store != nil {
		used[store.Self] = true
	}
	for _, device := range p.devices {
		if disk, isDisk := device.(*types.VirtualDisk); isDisk {
			used[*disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo).Datastore] = true
		}
	}
	for ref := range used {
		if simulator.FindReference(vm.Datastore, ref) == nil {
			p.changes.set(ctx, vm, map[string]any{"datastore": with(vm.Datastore, ref)})
			store := p.changes.world.datastore(ref)
			p.changes.set(ctx, mo.Reference(store), map[string]any{"vm": with(store.Vm, vm.Self)})
		}
	}
	for _, ref := range append([]types.ManagedObjectReference(nil), vm.Datastore...) {
		if !used[ref] {
			p.changes.set(ctx, vm, map[string]any{"datastore": without(vm.Datastore, ref)})
			store := p.changes.world.datastore(ref)
			p.changes.set(ctx, mo.Reference(store), map[string]any{"vm": without(store.Vm, vm.Self)})
		}
	}
}

// changeDisk is somebody else's change of a disk's shares or limit.
func (c *Changes) changeDisk(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	for _, device := range vm.Config.Hardware.Device {
		disk, isDisk := device.(*types.VirtualDisk)
		if !isDisk || (x.Label != "" && disk.DeviceInfo.GetDescription().Label != x.Label) {
			continue
		}
		edited := *disk
		edited.StorageIOAllocation = &types.StorageIOAllocationInfo{Limit: x.Limit}
		if x.Shares != 0 {
			edited.StorageIOAllocation.Shares = &types.SharesInfo{Level: types.SharesLevelCustom, Shares: x.Shares}
		}
		c.user = x.User
		defer func() { c.user = "" }()
		fault := c.reconfigureVM(vm, &types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
			&types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationEdit, Device: &edited}}})
		if fault != nil {
			return fmt.Errorf("disk_changed: %s", faultText(fault))
		}
		return nil
	}
	return fmt.Errorf("VM %q has no disk %q", x.VM, x.Label)
}
