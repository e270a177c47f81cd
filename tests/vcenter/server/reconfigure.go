package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// reconfigureDesk answers ReconfigVM_Task.
type reconfigureDesk struct{ desk }

// ReconfigVMTask changes what the specification sets, all of it or nothing.
func (d *reconfigureDesk) ReconfigVMTask(ctx *simulator.Context, req *types.ReconfigVM_Task) soap.HasFault {
	body := &methods.ReconfigVM_TaskBody{}
	vm := d.world().virtualMachine(req.This)
	if vm == nil {
		body.Fault_ = gone(req.This)
		return body
	}
	for _, privilege := range reconfigurePrivileges(&req.Spec) {
		if fault := d.acts.refuse(ctx, vm.Self, privilege); fault != nil {
			body.Fault_ = simulator.Fault(noPermissionText, fault)
			return body
		}
	}
	task := d.acts.begin(ctx, job{
		entity: vm, method: "ReconfigVM_Task", description: "VirtualMachine.reconfigure",
		do: func(c *Changes) (types.AnyType, types.BaseMethodFault) { return nil, c.reconfigureVM(vm, &req.Spec) },
	})
	body.Res = &types.ReconfigVM_TaskResponse{Returnval: task}
	return body
}

// reconfigurePrivileges are those that the documentation of ReconfigVM_Task names for what is changed.
func reconfigurePrivileges(spec *types.VirtualMachineConfigSpec) []string {
	var needed []string
	need := func(wanted bool, name string) {
		if wanted {
			needed = append(needed, "VirtualMachine.Config."+name)
		}
	}
	need(spec.CpuAllocation != nil || spec.MemoryAllocation != nil || spec.CpuAffinity != nil, "Resource")
	need(spec.NumCPUs != 0, "CPUCount")
	need(spec.MemoryMB != 0, "Memory")
	need(spec.Name != "", "Rename")
	need(spec.Annotation != "", "Annotation")
	need(len(spec.ExtraConfig) > 0 || spec.LatencySensitivity != nil, "AdvancedConfig")
	need(spec.Flags != nil, "Settings")
	for _, change := range spec.DeviceChange {
		one := change.GetVirtualDeviceConfigSpec()
		disk, isDisk := one.Device.(*types.VirtualDisk)
		switch {
		case !isDisk:
			need(true, map[bool]string{true: "EditDevice", false: "AddRemoveDevice"}[one.Operation == "edit"])
		case one.Operation == "add":
			need(one.FileOperation != "", "AddNewDisk")
			need(one.FileOperation == "", "AddExistingDisk")
		case one.Operation == "remove":
			need(true, "RemoveDisk")
		default:
			need(disk.StorageIOAllocation != nil, "Resource")
			need(disk.StorageIOAllocation == nil, "EditDevice")
		}
	}
	return needed
}

// reconfigureVM is what the task does. Nothing is changed when a part of it is refused.
func (c *Changes) reconfigureVM(vm *simulator.VirtualMachine, spec *types.VirtualMachineConfigSpec) types.BaseMethodFault {
	if spec.ChangeVersion != "" && spec.ChangeVersion != vm.Config.ChangeVersion {
		return &types.ConcurrentAccess{}
	}
	if fault := unsupportedSpec(spec); fault != nil {
		return fault
	}
	values, fault := hardwareValues(vm, spec)
	if fault != nil {
		return fault
	}
	devices, commit, fault := c.changedDevices(vm, spec.DeviceChange)
	if fault != nil {
		return fault
	}
	if len(spec.DeviceChange) > 0 {
		values["config.hardware.device"] = devices
		values["summary.config.numVirtualDisks"] = countDisks(devices)
	}
	if len(spec.ExtraConfig) > 0 {
		merged := mergedOptions(vm.Config.ExtraConfig, spec.ExtraConfig)
		values["config.extraConfig"] = merged
		for _, one := range merged {
			if option := one.GetOptionValue(); strings.EqualFold(option.Key, enableUUID) {
				values["config.flags.diskUuidEnabled"] = isOn(fmt.Sprint(option.Value))
			}
		}
	}
	if spec.Flags != nil {
		values["config.flags.diskUuidEnabled"] = isTrue(spec.Flags.DiskUuidEnabled)
	}
	now := c.world.clock.Now().UTC()
	values["config.changeVersion"], values["config.modified"] = changeVersion(now), now
	ctx := c.world.context()
	c.set(ctx, vm, values)
	commit(ctx)
	c.guests.devices(vm)
	c.post(Happening{Type: "VmReconfiguredEvent", VM: vm, Host: c.hostOf(vm), Spec: spec,
		Text: "Reconfigured " + vm.Name + " on " + c.hostOf(vm).Name + " in " + c.world.dc.Name})
	return nil
}

// unsupportedSpec refuses what this server does not do, rather than to do as if.
func unsupportedSpec(spec *types.VirtualMachineConfigSpec) types.BaseMethodFault {
	rest := *spec
	rest.ChangeVersion, rest.Name, rest.Annotation, rest.NumCPUs, rest.MemoryMB = "", "", "", 0, 0
	rest.CpuAllocation, rest.MemoryAllocation, rest.CpuAffinity, rest.LatencySensitivity = nil, nil, nil, nil
	rest.DeviceChange, rest.ExtraConfig = nil, nil
	if rest.Flags != nil && reflect.DeepEqual(*rest.Flags, types.VirtualMachineFlagInfo{DiskUuidEnabled: rest.Flags.DiskUuidEnabled}) {
		rest.Flags = nil
	}
	if !reflect.DeepEqual(rest, types.VirtualMachineConfigSpec{}) {
		return &types.NotSupported{}
	}
	return nil
}

func hardwareValues(vm *simulator.VirtualMachine, spec *types.VirtualMachineConfigSpec) (map[string]any, types.BaseMethodFault) {
	values := map[string]any{}
	on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
	if spec.NumCPUs != 0 && spec.NumCPUs != vm.Config.Hardware.NumCPU {
		if on && !isTrue(vm.Config.CpuHotAddEnabled) {
			return nil, &types.CpuHotPlugNotSupported{}
		}
		values["config.hardware.numCPU"], values["summary.config.numCpu"] = spec.NumCPUs, spec.NumCPUs
	}
	if spec.MemoryMB != 0 && int32(spec.MemoryMB) != vm.Config.Hardware.MemoryMB {
		if on && !isTrue(vm.Config.MemoryHotAddEnabled) {
			return nil, &types.MemoryHotPlugNotSupported{}
		}
		values["config.hardware.memoryMB"], values["summary.config.memorySizeMB"] = int32(spec.MemoryMB), int32(spec.MemoryMB)
	}
	resources := *vm.ResourceConfig
	if spec.CpuAllocation != nil {
		resources.CpuAllocation = mergedAllocation(*vm.Config.CpuAllocation, spec.CpuAllocation, vm.Config.Hardware.NumCPU*1000)
		values["config.cpuAllocation"] = resources.CpuAllocation
	}
	if spec.MemoryAllocation != nil {
		resources.MemoryAllocation = mergedAllocation(*vm.Config.MemoryAllocation, spec.MemoryAllocation, vm.Config.Hardware.MemoryMB*10)
		values["config.memoryAllocation"] = resources.MemoryAllocation
	}
	values["resourceConfig"] = resources
	if spec.CpuAffinity != nil {
		values["config.cpuAffinity"] = *spec.CpuAffinity
	}
	if spec.LatencySensitivity != nil {
		values["config.latencySensitivity"] = *spec.LatencySensitivity
	}
	if spec.Annotation != "" {
		values["config.annotation"], values["summary.config.annotation"] = spec.Annotation, spec.Annotation
	}
	if spec.Name != "" {
		values["name"], values["config.name"], values["summary.config.name"] = spec.Name, spec.Name, spec.Name
	}
	return values, nil
}

func isTrue(value *bool) bool { return value != nil && *value }

// mergedAllocation is an allocation with what the specification sets.
func mergedAllocation(now types.ResourceAllocationInfo, spec *types.ResourceAllocationInfo, normal int32) types.ResourceAllocationInfo {
	if spec.Limit != nil {
		now.Limit = spec.Limit
	}
	if spec.Reservation != nil {
		now.Reservation = spec.Reservation
	}
	if spec.ExpandableReservation != nil {
		now.ExpandableReservation = spec.ExpandableReservation
	}
	if spec.Shares != nil {
		now.Shares = levelled(spec.Shares, normal)
	}
	return now
}

// levelled gives shares of a level their number: a low level is half of the normal one, a high level twice.
func levelled(shares *types.SharesInfo, normal int32) *types.SharesInfo {
	switch shares.Level {
	case types.SharesLevelLow:
		return &types.SharesInfo{Level: shares.Level, Shares: normal / 2}
	case types.SharesLevelNormal:
		return &types.SharesInfo{Level: shares.Level, Shares: normal}
	case types.SharesLevelHigh:
		return &types.SharesInfo{Level: shares.Level, Shares: normal * 2}
	}
	return &types.SharesInfo{Level: types.SharesLevelCustom, Shares: shares.Shares}
}

// mergedOptions are advanced settings with the given ones; an empty value removes one.
func mergedOptions(now, spec []types.BaseOptionValue) []types.BaseOptionValue {
	merged := []types.BaseOptionValue{}
	replaced := map[string]bool{}
	for _, one := range spec {
		replaced[one.GetOptionValue().Key] = true
	}
	for _, one := range now {
		if !replaced[one.GetOptionValue().Key] {
			merged = append(merged, one)
		}
	}
	for _, one := range spec {
		if text, isText := one.GetOptionValue().Value.(string); !isText || text != "" {
			merged = append(merged, one)
		}
	}
	return merged
}

func countDisks(devices []types.BaseVirtualDevice) int32 {
	n := int32(0)
	for _, device := range devices {
		if _, isDisk := device.(*types.VirtualDisk); isDisk {
			n++
		}
	}
	return n
}

func changeVersion(at interface{ UnixNano() int64 }) string {
	return strconv.FormatInt(at.UnixNano(), 10)
}
