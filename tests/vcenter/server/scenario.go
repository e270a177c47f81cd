package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// Scenario is what the simulated vCenter shows: its inventory and, for a lab scenario, every sample.
// The file is gzip JSON, written by `hyperscope lab export SCENARIO --vcenter`.
type Scenario struct {
	Format     int              `json:"format"`
	Name       string           `json:"scenario"`
	Seed       int64            `json:"seed"`
	Interval   int              `json:"interval_s"`
	Ticks      int              `json:"ticks"`
	Clusters   []ClusterEntry   `json:"clusters"`
	Hosts      []HostEntry      `json:"hosts"`
	Datastores []DatastoreEntry `json:"datastores"`
	Pools      []PoolEntry      `json:"pools"`
	VMs        []VMEntry        `json:"vms"`
	Events     []EventEntry     `json:"events"`
	Series     []SeriesEntry    `json:"series"`
	Facts      []FactEntry      `json:"facts"`
}

// ClusterEntry is a cluster and its automation.
type ClusterEntry struct {
	Name        string `json:"name"`
	DRS         bool   `json:"drs"`
	DRSBehavior string `json:"drs_behavior"`
	DRSRate     int32  `json:"drs_rate"`
	HA          *bool  `json:"ha"`
}

// HostEntry is a host; without a cluster it stands alone.
type HostEntry struct {
	Name        string        `json:"name"`
	UUID        string        `json:"uuid"`
	Cluster     string        `json:"cluster"`
	Cores       int           `json:"cores"`
	Threads     int           `json:"threads"`
	MHz         float64       `json:"mhz"`
	MemoryMB    float64       `json:"memory_mb"`
	NUMANodes   int           `json:"numa_nodes"`
	PowerPolicy string        `json:"power_policy"`
	NICs        []UplinkEntry `json:"nics"`
	Devices     []DeviceEntry `json:"devices"`
	Adapters    []string      `json:"adapters"`
}

// UplinkEntry is a physical NIC.
type UplinkEntry struct {
	Name      string `json:"name"`
	SpeedMbps int32  `json:"speed_mbps"`
	Driver    string `json:"driver"`
	Switch    string `json:"switch"`
}

// DeviceEntry is a LUN as one host sees it.
type DeviceEntry struct {
	Name       string `json:"name"`
	QueueDepth int32  `json:"queue_depth"`
	Local      bool   `json:"local"`
	Vendor     string `json:"vendor"`
	Model      string `json:"model"`
}

// DatastoreEntry is a VMFS or NFS datastore.
type DatastoreEntry struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	URL        string   `json:"url"`
	UUID       string   `json:"uuid"`
	CapacityMB float64  `json:"capacity_mb"`
	FreeMB     float64  `json:"free_mb"`
	Device     *string  `json:"device"`
	Hosts      []string `json:"hosts"`
	SIOC       bool     `json:"sioc"`
}

// PoolEntry is a resource pool; nil limits mean unlimited.
type PoolEntry struct {
	Name             string   `json:"name"`
	Parent           *string  `json:"parent"`
	Cluster          string   `json:"cluster"`
	CPULimitMHz      *float64 `json:"cpu_limit_mhz"`
	CPUShares        int32    `json:"cpu_shares"`
	CPUReservation   float64  `json:"cpu_reservation_mhz"`
	MemLimitMB       *float64 `json:"mem_limit_mb"`
	MemReservationMB float64  `json:"mem_reservation_mb"`
	MemShares        int32    `json:"mem_shares"`
}

// VMEntry is a virtual machine.
type VMEntry struct {
	Name             string      `json:"name"`
	UUID             string      `json:"uuid"`
	Host             string      `json:"host"`
	Pool             *string     `json:"pool"`
	VCPUs            int         `json:"vcpus"`
	CoresPerSocket   int32       `json:"cores_per_socket"`
	MemoryMB         float64     `json:"memory_mb"`
	Power            string      `json:"power"`
	Datastore        string      `json:"datastore"`
	CPULimitMHz      *float64    `json:"cpu_limit_mhz"`
	CPUShares        int32       `json:"cpu_shares"`
	CPUReservation   float64     `json:"cpu_reservation_mhz"`
	CPUAffinity      []int32     `json:"cpu_affinity"`
	MemLimitMB       *float64    `json:"mem_limit_mb"`
	MemReservationMB float64     `json:"mem_reservation_mb"`
	MemShares        int32       `json:"mem_shares"`
	Latency          string      `json:"latency_sensitivity"`
	Tools            string      `json:"tools"`
	Snapshots        int         `json:"snapshots"`
	Template         bool        `json:"template"`
	Disks            []DiskEntry `json:"disks"`
	NICs             []PortEntry `json:"nics"`
}

// DiskEntry is a virtual disk; unit is "scsi0:1".
type DiskEntry struct {
	Unit       string  `json:"unit"`
	SizeMB     float64 `json:"size_mb"`
	Datastore  string  `json:"datastore"`
	Controller string  `json:"controller"`
	Shares     int32   `json:"shares"`
	LimitIOPS  *int64  `json:"limit_iops"`
}

// PortEntry is a VM's network adapter.
type PortEntry struct {
	Key     int32  `json:"key"`
	Label   string `json:"label"`
	Network string `json:"network"`
	Type    string `json:"type"`
}

// EventEntry is an event at a tick.
type EventEntry struct {
	Tick int     `json:"tick"`
	Type string  `json:"type"`
	VM   string  `json:"vm"`
	Host string  `json:"host"`
	From *string `json:"from"`
	To   *string `json:"to"`
	Text string  `json:"text"`
}

// SeriesEntry is one series in vCenter's own numbers; −1 means absent.
type SeriesEntry struct {
	Object   string  `json:"object"`
	Counter  string  `json:"counter"`
	Instance string  `json:"instance"`
	Values   []int64 `json:"values"`
}

// loadScenario reads a scenario file, gzip or plain JSON.
func loadScenario(path string) (*Scenario, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	scenario := &Scenario{}
	if err = json.NewDecoder(text).Decode(scenario); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if scenario.Format != 1 {
		return nil, fmt.Errorf("%s: format %d is not 1", path, scenario.Format)
	}
	scenario.equip()
	return scenario, scenario.check(path)
}

// check says what in the file does not fit together.
func (s *Scenario) check(path string) error {
	hosts := map[string]bool{}
	for _, host := range s.Hosts {
		hosts[host.Name] = true
	}
	stores := map[string]bool{}
	for _, store := range s.Datastores {
		stores[store.Name] = true
	}
	for _, vm := range s.VMs {
		if !hosts[vm.Host] {
			return fmt.Errorf("%s: VM %q is on host %q, which is not listed", path, vm.Name, vm.Host)
		}
		if !stores[vm.Datastore] {
			return fmt.Errorf("%s: VM %q is on datastore %q, which is not listed", path, vm.Name, vm.Datastore)
		}
		if device := vm.unknownDevice(); device != "" {
			return fmt.Errorf("%s: VM %q has the %s, which is unknown here", path, vm.Name, device)
		}
	}
	for _, series := range s.Series {
		if len(series.Values) != s.Ticks {
			return fmt.Errorf("%s: %s %s has %d values, not %d",
				path, series.Object, series.Counter, len(series.Values), s.Ticks)
		}
	}
	return nil
}

// identifyFirstHost gives the first host another name and hardware UUID; an empty one stays as it is.
func (s *Scenario) identifyFirstHost(name, uuid string) {
	first := &s.Hosts[0]
	first.UUID = orText(uuid, first.UUID)
	before := first.Name
	first.Name = orText(name, before)
	for n := range s.VMs {
		if s.VMs[n].Host == before {
			s.VMs[n].Host = first.Name
		}
	}
	for n := range s.Datastores {
		for at, host := range s.Datastores[n].Hosts {
			if host == before {
				s.Datastores[n].Hosts[at] = first.Name
			}
		}
	}
}
