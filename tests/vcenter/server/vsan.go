package main

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// vsanCluster is a cluster's vSAN as tests set it; sizes in bytes.
type vsanCluster struct {
	ESA         *bool    `json:"esa"`
	Dedup       *bool    `json:"dedup"`
	Compression *bool    `json:"compression"`
	Performance *bool    `json:"performance"` // whether its service is on
	Capacity    *int64   `json:"capacity_bytes"`
	Used        *int64   `json:"used_bytes"`    // on the disks
	Logical     *int64   `json:"logical_bytes"` // before deduplication and compression
	ResyncBytes *int64   `json:"resync_bytes"`
	ResyncCount *int64   `json:"resync_objects"`
	Unhealthy   *int64   `json:"unhealthy"` // objects with reduced availability
	Label       string   `json:"label"`     // a metric of an entity that is always …
	Constant    *float64 `json:"constant"`
	Hybrid      *bool    `json:"hybrid"`      // capacity disks that are no flash
	YearOne     *bool    `json:"year_one"`    // each reply begins with a sample of year 1
	Refuses     *string  `json:"refuses"`     // a glob: calls that name such an entity fail
	Lacks       *string  `json:"lacks_label"` // calls for this label fail: hosts older than their vCenter

	cluster *simulator.ClusterComputeResource
	fixed   []fixedMetric
}

type fixedMetric struct {
	entity, label string
	value         float64
}

// Vsan is the endpoint /vsanHealth: vSAN's managed objects, which all have one address.
type Vsan struct {
	world    *World
	sessions *Sessions
	rights   *Rights
	mu       sync.RWMutex
	all      map[types.ManagedObjectReference]*vsanCluster
}

func newVsan(w *World, sessions *Sessions, rights *Rights) *Vsan {
	return &Vsan{world: w, sessions: sessions, rights: rights, all: map[types.ManagedObjectReference]*vsanCluster{}}
}

// set turns vSAN on in a cluster, or changes what is given.
func (v *Vsan) set(name, entity string, wished *vsanCluster) error {
	cluster := v.world.clusters[name]
	if cluster == nil {
		return fmt.Errorf("there is no cluster %q", name)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.all[cluster.Self]
	if now == nil {
		now = newVsanCluster(cluster)
		v.all[cluster.Self] = now
		v.mount(cluster)
	}
	change := func(to **int64, value *int64) {
		if value != nil {
			*to = value
		}
	}
	flag := func(to **bool, value *bool) {
		if value != nil {
			*to = value
		}
	}
	flag(&now.ESA, wished.ESA)
	flag(&now.Dedup, wished.Dedup)
	flag(&now.Compression, wished.Compression)
	flag(&now.Performance, wished.Performance)
	flag(&now.Hybrid, wished.Hybrid)
	flag(&now.YearOne, wished.YearOne)
	if wished.Refuses != nil {
		now.Refuses = wished.Refuses
	}
	if wished.Lacks != nil {
		now.Lacks = wished.Lacks
	}
	change(&now.Capacity, wished.Capacity)
	change(&now.Used, wished.Used)
	change(&now.Logical, wished.Logical)
	change(&now.ResyncBytes, wished.ResyncBytes)
	change(&now.ResyncCount, wished.ResyncCount)
	change(&now.Unhealthy, wished.Unhealthy)
	if wished.Constant != nil {
		now.fixed = append(now.fixed, fixedMetric{orText(entity, "*"), orText(wished.Label, "*"), *wished.Constant})
	}
	return nil
}

func newVsanCluster(cluster *simulator.ClusterComputeResource) *vsanCluster {
	number := func(n int64) *int64 { return &n }
	return &vsanCluster{
		cluster: cluster, ESA: types.NewBool(false), Dedup: types.NewBool(true), Compression: types.NewBool(true),
		Performance: types.NewBool(true), Capacity: number(8 << 40), Used: number(1 << 40), Logical: number(1 << 40),
		ResyncBytes: number(0), ResyncCount: number(0), Unhealthy: number(0),
		Hybrid: types.NewBool(false), YearOne: types.NewBool(false), Refuses: new(string), Lacks: new(string),
	}
}

// mount adds the cluster's vSAN datastore to the inventory.
func (v *Vsan) mount(cluster *simulator.ClusterComputeResource) {
	w := v.world
	entry := DatastoreEntry{Name: "vsanDatastore-" + cluster.Name, Type: "vsan", UUID: stableUUID("vsan/" + cluster.Name),
		CapacityMB: 8 << 20, FreeMB: 7 << 20}
	entry.URL = "ds:///vmfs/volumes/vsan:" + entry.UUID + "/"
	for _, ref := range cluster.Host {
		entry.Hosts = append(entry.Hosts, w.hostSystem(ref).Name)
	}
	w.addDatastore(&entry)
	store := w.stores[entry.Name]
	store.Info = &types.VsanDatastoreInfo{DatastoreInfo: *store.Info.GetDatastoreInfo(), MembershipUuid: entry.UUID}
	store.Capability.StorageIORMSupported = types.NewBool(false)
	config := *cluster.ConfigurationEx.(*types.ClusterConfigInfoEx)
	config.VsanConfigInfo = &types.VsanClusterConfigInfo{Enabled: types.NewBool(true)}
	cluster.ConfigurationEx = &config
}

// vsanCall are the parameters of the calls that are answered.
type vsanCall struct {
	Specs []struct {
		Entity   string   `xml:"entityRefId"`
		Start    string   `xml:"startTime"`
		End      string   `xml:"endTime"`
		Labels   []string `xml:"labels"`
		Interval int64    `xml:"interval"`
	} `xml:"querySpecs"`
	Cluster struct {
		Type  string `xml:"type,attr"`
		Value string `xml:",chardata"`
	} `xml:"cluster"`
	Fields []string `xml:"fields"`
}

// vsanFault is a SOAP fault's type, text and inner elements.
type vsanFault struct{ kind, text, detail string }

func (f *vsanFault) Error() string { return f.text }

func vsanInvalid(property, why string) error {
	return &vsanFault{"InvalidArgument", "A specified parameter was not correct: " + property + why,
		"<invalidProperty>" + property + "</invalidProperty>"}
}

// methods are the calls by name.
func (v *Vsan) methods() map[string]func(*vsanCluster, *vsanCall) (string, error) {
	return map[string]func(*vsanCluster, *vsanCall) (string, error){
		"VsanQuerySpaceUsage":             v.space,
		"VsanClusterGetConfig":            v.config,
		"VsanQueryVcClusterHealthSummary": v.health,
		"VsanQueryObjectIdentities":       v.identities,
		"QuerySyncingVsanObjectsSummary":  v.syncing,
		"VsanPerfQueryPerf":               v.perf,
		"VsanPerfGetSupportedEntityTypes": func(*vsanCluster, *vsanCall) (string, error) { return entityTypes(), nil },
		"VsanPerfQueryNodeInformation":    v.nodes,
	}
}

func (v *Vsan) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, status := v.answer(r), http.StatusOK
	if strings.Contains(text, "<soapenv:Fault>") {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

func (v *Vsan) answer(r *http.Request) string {
	var envelopeOf struct {
		Body struct {
			Inner []byte `xml:",innerxml"`
		} `xml:"Body"`
	}
	if err := xml.NewDecoder(r.Body).Decode(&envelopeOf); err != nil {
		return soapFault("InvalidRequest", err.Error(), "")
	}
	method := soapMethod([]byte("Body>" + string(envelopeOf.Body.Inner)))
	session := v.sessions.named(cookie(r))
	do := v.methods()[method]
	switch {
	case session == nil:
		return notAuthenticated()
	case !v.rights.Has(session.UserName, "System.Read"):
		return soapFault("NoPermission", noPermissionText,
			`<object type="Folder">group-d1</object><privilegeId>System.Read</privilegeId>`)
	case do == nil:
		return soapFault("MethodNotFound", "This endpoint does not implement: "+method,
			fmt.Sprintf(`<receiver type="ManagedObject">vsan</receiver><method>%s</method>`, method))
	}
	var call vsanCall
	if err := xml.Unmarshal(envelopeOf.Body.Inner, &call); err != nil {
		return soapFault("InvalidRequest", err.Error(), "")
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	of := v.all[types.ManagedObjectReference{Type: "ClusterComputeResource", Value: strings.TrimSpace(call.Cluster.Value)}]
	inner, err := "", error(nil)
	switch {
	case call.Cluster.Value == "" && method != "VsanPerfGetSupportedEntityTypes":
		err = vsanInvalid("cluster", "")
	case of == nil && method == "VsanClusterGetConfig":
		inner = "<returnval><enabled>false</enabled></returnval>"
	case of == nil && method != "VsanPerfGetSupportedEntityTypes":
		err = &vsanFault{"NotSupported", "vSAN is not enabled on the cluster.", ""}
	default:
		inner, err = do(of, &call)
	}
	if fault, isFault := err.(*vsanFault); isFault {
		return soapFault(fault.kind, fault.text, fault.detail)
	}
	return fmt.Sprintf(envelope, fmt.Sprintf(`<%sResponse xmlns="urn:vsan">%s</%sResponse>`, method, inner, method))
}

// tag writes an element; pairs of names and values are its children.
func tag(name string, pairs ...any) string {
	text := strings.Builder{}
	text.WriteString("<" + name + ">")
	for n := 0; n+1 < len(pairs); n += 2 {
		fmt.Fprintf(&text, "<%s>%s</%s>", pairs[n], escaper.Replace(fmt.Sprint(pairs[n+1])), pairs[n])
	}
	text.WriteString("</" + name + ">")
	return text.String()
}

// in puts text into an element.
func in(name, inner string) string { return "<" + name + ">" + inner + "</" + name + ">" }

func (v *Vsan) space(of *vsanCluster, _ *vsanCall) (string, error) {
	used, logical, capacity := *of.Used, *of.Logical, *of.Capacity
	inner := fmt.Sprintf("<totalCapacityB>%d</totalCapacityB><freeCapacityB>%d</freeCapacityB>", capacity, capacity-used)
	inner += tag("spaceOverview", "overheadB", 0, "usedB", used, "physicalUsedB", used, "provisionCapacityB", logical)
	efficient := []any{"logicalCapacity", capacity * max(logical, 1) / max(used, 1), "logicalCapacityUsed", logical,
		"physicalCapacity", capacity, "physicalCapacityUsed", used, "dedupMetadataSize", 0}
	if *of.ESA {
		efficient = []any{"logicalCapacityUsed", logical, "physicalCapacityUsed", used,
			"esaDedupSpaceSaving", 0, "esaCompressionSpaceSaving", max(logical-used, 0), "totalSpaceUsedWithoutOverhead", used}
	}
	if *of.ESA || *of.Dedup || *of.Compression {
		inner += tag("efficientCapacity", efficient...)
		inner += tag("spaceEfficiencyRatio", "overallRatio", float64(logical)/float64(max(used, 1)))
	}
	return in("returnval", inner), nil
}

func (v *Vsan) config(of *vsanCluster, _ *vsanCall) (string, error) {
	inner := "<enabled>true</enabled>" + tag("defaultConfig", "uuid", stableUUID("vsan/"+of.cluster.Name), "autoClaimStorage", false) +
		fmt.Sprintf("<vsanEsaEnabled>%t</vsanEsaEnabled>", *of.ESA)
	inner += tag("dataEfficiencyConfig", "dedupEnabled", *of.Dedup, "compressionEnabled", *of.Compression)
	inner += tag("perfsvcConfig", "enabled", *of.Performance, "diagnosticMode", false, "verboseMode", false)
	return in("returnval", inner), nil
}

// objectHealth is how many objects are in which state: each VM has one, and each of its disks.
func (v *Vsan) objectHealth(of *vsanCluster) string {
	objects := int64(0)
	for _, host := range v.hosts(of) {
		for _, ref := range host.Vm {
			if vm := v.world.virtualMachine(ref); vm != nil {
				objects += 1 + int64(countDisks(vm.Config.Hardware.Device))
			}
		}
	}
	bad := min(*of.Unhealthy, objects)
	text := tag("objectHealthDetail", "numObjects", objects-bad, "health", "healthy")
	return text + tag("objectHealthDetail", "numObjects", bad, "health", "reducedavailabilitywithnorebuild")
}

func (v *Vsan) health(of *vsanCluster, call *vsanCall) (string, error) {
	wanted := func(name string) bool { return len(call.Fields) == 0 || containsText(call.Fields, name) }
	state, why := "green", "vSAN is healthy"
	if *of.Unhealthy > 0 {
		state, why = "red", "vSAN object health"
	} else if *of.ResyncCount > 0 {
		state, why = "yellow", "Resync operations"
	}
	inner := ""
	if wanted("objectHealth") {
		inner += in("objectHealth", v.objectHealth(of))
	}
	if wanted("physicalDisksHealth") {
		for _, host := range v.hosts(of) {
			disks := ""
			for _, disk := range disksOf(of, host.Name) {
				disks += tag("disks", "name", disk.name, "uuid", disk.uuid, "inCmmds", true, "inVsi", true,
					"isAllFlash", map[bool]int{false: 1, true: 0}[*of.Hybrid], "summaryHealth", "green", "capacity", *of.Capacity/8, "usedCapacity", *of.Used/8,
					"vsanDiskGroupUuid", disk.group)
			}
			inner += in("physicalDisksHealth", "<overallHealth>green</overallHealth>"+disks+in("hostname", escaper.Replace(host.Name)))
		}
	}
	inner += in("overallHealth", state) + in("overallHealthDescription", why)
	return in("returnval", inner), nil
}

func (v *Vsan) identities(of *vsanCluster, _ *vsanCall) (string, error) {
	return in("returnval", in("health", v.objectHealth(of))), nil
}

func (v *Vsan) syncing(of *vsanCluster, _ *vsanCall) (string, error) {
	return tag("returnval", "totalObjectsToSync", *of.ResyncCount, "totalBytesToSync", *of.ResyncBytes,
		"totalRecoveryETA", *of.ResyncBytes/(100<<20)), nil
}

func (v *Vsan) nodes(of *vsanCluster, _ *vsanCall) (string, error) {
	text := ""
	for n, host := range v.hosts(of) {
		text += tag("returnval", "version", "8.0.3", "hostname", host.Name, "isCmmdsMaster", n == 0, "isStatsMaster", n == 0,
			"vsanNodeUuid", nodeUUID(host.Name))
	}
	return text, nil
}

// hosts are the cluster's, by name.
func (v *Vsan) hosts(of *vsanCluster) []*simulator.HostSystem {
	var found []*simulator.HostSystem
	for _, ref := range of.cluster.Host {
		if host := v.world.hostSystem(ref); host != nil {
			found = append(found, host)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found
}

func nodeUUID(host string) string { return stableUUID("vsan node/" + host) }
