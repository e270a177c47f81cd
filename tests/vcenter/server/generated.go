package main

import "fmt"

const (
	hostsPerDatastoreGroup = 8
	storesPerGroup         = 4
)

// generatedScenario is an inventory of the given size, without series: its values are computed (see values.go).
func generatedScenario(clusters, hosts, vms int) *Scenario {
	s := &Scenario{Format: 1, Name: "generated", Interval: 20}
	for c := 0; c < clusters; c++ {
		name := fmt.Sprintf("cluster-%02d", c+1)
		s.Clusters = append(s.Clusters, ClusterEntry{Name: name, DRS: true})
		s.Pools = append(s.Pools, PoolEntry{Name: name + "-production", Cluster: name, CPUShares: 8000, MemShares: 327680})
	}
	for h := 0; h < hosts; h++ {
		s.addHost(h, clusters)
	}
	for n := 0; n < vms; n++ {
		s.addVM(n, hosts)
	}
	return s
}

func (s *Scenario) addHost(h, clusters int) {
	host := HostEntry{
		Name: fmt.Sprintf("esx%04d.lab", h+1), Cores: 16, Threads: 32, MHz: 2600, MemoryMB: 262144, NUMANodes: 2,
		PowerPolicy: "dynamic", Adapters: []string{"vmhba0", "vmhba1", "vmhba2"},
		NICs: []UplinkEntry{{Name: "vmnic0", SpeedMbps: 10000}, {Name: "vmnic1", SpeedMbps: 10000}},
	}
	if clusters > 0 {
		host.Cluster = s.Clusters[h%clusters].Name
	}
	group := h / hostsPerDatastoreGroup
	for n := 0; n < storesPerGroup; n++ {
		device := fmt.Sprintf("naa.6000c29%09x%016x", group, n+1)
		host.Devices = append(host.Devices, DeviceEntry{Name: device, QueueDepth: 64, Vendor: "ACME", Model: "FlashArray"})
		if h%hostsPerDatastoreGroup == 0 {
			s.addDatastore(group, n, device)
		}
		store := &s.Datastores[group*storesPerGroup+n]
		store.Hosts = append(store.Hosts, host.Name)
	}
	host.Devices = append(host.Devices, DeviceEntry{Name: "mpx.vmhba0:C0:T0:L0", QueueDepth: 31, Local: true})
	s.Hosts = append(s.Hosts, host)
}

func (s *Scenario) addDatastore(group, n int, device string) {
	uuid := fmt.Sprintf("5f%06x-%08x-%04x-0025b5%06x", group+1, n+1, n+1, group+1)
	store := DatastoreEntry{
		Name: fmt.Sprintf("datastore-%03d-%d", group+1, n+1), Type: "VMFS", UUID: uuid, Device: &device,
		URL: "ds:///vmfs/volumes/" + uuid + "/", CapacityMB: 4194304, FreeMB: 1048576, SIOC: n == 0,
	}
	if n == storesPerGroup-1 {
		store.Type, store.Device = "NFS", nil
		store.UUID = fmt.Sprintf("%08x-%08x", group+0x51, n+0x100)
		store.URL = "ds:///vmfs/volumes/" + store.UUID + "/"
	}
	s.Datastores = append(s.Datastores, store)
}

func (s *Scenario) addVM(n, hosts int) {
	host := n % hosts
	group := host / hostsPerDatastoreGroup
	store := s.Datastores[group*storesPerGroup+n%storesPerGroup].Name
	vm := VMEntry{
		Name: fmt.Sprintf("vm-%05d", n+1), UUID: fmt.Sprintf("502a0000-0000-4000-8000-%012x", n+1),
		Host: s.Hosts[host].Name, VCPUs: 1 << (n % 3), MemoryMB: float64(4096 * (1 + n%4)), Power: "on", Datastore: store,
		CPUShares: 1000 << (n % 3), Tools: "running",
		Disks: []DiskEntry{{Unit: "scsi0:0", SizeMB: 40960}},
		NICs:  []PortEntry{{Key: 4000, Label: "Network adapter 1", Network: "VM Network"}},
	}
	if n%4 == 3 {
		vm.Disks = append(vm.Disks, DiskEntry{Unit: "scsi0:1", SizeMB: 204800})
	}
	if cluster := s.Hosts[host].Cluster; cluster != "" && n%2 == 1 {
		pool := cluster + "-production"
		vm.Pool = &pool
	}
	s.VMs = append(s.VMs, vm)
}
