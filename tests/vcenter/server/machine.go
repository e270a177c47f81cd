package main

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// machineWord is the first argument of the program that is the first process of a guest with a system of its own.
const machineWord = "-guest-machine"

// hotPlug is how long a guest's kernel takes to find a disk that its VM has got.
const hotPlug = 1500 * time.Millisecond

// enableUUID is the advanced setting by which a VM tells its guest the UUIDs of its disks. Its case does not matter.
const enableUUID = "disk.enableuuid"

// machine is the system of a guest that shares only the kernel, the programs and the network with this one: its processes,
// /dev, /sys/block and /var/tmp are its own. It ends with the server.
type machine interface {
	// pid is that of its first process, here.
	pid() int
	// place is where a file of it is, seen from here; inner is the way back.
	place(path string) string
	inner(place string) string
	// start runs a line by its shell; begun is called with the pid within the machine, later ended with the exit code.
	start(line, folder string, environment []string, begun func(pid int64), ended func(code int32)) (int64, error)
	terminate(pid int)
	processes() []guestProcess
	// plug gives it those of these disks that it has not. The first one of a new machine has its system.
	plug(disks []*types.VirtualDisk) error
	// unplug takes away all but these.
	unplug(disks []*types.VirtualDisk)
	off()
}

// virtualDisks are those among devices, by controller and unit.
func virtualDisks(devices []types.BaseVirtualDevice) []*types.VirtualDisk {
	var found []*types.VirtualDisk
	for _, device := range devices {
		if disk, isDisk := device.(*types.VirtualDisk); isDisk {
			if _, flat := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo); flat {
				found = append(found, disk)
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		if a.ControllerKey != b.ControllerKey {
			return a.ControllerKey < b.ControllerKey
		}
		return a.UnitNumber != nil && b.UnitNumber != nil && *a.UnitNumber < *b.UnitNumber
	})
	return found
}

// plainUUID is a disk's UUID as its guest's kernel writes it, without what stands before.
func plainUUID(disk *types.VirtualDisk) string {
	backing := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
	return strings.ToLower(strings.ReplaceAll(backing.Uuid, "-", ""))
}

// showsUUIDs says whether a VM that is powered on now would tell its guest the UUIDs of its disks.
func showsUUIDs(config *types.VirtualMachineConfigInfo) bool {
	shown := isTrue(config.Flags.DiskUuidEnabled)
	for _, one := range config.ExtraConfig {
		option := one.GetOptionValue()
		if strings.EqualFold(option.Key, enableUUID) {
			shown = isOn(fmt.Sprint(option.Value))
		}
	}
	return shown
}

// showUUIDs sets what administrators set for this: the advanced setting, which is the flag.
func (w *World) showUUIDs() {
	for _, one := range w.reg.All("VirtualMachine") {
		config := one.(*simulator.VirtualMachine).Config
		config.ExtraConfig = append(config.ExtraConfig, &types.OptionValue{Key: "disk.EnableUUID", Value: "TRUE"})
		config.Flags.DiskUuidEnabled = types.NewBool(true)
	}
}

func isOn(text string) bool { return text == "1" || strings.EqualFold(text, "true") }
