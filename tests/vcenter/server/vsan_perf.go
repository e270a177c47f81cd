package main

import (
	"fmt"
	"hash/fnv"
	"sort"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	vsanInterval      = 300
	vsanTime          = "2006-01-02 15:04:05"
	capacityDisks     = 3 // of a disk group
	mostVsanSamples   = 2000
	wildcard          = "*"
	tooManyWildcards  = ". Only one wildcard query allowed in query specs"
	congestionYellow  = "20"
	congestionRed     = "60"
	usualVsanQueryAge = time.Hour
)

// vsanDisk is a disk that vSAN has claimed.
type vsanDisk struct {
	kind, name, uuid, group string
}

// disksOf are a host's: a group of a cache disk and capacity disks, or with ESA single disks of one kind.
func disksOf(of *vsanCluster, host string) []vsanDisk {
	group := stableUUID("vsan group/" + host)
	var disks []vsanDisk
	for n := 0; n <= capacityDisks; n++ {
		kind := "capacity-disk"
		switch {
		case *of.ESA:
			kind = "vsan-esa-disk-layer"
		case n == 0:
			kind = "cache-disk"
		}
		name := fmt.Sprintf("naa.5000c5%012x", hashText(fmt.Sprintf("%s/%d", host, n))&0xffffffffffff)
		disks = append(disks, vsanDisk{kind: kind, name: name, uuid: stableUUID("vsan disk/" + name), group: group})
	}
	return disks
}

// vsanEntities are the types of the performance service with the labels of their metrics, as vSAN's documents and
// collectors name them.
var vsanEntities = map[string][]string{
	"cluster-domclient":   domLabels,
	"cluster-domcompmgr":  append([]string{"iopsRecWrite", "throughputRecWrite", "tputResyncRead"}, domLabels...),
	"host-domclient":      append([]string{"clientCacheHitRate", "readCongestion", "writeCongestion"}, domLabels...),
	"host-domcompmgr":     append([]string{"iopsRecWrite", "throughputRecWrite", "tputResyncRead"}, domLabels...),
	"disk-group":          {"iopsRead", "iopsWrite", "latencyAvgRead", "latencyAvgWrite", "rcHitRate", "wbFreePct", "memCongestion", "slabCongestion", "ssdCongestion", "iopsCongestion", "logCongestion", "compCongestion", "ssdBytesDrained"},
	"cache-disk":          deviceLabels,
	"capacity-disk":       deviceLabels,
	"virtual-machine":     {"iopsRead", "iopsWrite", "throughputRead", "throughputWrite", "latencyRead", "latencyWrite"},
	"virtual-disk":        {"iopsLimit", "NIOPS", "NIOPSDelayed"},
	"vscsi":               {"iopsRead", "iopsWrite", "throughputRead", "throughputWrite", "latencyRead", "latencyWrite"},
	"vsan-host-net":       {"rxThroughput", "txThroughput", "rxPackets", "txPackets", "rxPacketsLossRate", "txPacketsLossRate"},
	"vsan-pnic-net":       {"rxThroughput", "txThroughput", "rxPacketsLossRate", "txPacketsLossRate", "portRxDrops", "portTxDrops", "pauseCount", "rxCrcErr", "rxMissErr"},
	"vsan-esa-disk-layer": {"iopsReadCapacity", "iopsWriteCapacity", "iopsReadPerf", "iopsWritePerf", "avgLatReadPerf", "avgLatWritePerf", "maxWriteTimePerf"},
	"vsan-esa-disk-scsifw": {"iopsDevRead", "iopsDevWrite", "latencyDevRead", "latencyDevWrite", "latencyDevDAvg", "latencyDevGAvg",
		"latencyDevKAvg"},
}

var (
	domLabels = []string{"iopsRead", "iopsWrite", "throughputRead", "throughputWrite", "latencyAvgRead", "latencyAvgWrite",
		"congestion", "oio"}
	deviceLabels = []string{"iopsDevRead", "iopsDevWrite", "throughputDevRead", "throughputDevWrite", "latencyDevRead",
		"latencyDevWrite", "latencyDevDAvg", "latencyDevGAvg", "capacityUsed"}
)

// entityTypes are the types that are supported, those of the other architecture among them.
func entityTypes() string {
	text := ""
	for _, id := range sortedKeys(vsanEntities) {
		metrics := ""
		for _, label := range vsanEntities[id] {
			metrics += tag("metrics", "label", label, "metricsCollectInterval", vsanInterval)
		}
		text += in("returnval", in("name", id)+in("id", id)+in("graphs", in("id", id)+metrics+in("unit", "number")))
	}
	return text
}

func sortedKeys(of map[string][]string) []string {
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// uuids are the entities of a type; none where the architecture has no such.
func (v *Vsan) uuids(of *vsanCluster, kind string) []string {
	esa := strings.HasPrefix(kind, "vsan-esa")
	var found []string
	for _, host := range v.hosts(of) {
		switch {
		case kind == "host-domclient", kind == "host-domcompmgr", kind == "vsan-host-net":
			found = append(found, nodeUUID(host.Name))
		case kind == "vsan-pnic-net":
			found = append(found, nodeUUID(host.Name)+"|vmnic0", nodeUUID(host.Name)+"|vmnic1")
		case kind == "disk-group" && !*of.ESA:
			found = append(found, disksOf(of, host.Name)[0].group)
		case kind == "virtual-machine":
			found = append(found, v.machines(host)...)
		}
		for _, disk := range disksOf(of, host.Name) {
			if disk.kind == kind || (kind == "vsan-esa-disk-scsifw" && *of.ESA) {
				found = append(found, disk.uuid)
			}
		}
	}
	if strings.HasPrefix(kind, "cluster-") && !esa {
		return []string{stableUUID("vsan/" + of.cluster.Name)}
	}
	return found
}

func (v *Vsan) machines(host *simulator.HostSystem) []string {
	var found []string
	for _, ref := range host.Vm {
		if vm := v.world.virtualMachine(ref); vm != nil && vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
			found = append(found, vm.Config.InstanceUuid)
		}
	}
	return found
}

// perf answers VsanPerfQueryPerf. One specification may name all of a type; one that names what is not there makes the
// whole call fail.
func (v *Vsan) perf(of *vsanCluster, call *vsanCall) (string, error) {
	if !*of.Performance {
		return "", &vsanFault{"NotFound", "The object or item referred to could not be found.", ""}
	}
	wildcards, text := 0, ""
	for _, spec := range call.Specs {
		kind, id, _ := strings.Cut(spec.Entity, ":")
		labels, known := vsanEntities[kind]
		if !known {
			return "", vsanInvalid("entityRefId", "")
		}
		if *of.Refuses != "" && matches(*of.Refuses, spec.Entity) {
			return "", vsanInvalid("entityRefId", "")
		}
		if *of.Lacks != "" && containsText(labels, *of.Lacks) && (len(spec.Labels) == 0 || containsText(spec.Labels, *of.Lacks)) {
			return "", &vsanFault{"SystemError", "A general system error occurred: no such column: " + *of.Lacks, ""}
		}
		all := v.uuids(of, kind)
		if id == wildcard {
			wildcards++
		} else if !containsText(all, id) {
			return "", vsanInvalid("entityRefId", "")
		} else {
			all = []string{id}
		}
		if wildcards > 1 {
			return "", vsanInvalid("querySpecs", tooManyWildcards)
		}
		times := v.instants(spec.Start, spec.End, max(spec.Interval, vsanInterval))
		for _, one := range all {
			text += of.entity(kind+":"+one, chosen(labels, spec.Labels), times)
		}
	}
	return text, nil
}

func chosen(labels, wanted []string) []string {
	if len(wanted) == 0 {
		return labels
	}
	var found []string
	for _, label := range labels {
		if containsText(wanted, label) {
			found = append(found, label)
		}
	}
	return found
}

// instants are the times of samples, each five minutes, up to the server's present; the last hour if none are given.
func (v *Vsan) instants(start, end string, interval int64) []int64 {
	now := v.world.clock.Now()
	from, to := now.Add(-usualVsanQueryAge), now
	if at, err := time.Parse(time.RFC3339, start); err == nil {
		from = at
	}
	if at, err := time.Parse(time.RFC3339, end); err == nil && at.Before(now) {
		to = at
	}
	var times []int64
	for at := floorDiv(from.Unix()-1, interval)*interval + interval; at <= to.Unix() && len(times) < mostVsanSamples; at += interval {
		times = append(times, at)
	}
	return times
}

// entity is one entity's series. A name without samples is in the answer with none.
func (of *vsanCluster) entity(name string, labels []string, times []int64) string {
	stamps := make([]string, len(times))
	for n, at := range times {
		stamps[n] = time.Unix(at, 0).UTC().Format(vsanTime)
	}
	if *of.YearOne && len(stamps) > 0 {
		stamps[0] = "0001-01-01 00:00:00"
	}
	text := in("entityRefId", name) + in("sampleInfo", strings.Join(stamps, ","))
	for _, label := range labels {
		values := make([]string, len(times))
		for n, at := range times {
			values[n] = of.value(name, label, at)
		}
		series := tag("metricId", "label", label, "metricsCollectInterval", vsanInterval)
		if strings.Contains(strings.ToLower(label), "congestion") {
			series += tag("threshold", "direction", "upper", "yellow", congestionYellow, "red", congestionRed)
		}
		text += in("value", series+in("values", strings.Join(values, ",")))
	}
	return in("returnval", text)
}

// value is what a metric is at a time: what a test has fixed it to, else a number of its kind (latencies in µs,
// throughput in bytes a second) that is the same in each run.
func (of *vsanCluster) value(entity, label string, at int64) string {
	for n := len(of.fixed) - 1; n >= 0; n-- {
		if one := of.fixed[n]; matches(one.entity, entity) && matches(one.label, label) {
			return fmt.Sprint(one.value)
		}
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%s/%d", entity, label, at)
	random := int64(h.Sum32() % 100)
	switch name := strings.ToLower(label); {
	case strings.Contains(name, "congestion"), strings.Contains(name, "loss"), strings.Contains(name, "drops"),
		strings.Contains(name, "err"), strings.Contains(name, "pause"), strings.Contains(name, "rec"), strings.Contains(name, "resync"):
		return "0"
	case strings.Contains(name, "lat"), strings.Contains(name, "time"):
		return fmt.Sprint(400 + 2*random)
	case strings.Contains(name, "throughput"):
		return fmt.Sprint((1000 + random) * 4096)
	case strings.Contains(name, "pct"), strings.Contains(name, "rate"):
		return fmt.Sprint(90 + random/10)
	case strings.Contains(name, "capacityused"), strings.Contains(name, "drained"):
		return fmt.Sprint((100 + random) << 30)
	}
	return fmt.Sprint(1000 + random)
}

const vsanVersions = `<?xml version="1.0" encoding="UTF-8"?>
<namespaces version="1.0"><namespace><name>urn:vsan</name><version>8.0.0.4</version></namespace></namespaces>
`
