package main

import (
	"fmt"
	"sort"

	"github.com/vmware/govmomi/vim25/types"
)

// What hosts and VMs say of newer hardware and of fault tolerance, as the 8.0 U3 bindings document it.

// memoryTiers gives a host kinds of memory (DRAM, NVMe …) and says which of its devices is one of them.
func (c *Changes) memoryTiers(x *Change) error {
	host, _, err := c.host(x.Host)
	if err != nil {
		return err
	}
	tiers := []types.HostMemoryTierInfo{}
	for _, kind := range kindsOf(x.Tiers) {
		tiers = append(tiers, types.HostMemoryTierInfo{Name: "Tier of " + kind, Type: kind, Size: int64(x.Tiers[kind]) << 20})
	}
	values := map[string]any{
		"hardware.memoryTieringType": orText(x.Mode, string(types.HostMemoryTieringTypeNoTiering)),
		"hardware.memoryTierInfo":    tiers,
	}
	if x.Label != "" {
		disks := append([]types.BaseScsiLun(nil), host.Config.StorageDevice.ScsiLun...)
		found := false
		for i, one := range disks {
			if disk, ok := one.(*types.HostScsiDisk); ok && disk.CanonicalName == x.Label {
				tier := *disk
				tier.UsedByMemoryTiering = types.NewBool(true)
				disks[i], found = &tier, true
			}
		}
		if !found {
			return fmt.Errorf("%s has no disk %q", x.Host, x.Label)
		}
		values["config.storageDevice.scsiLun"] = disks
	}
	c.set(c.world.context(), host, values)
	return nil
}

// kindsOf is in the order in which vCenter lists tiers: DRAM first.
func kindsOf(tiers map[string]float64) []string {
	var kinds []string
	for kind := range tiers {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	return kinds
}

// dpu puts an uplink of a host on a DPU.
func (c *Changes) dpu(x *Change) error {
	host, _, err := c.host(x.Host)
	if err != nil {
		return err
	}
	ctx := c.world.context()
	ctx.WithLock(host, func() {
		if host.Runtime.HealthSystemRuntime == nil {
			host.Runtime.HealthSystemRuntime = &types.HealthSystemRuntime{}
		}
		if host.Runtime.HealthSystemRuntime.HardwareStatusInfo == nil {
			host.Runtime.HealthSystemRuntime.HardwareStatusInfo = &types.HostHardwareStatusInfo{}
		}
	})
	uplinks := append([]types.PhysicalNic(nil), host.Config.Network.Pnic...)
	for i := range uplinks {
		if uplinks[i].Device == x.Name {
			uplinks[i].DpuId = x.Value
		}
	}
	status := types.HostHardwareElementInfo{
		Name: x.Value, Status: &types.ElementDescription{Key: "Green", Description: types.Description{Label: "Green"}},
	}
	c.set(ctx, host, map[string]any{
		"config.network.pnic": uplinks,
		"runtime.healthSystemRuntime.hardwareStatusInfo.dpuStatusInfo": []types.DpuStatusInfo{
			{HostHardwareElementInfo: status, DpuId: x.Value},
		},
	})
	return nil
}

// faultTolerance sets what a VM says of its secondary.
func (c *Changes) faultTolerance(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	c.set(c.world.context(), vm, map[string]any{
		"runtime.faultToleranceState":           types.VirtualMachineFaultToleranceState(orText(x.Mode, "running")),
		"summary.quickStats.ftLatencyStatus":    types.ManagedEntityStatus(orText(x.Value, "gray")),
		"summary.quickStats.ftSecondaryLatency": x.Millis,
		"summary.quickStats.ftLogBandwidth":     x.Kbps,
	})
	return nil
}

// tierReads sets how much a VM reads from each kind of memory, in MB/s.
func (c *Changes) tierReads(x *Change) error {
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	reads := []types.VirtualMachineQuickStatsMemoryTierStats{}
	for _, kind := range kindsOf(x.Tiers) {
		reads = append(reads, types.VirtualMachineQuickStatsMemoryTierStats{
			MemoryTierType: kind, ReadBandwidth: int64(x.Tiers[kind]),
		})
	}
	c.set(c.world.context(), vm, map[string]any{"summary.quickStats.memoryTierStats": reads})
	return nil
}
