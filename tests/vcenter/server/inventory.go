package main

import (
	"crypto/sha1"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

func (w *World) addInventory() {
	for _, entry := range w.scenario.Clusters {
		if !w.esxi {
			w.addCluster(entry)
		}
	}
	for _, entry := range w.scenario.Pools {
		if w.clusters[entry.Cluster] != nil {
			w.addPool(entry)
		}
	}
	for i := range w.scenario.Hosts {
		if !w.esxi || i == 0 {
			w.addHost(&w.scenario.Hosts[i])
		}
	}
	for i := range w.scenario.Datastores {
		w.addDatastore(&w.scenario.Datastores[i])
	}
	for i := range w.scenario.Hosts {
		if w.hosts[w.scenario.Hosts[i].Name] != nil {
			w.measureHost(&w.scenario.Hosts[i])
		}
	}
	for i := range w.scenario.VMs {
		if w.hosts[w.scenario.VMs[i].Host] != nil {
			w.addVM(&w.scenario.VMs[i])
		}
	}
	w.deriveAll()
}

// putChild puts an entity into a folder, as the simulator's own (private) function does.
func (w *World) putChild(folder types.ManagedObjectReference, entity mo.Entity) types.ManagedObjectReference {
	parent := w.reg.Get(folder).(*simulator.Folder)
	if entity.Reference().Value == "" {
		w.reg.NewEntity(entity)
	}
	w.reg.AppendReference(w.context(), parent, &parent.ChildEntity, entity.Reference()) // first: views look for it there
	w.reg.PutEntity(parent, entity)
	return entity.Reference()
}

func (w *World) addCluster(entry ClusterEntry) {
	folder := w.reg.Get(w.dc.HostFolder).(*simulator.Folder)
	cluster, fault := simulator.CreateClusterComputeResource(w.ctx, folder, entry.Name, types.ClusterConfigSpecEx{})
	if fault != nil {
		panic(fmt.Sprintf("cluster %s: %T", entry.Name, fault))
	}
	config := cluster.ConfigurationEx.(*types.ClusterConfigInfoEx)
	config.DrsConfig = types.ClusterDrsConfigInfo{
		Enabled: types.NewBool(entry.DRS), EnableVmBehaviorOverrides: types.NewBool(true),
		DefaultVmBehavior: types.DrsBehavior(orText(entry.DRSBehavior, string(types.DrsBehaviorFullyAutomated))),
		VmotionRate:       max(entry.DRSRate, 3-2*min(entry.DRSRate, 1)),
	}
	config.DasConfig.Enabled = types.NewBool(entry.HA == nil || *entry.HA)
	config.DasConfig.AdmissionControlEnabled = types.NewBool(true)
	w.clusters[entry.Name] = cluster
	w.pools["/"+entry.Name] = w.reg.Get(*cluster.ResourcePool).(*simulator.ResourcePool)
	w.put(cluster.Self, "cluster", entry.Name, nil)
}

func (w *World) addPool(entry PoolEntry) {
	parent := w.pools["/"+entry.Cluster]
	if entry.Parent != nil && w.pools[*entry.Parent] != nil {
		parent = w.pools[*entry.Parent]
	}
	pool := simulator.NewResourcePool(w.ctx)
	pool.Self = types.ManagedObjectReference{Type: "ResourcePool"}
	pool.Name, pool.Owner = entry.Name, w.clusters[entry.Cluster].Self
	pool.ResourcePool.ResourcePool, pool.Vm = nil, nil
	w.reg.PutEntity(parent, w.reg.NewEntity(pool))
	parent.ResourcePool.ResourcePool = append(parent.ResourcePool.ResourcePool, pool.Self)
	pool.Config = types.ResourceConfigSpec{
		Entity:           &pool.Self,
		CpuAllocation:    allocation(entry.CPULimitMHz, entry.CPUReservation, entry.CPUShares, 4000),
		MemoryAllocation: allocation(entry.MemLimitMB, entry.MemReservationMB, entry.MemShares, 163840),
	}
	pool.Summary = &types.ResourcePoolSummary{Name: entry.Name, Config: pool.Config, Runtime: pool.Runtime}
	w.pools[entry.Name] = pool
}

func allocation(limit *float64, reservation float64, shares, normal int32) types.ResourceAllocationInfo {
	level := types.SharesLevelCustom
	if shares == 0 || shares == normal {
		level, shares = types.SharesLevelNormal, normal
	}
	ceiling := int64(-1)
	if limit != nil {
		ceiling = int64(*limit)
	}
	return types.ResourceAllocationInfo{
		Limit: &ceiling, Reservation: types.NewInt64(int64(reservation)), ExpandableReservation: types.NewBool(true),
		Shares: &types.SharesInfo{Shares: shares, Level: level},
	}
}

func (w *World) addDatastore(entry *DatastoreEntry) {
	store := &simulator.Datastore{}
	store.Name = entry.Name
	url := orText(entry.URL, "ds:///vmfs/volumes/"+entry.UUID+"/")
	store.Summary = types.DatastoreSummary{
		Name: entry.Name, Url: url, Capacity: int64(entry.CapacityMB) << 20, FreeSpace: int64(entry.FreeMB) << 20,
		Accessible: true, MultipleHostAccess: types.NewBool(len(entry.Hosts) > 1), Type: entry.Type, MaintenanceMode: "normal",
	}
	store.Info = datastoreInfo(entry, url)
	store.Capability = types.DatastoreCapability{
		DirectoryHierarchySupported: true, PerFileThinProvisioningSupported: true,
		StorageIORMSupported: types.NewBool(true),
	}
	store.IormConfiguration = &types.StorageIORMInfo{
		Enabled: entry.SIOC, CongestionThresholdMode: "manual", CongestionThreshold: 30, PercentOfPeakThroughput: 90,
		StatsCollectionEnabled: types.NewBool(false), ReservationEnabled: types.NewBool(false),
	}
	w.putChild(w.dc.DatastoreFolder, store)
	store.Summary.Datastore = &store.Self
	browser := &simulator.HostDatastoreBrowser{}
	browser.Datastore = []types.ManagedObjectReference{store.Self}
	store.Browser = w.reg.Put(browser).Reference()
	w.dc.Datastore = append(w.dc.Datastore, store.Self)
	w.stores[entry.Name] = store
	for _, name := range entry.Hosts {
		if host := w.hosts[name]; host != nil {
			w.mount(store, host, entry)
		}
	}
	w.put(store.Self, "datastore", entry.Name, nil)
}

func datastoreInfo(entry *DatastoreEntry, url string) types.BaseDatastoreInfo {
	info := types.DatastoreInfo{Name: entry.Name, Url: url, FreeSpace: int64(entry.FreeMB) << 20, MaxFileSize: 64 << 40}
	volume := types.HostFileSystemVolume{Type: entry.Type, Name: entry.Name, Capacity: int64(entry.CapacityMB) << 20}
	if entry.Type != "VMFS" {
		return &types.NasDatastoreInfo{DatastoreInfo: info, Nas: &types.HostNasVolume{
			HostFileSystemVolume: volume, RemoteHost: "filer.lab", RemotePath: "/vol/" + entry.Name,
		}}
	}
	vmfs := &types.HostVmfsVolume{
		HostFileSystemVolume: volume, BlockSizeMb: 1, MaxBlocks: 63963136, MajorVersion: 6, Version: "6.82", Uuid: entry.UUID,
	}
	if entry.Device != nil {
		vmfs.Extent = []types.HostScsiDiskPartition{{DiskName: *entry.Device, Partition: 1}}
	}
	return &types.VmfsDatastoreInfo{DatastoreInfo: info, MaxPhysicalRDMFileSize: 64 << 40, Vmfs: vmfs}
}

func (w *World) mount(store *simulator.Datastore, host *simulator.HostSystem, entry *DatastoreEntry) {
	mount := types.DatastoreHostMount{Key: host.Self, MountInfo: types.HostMountInfo{
		Path: "/vmfs/volumes/" + entry.UUID, AccessMode: "readWrite", Mounted: types.NewBool(true), Accessible: types.NewBool(true),
	}}
	w.reg.WithLock(w.context(), store, func() { store.Host = append(store.Host, mount) })
	w.reg.AppendReference(w.context(), host, &host.Datastore, store.Self)
	if parent := w.computeResource(host); parent != nil && simulator.FindReference(parent.Datastore, store.Self) == nil {
		parent.Datastore = append(parent.Datastore, store.Self)
	}
	if system, ok := w.reg.Get(*host.ConfigManager.DatastoreSystem).(*simulator.HostDatastoreSystem); ok {
		system.Datastore = host.Datastore
	}
}

func (w *World) computeResource(host *simulator.HostSystem) *mo.ComputeResource {
	switch parent := w.reg.Get(*host.Parent).(type) {
	case *simulator.ClusterComputeResource:
		return &parent.ComputeResource
	case *mo.ComputeResource:
		return parent
	}
	return nil
}

func (w *World) network(name string) types.ManagedObjectReference {
	if ref, known := w.networks[name]; known {
		return ref
	}
	network := &mo.Network{Name: name}
	network.Self = types.ManagedObjectReference{Type: "Network"}
	network.Entity().Name = name
	w.reg.NewEntity(network)
	ref := w.putChild(w.dc.NetworkFolder, network)
	network.Summary = &types.NetworkSummary{Network: &ref, Name: name, Accessible: true}
	w.dc.Network = append(w.dc.Network, ref)
	w.networks[name] = ref
	return ref
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// stableUUID is the same for a name in every run.
func stableUUID(name string) string {
	b := sha1.Sum([]byte(name))
	b[6], b[8] = b[6]&0x0f|0x50, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func derivedMetrics(c *Catalogue, kind, instance string) []Metric {
	var metrics []Metric
	for _, line := range strings.Split(strings.TrimSpace(derivedCounters), "\n") {
		f := strings.Fields(line)
		if f[0] != kind {
			continue
		}
		from := ""
		if f[3] != "own" {
			from = instance
		}
		metrics = append(metrics, Metric{
			Counter: c.ID(f[1]), derived: &derivation{mean: f[2] == "mean", from: c.ID(f[4]), instance: from},
		})
	}
	return metrics
}

func (w *World) deriveAll() {
	members := map[string][]*Object{}
	for _, host := range w.scenario.Hosts {
		if o := w.names["host:"+host.Name]; o != nil && host.Cluster != "" {
			members[host.Cluster] = append(members[host.Cluster], o)
		}
	}
	for name := range w.clusters {
		w.derive(w.names["cluster:"+name], "", members[name])
	}
	for i := range w.scenario.Datastores {
		entry := &w.scenario.Datastores[i]
		var mounting []*Object
		for _, host := range entry.Hosts {
			if o := w.names["host:"+host]; o != nil {
				mounting = append(mounting, o)
			}
		}
		w.derive(w.names["datastore:"+entry.Name], entry.UUID, mounting)
	}
}
