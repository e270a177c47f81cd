package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

func (w *World) addHost(entry *HostEntry) *simulator.HostSystem {
	var host *simulator.HostSystem
	switch cluster := w.clusters[entry.Cluster]; {
	case w.esxi:
		host = w.reg.Any("HostSystem").(*simulator.HostSystem)
		w.pools["/"+entry.Name] = w.reg.Get(*w.computeResource(host).ResourcePool).(*simulator.ResourcePool)
		w.computeResource(host).Name = entry.Name
	case cluster != nil:
		host = w.newHost(cluster)
		cluster.Host = append(cluster.Host, host.Self)
	default:
		host = w.standalone(entry.Name)
	}
	w.configureHost(host, entry)
	w.hosts[entry.Name] = host
	return host
}

func (w *World) newHost(parent mo.Entity) *simulator.HostSystem {
	template := esx.HostSystem
	template.Vm, template.Datastore = nil, nil
	for name, ref := range w.networks {
		if name == "VM Network" {
			template.Network = []types.ManagedObjectReference{ref}
		}
	}
	template.Config = lightConfig()
	host := simulator.NewHostSystem(w.ctx, template)
	w.reg.PutEntity(parent, w.reg.NewEntity(host))
	return host
}

// lightConfig leaves out what nobody reads here: the simulator copies it for each of thousands of hosts.
func lightConfig() *types.HostConfigInfo {
	config := *esx.HostSystem.Config
	config.StorageDevice, config.FileSystemVolume, config.Service = nil, nil, nil
	config.Firewall, config.VirtualNicManagerInfo = &types.HostFirewallInfo{}, &types.HostVirtualNicManagerInfo{}
	network := *config.Network
	network.Pnic, network.Vswitch = nil, nil
	config.Network = &network
	return &config
}

// standalone is a host outside any cluster: vCenter makes a compute resource and a root pool for it.
func (w *World) standalone(name string) *simulator.HostSystem {
	parent := &mo.ComputeResource{Summary: new(types.ComputeResourceSummary)}
	parent.Name = name
	parent.ConfigurationEx = &types.ComputeResourceConfigInfo{VmSwapPlacement: "vmDirectory"}
	w.putChild(w.dc.HostFolder, parent)
	pool := simulator.NewResourcePool(w.ctx)
	w.reg.PutEntity(parent, w.reg.NewEntity(pool))
	pool.Owner = parent.Self
	parent.ResourcePool = &pool.Self
	host := w.newHost(parent)
	parent.Host = []types.ManagedObjectReference{host.Self}
	parent.Network = host.Network
	environment := w.reg.Put(&simulator.EnvironmentBrowser{}).Reference()
	parent.EnvironmentBrowser = &environment
	w.pools["/"+name] = pool
	return host
}

func (w *World) configureHost(host *simulator.HostSystem, entry *HostEntry) {
	id := orText(entry.UUID, stableUUID("host/"+entry.Name))
	boot := time.Unix(w.line.Epoch, 0).Add(-40 * 24 * time.Hour).UTC()
	host.Name, host.Summary.Config.Name = entry.Name, entry.Name
	host.Runtime.ConnectionState, host.Runtime.PowerState = "connected", "poweredOn"
	host.Runtime.BootTime = &boot
	host.Summary.Runtime, host.Summary.Host = &host.Runtime, &host.Self
	host.Config.Host = host.Self
	memory := int64(entry.MemoryMB) << 20
	packages := int16(max(entry.NUMANodes, 1))
	hardware := host.Summary.Hardware
	hardware.Uuid, hardware.Vendor, hardware.Model = id, "ACME", "Rack 2U"
	hardware.CpuMhz, hardware.MemorySize, hardware.NumCpuPkgs = int32(entry.MHz), memory, packages
	hardware.NumCpuCores, hardware.NumCpuThreads = int16(entry.Cores), int16(entry.Threads)
	hardware.NumNics, hardware.NumHBAs = int32(len(entry.NICs)), int32(len(entry.Adapters))
	host.Hardware.SystemInfo.Uuid, host.Hardware.MemorySize = id, memory
	host.Hardware.CpuInfo = types.HostCpuInfo{
		NumCpuPackages: packages, NumCpuCores: int16(entry.Cores), NumCpuThreads: int16(entry.Threads),
		Hz: int64(entry.MHz * 1e6),
	}
	host.Hardware.NumaInfo = numaInfo(entry, memory)
	threaded := entry.Threads > entry.Cores
	host.Config.HyperThread = &types.HostHyperThreadScheduleInfo{Available: threaded, Active: threaded, Config: threaded}
	host.Config.PowerSystemInfo = &types.PowerSystemInfo{CurrentPolicy: powerPolicy(entry.PowerPolicy)}
	host.Config.Network.Pnic = uplinks(entry)
	host.Config.Network.Vswitch = switches(entry)
	host.Config.StorageDevice = storageDevice(entry)
	if parent := w.computeResource(host); parent != nil {
		addCapacity(parent.Summary.GetComputeResourceSummary(), entry, memory)
	}
}

func addCapacity(s *types.ComputeResourceSummary, entry *HostEntry, memory int64) {
	s.TotalCpu += int32(entry.MHz) * int32(entry.Cores)
	s.TotalMemory += memory
	s.NumCpuCores += int16(entry.Cores)
	s.NumCpuThreads += int16(entry.Threads)
	s.EffectiveCpu, s.EffectiveMemory = s.TotalCpu, s.TotalMemory>>20
	s.NumHosts++
	s.NumEffectiveHosts++
	s.OverallStatus = types.ManagedEntityStatusGreen
}

func numaInfo(entry *HostEntry, memory int64) *types.HostNumaInfo {
	nodes := max(entry.NUMANodes, 1)
	info := &types.HostNumaInfo{Type: "NUMA", NumNodes: int32(nodes)}
	for n := 0; n < nodes; n++ {
		node := types.HostNumaNode{TypeId: byte(n), MemorySize: memory / int64(nodes),
			MemoryRangeBegin: int64(n) * memory / int64(nodes), MemoryRangeLength: memory / int64(nodes)}
		for cpu := n * entry.Threads / nodes; cpu < (n+1)*entry.Threads/nodes; cpu++ {
			node.CpuID = append(node.CpuID, int16(cpu))
		}
		info.NumaNode = append(info.NumaNode, node)
	}
	return info
}

func powerPolicy(name string) types.HostPowerPolicy {
	known := map[string]int32{"static": 1, "dynamic": 2, "low": 3, "custom": 4}
	key, ok := known[name]
	if !ok {
		name, key = "dynamic", 2
	}
	return types.HostPowerPolicy{
		Key: key, ShortName: name, Name: "PowerPolicy." + name + ".name", Description: "PowerPolicy." + name + ".description",
	}
}

func nicKey(name string) string { return "key-vim.host.PhysicalNic-" + name }

func uplinks(entry *HostEntry) []types.PhysicalNic {
	var found []types.PhysicalNic
	for n, nic := range entry.NICs {
		found = append(found, types.PhysicalNic{
			Key: nicKey(nic.Name), Device: nic.Name, Pci: fmt.Sprintf("0000:%02x:00.0", n+1), Driver: orText(nic.Driver, "nmlx5_core"),
			LinkSpeed: &types.PhysicalNicLinkInfo{SpeedMb: nic.SpeedMbps, Duplex: true},
			Mac:       fmt.Sprintf("00:25:b5:%02x:00:%02x", hashText(entry.Name)%256, n),
			Spec:      types.PhysicalNicSpec{Ip: &types.HostIpConfig{Dhcp: false}},
		})
	}
	return found
}

func switches(entry *HostEntry) []types.HostVirtualSwitch {
	members := map[string][]string{}
	var order []string
	for _, nic := range entry.NICs {
		name := orText(nic.Switch, "vSwitch0")
		if members[name] == nil {
			order = append(order, name)
		}
		members[name] = append(members[name], nicKey(nic.Name))
	}
	var found []types.HostVirtualSwitch
	for _, name := range order {
		found = append(found, types.HostVirtualSwitch{
			Name: name, Key: "key-vim.host.VirtualSwitch-" + name, NumPorts: 7936, NumPortsAvailable: 7900, Mtu: 1500,
			Pnic: members[name],
		})
	}
	return found
}

func storageDevice(entry *HostEntry) *types.HostStorageDeviceInfo {
	info := &types.HostStorageDeviceInfo{MultipathInfo: &types.HostMultipathInfo{}, SoftwareInternetScsiEnabled: false}
	for n, name := range entry.Adapters {
		hba := types.HostHostBusAdapter{
			Key: "key-vim.host.FibreChannelHba-" + name, Device: name, Bus: int32(n + 3), Status: "online",
			Model: "16Gb Fibre Channel", Driver: "lpfc", Pci: fmt.Sprintf("0000:%02x:00.0", 0x40+n),
		}
		info.HostBusAdapter = append(info.HostBusAdapter, &types.HostFibreChannelHba{
			HostHostBusAdapter: hba, PortWorldWideName: portName(entry.Name, name), NodeWorldWideName: portName(entry.Name, "node"),
			PortType: "fabric", Speed: 16,
		})
	}
	for n, device := range entry.Devices {
		key := "key-vim.host.ScsiDisk-" + device.Name
		info.ScsiLun = append(info.ScsiLun, &types.HostScsiDisk{
			ScsiLun: types.ScsiLun{
				HostDevice: types.HostDevice{DeviceName: "/vmfs/devices/disks/" + device.Name, DeviceType: "disk"},
				Key:        key, Uuid: stableUUID(device.Name), CanonicalName: device.Name, DisplayName: "Disk (" + device.Name + ")",
				LunType: "disk", Vendor: orText(device.Vendor, "ACME"), Model: orText(device.Model, "FlashArray"), Revision: "8888",
				QueueDepth: device.QueueDepth, OperationalState: []string{"ok"}, VStorageSupport: "vStorageSupported",
			},
			Capacity:   types.HostDiskDimensionsLba{BlockSize: 512, Block: 4 << 31},
			DevicePath: "/vmfs/devices/disks/" + device.Name, LocalDisk: types.NewBool(device.Local), Ssd: types.NewBool(true),
		})
		unit := types.HostMultipathInfoLogicalUnit{
			Key: "key-vim.host.MultipathInfo.LogicalUnit-" + device.Name, Id: stableUUID(device.Name), Lun: key,
			Policy: &types.HostMultipathInfoLogicalUnitPolicy{Policy: "VMW_PSP_RR"},
		}
		for _, adapter := range pathAdapters(entry, device) {
			path := pathName(entry, adapter, device)
			unit.Path = append(unit.Path, types.HostMultipathInfoPath{
				Key: "key-vim.host.MultipathInfo.Path-" + path, Name: path, PathState: "active", State: "active",
				IsWorkingPath: types.NewBool(true), Adapter: "key-vim.host.FibreChannelHba-" + adapter, Lun: unit.Key,
			})
		}
		info.MultipathInfo.Lun = append(info.MultipathInfo.Lun, unit)
		_ = n
	}
	return info
}

// pathAdapters are the adapters that reach a device: the first one a local disk, the others what is shared.
func pathAdapters(entry *HostEntry, device DeviceEntry) []string {
	if device.Local || len(entry.Adapters) < 2 {
		return entry.Adapters[:min(1, len(entry.Adapters))]
	}
	return entry.Adapters[1:]
}

func portName(host, adapter string) int64 {
	return int64(0x2000_0000_0000_0000 | hashText(host+"/"+adapter)&0xffff_ffff)
}

// pathName is a path as vCenter names it, and its counters' instance.
func pathName(entry *HostEntry, adapter string, device DeviceEntry) string {
	if device.Local {
		return fmt.Sprintf("sas.%x-sas.%x-%s", portName(entry.Name, adapter), hashText(device.Name)&0xffffffffff, device.Name)
	}
	return fmt.Sprintf("fc.%x:%x-fc.%x:%x-%s", portName(entry.Name, "node"), portName(entry.Name, adapter),
		0x5006_0160_0000_0000|hashText("array")&0xffffff, 0x5006_0160_0000_0000|hashText(adapter)&0xffffff, device.Name)
}

// measureHost gives a host its series.
func (w *World) measureHost(entry *HostEntry) *Object {
	of := instances{"pcpu": numbered(entry.Threads), "adapter": entry.Adapters}
	for _, nic := range entry.NICs {
		of["nic"] = append(of["nic"], nic.Name)
	}
	for _, device := range entry.Devices {
		of["device"] = append(of["device"], device.Name)
		for _, adapter := range pathAdapters(entry, device) {
			of["path"] = append(of["path"], pathName(entry, adapter, device))
		}
	}
	for i := range w.scenario.Datastores {
		store := &w.scenario.Datastores[i]
		if containsText(store.Hosts, entry.Name) {
			of["datastore"] = append(of["datastore"], store.UUID)
		}
	}
	return w.put(w.hosts[entry.Name].Self, "host", entry.Name, w.shapes.shape("host", of, entry.Threads))
}

func containsText(all []string, one string) bool {
	for _, text := range all {
		if strings.EqualFold(text, one) {
			return true
		}
	}
	return false
}
