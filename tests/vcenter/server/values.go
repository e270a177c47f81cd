package main

import (
	"hash/fnv"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

const absent int64 = -1

// Metric is one series of an entity: a counter and an instance.
type Metric struct {
	Counter  int32
	Instance string
	Values   []int64 // a lab scenario's, one a tick; nil: computed
	shape    wave
	derived  *derivation
}

// derivation makes a cluster's or datastore's value of those of its hosts.
type derivation struct {
	mean     bool
	from     int32
	instance string
}

// Shape is a list of metrics, in the order of counter and instance. Entities that are alike share one.
type Shape struct {
	Metrics []Metric
	first   map[int32][2]int // where a counter's metrics are
}

func newShape(metrics []Metric) *Shape {
	sort.SliceStable(metrics, func(i, j int) bool {
		if metrics[i].Counter != metrics[j].Counter {
			return metrics[i].Counter < metrics[j].Counter
		}
		return metrics[i].Instance < metrics[j].Instance
	})
	s := &Shape{Metrics: metrics, first: map[int32][2]int{}}
	for i := range metrics {
		span, known := s.first[metrics[i].Counter]
		if !known {
			span[0] = i
		}
		span[1] = i + 1
		s.first[metrics[i].Counter] = span
	}
	return s
}

// Of are the metrics of a counter.
func (s *Shape) Of(counter int32) []Metric {
	span := s.first[counter]
	return s.Metrics[span[0]:span[1]]
}

// Object is an entity that has samples. Its samples are a function of name and tick only.
type Object struct {
	*Shape
	Ref     types.ManagedObjectReference
	Kind    string // host, vm, cluster, datastore
	Name    string
	seed    uint64
	members []*Object // hosts of a cluster or datastore

	mu    sync.RWMutex
	power []powerChange
	born  int64 // Unix seconds; 0: always
}

type powerChange struct {
	at int64
	on bool
}

func newObject(kind, name string, shape *Shape) *Object {
	return &Object{Shape: shape, Kind: kind, Name: name, seed: hashText(kind + ":" + name)}
}

// Runs says whether the entity was running, and therefore measured, at a time.
func (o *Object) Runs(at int64) bool {
	if o.Kind == "cluster" || o.Kind == "datastore" {
		return true
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	if at <= o.born {
		return false
	}
	on := true
	for _, change := range o.power {
		if change.at >= at {
			break
		}
		on = change.on
	}
	return on
}

// SetBorn notes since when the entity exists, Unix seconds.
func (o *Object) SetBorn(at int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.born = at
}

// SetPower notes that the entity is on or off from a time on; 0 is "ever since".
func (o *Object) SetPower(at time.Time, on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	seconds := int64(0)
	if !at.IsZero() {
		seconds = at.Unix()
	}
	o.power = append(o.power, powerChange{seconds, on})
}

// Value is the sample of a metric at a tick, or absent (−1).
func (o *Object) Value(m *Metric, tick int64) int64 {
	switch {
	case m.derived != nil:
		return o.combined(m.derived, tick)
	case m.Values != nil:
		return m.Values[floorMod(tick, int64(len(m.Values)))]
	default:
		return m.shape.at(o.seed, tick)
	}
}

func (o *Object) combined(d *derivation, tick int64) int64 {
	var sum, n int64
	for _, member := range o.members {
		for i := range member.Of(d.from) {
			m := &member.Of(d.from)[i]
			if m.Instance != d.instance {
				continue
			}
			if v := member.Value(m, tick); v != absent {
				sum, n = sum+v, n+1
			}
		}
	}
	switch {
	case n == 0:
		return absent
	case d.mean:
		return sum / n
	default:
		return sum
	}
}

// Rollup is what the archive keeps of the ticks from..to of a metric: by its rollup type, of those present.
func (o *Object) Rollup(m *Metric, rollup types.PerfSummaryType, from, to int64, exists func(int64) bool) int64 {
	var sum, n, last, high, low int64 = 0, 0, absent, absent, absent
	for tick := from; tick <= to; tick++ {
		if !exists(tick) {
			continue
		}
		v := o.Value(m, tick)
		if v == absent {
			continue
		}
		sum, n, last = sum+v, n+1, v
		high = max(high, v)
		if low == absent || v < low {
			low = v
		}
	}
	if n == 0 {
		return absent
	}
	switch rollup {
	case types.PerfSummaryTypeSummation:
		return sum
	case types.PerfSummaryTypeLatest:
		return last
	case types.PerfSummaryTypeMaximum:
		return high
	case types.PerfSummaryTypeMinimum:
		return low
	default:
		return (sum + n/2) / n
	}
}

// wave is a computed series: a level, a slow swing and noise below `high`; a flat one stays at its level.
type wave struct {
	key   uint64
	high  float64
	flat  bool
	quiet bool // zero but for a rare burst
}

func (w wave) at(seed uint64, tick int64) int64 {
	series := mix(seed ^ w.key)
	level := 0.1 + 0.6*unit(series)
	if w.flat {
		return int64(w.high * level)
	}
	noise := unit(mix(series ^ uint64(tick)*0x9e3779b97f4a7c15))
	if w.quiet {
		if unit(mix(series^uint64(floorDiv(tick, 90)))) < 0.98 {
			return 0
		}
		return int64(w.high * level * noise)
	}
	phase := floorMod(tick+int64(series%97), 97)
	swing := float64(phase) / 48.5
	if swing > 1 {
		swing = 2 - swing
	}
	return int64(w.high * level * (0.75 + 0.25*swing + 0.1*noise))
}

func hashText(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return mix(h.Sum64())
}

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// instances of an entity by the kind that generatedCounters names.
type instances map[string][]string

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// shapes makes the computed metrics of an entity; one entity's list is shared by all with the same instances.
type shapes struct {
	catalogue *Catalogue
	interval  int64
	made      map[string]*Shape
}

func (s *shapes) shape(kind string, of instances, cpus int) *Shape {
	key := kind + strconv.Itoa(cpus)
	for _, name := range []string{"vcpu", "pcpu", "vdisk", "datastore", "device", "port", "nic", "adapter", "path"} {
		key += "|" + strings.Join(of[name], ",")
	}
	if known, ok := s.made[key]; ok {
		return known
	}
	var metrics []Metric
	for _, line := range strings.Split(strings.TrimSpace(generatedCounters), "\n") {
		fields := strings.Fields(line)
		classes := fields[1]
		if kind == "host" {
			classes = fields[2]
		}
		for _, class := range strings.Split(classes, ",") {
			names := of[class]
			if class == "own" {
				names = []string{""}
			}
			for _, instance := range names {
				metrics = append(metrics, s.metric(fields[0], instance, kind, cpus))
			}
		}
	}
	s.made[key] = newShape(metrics)
	return s.made[key]
}

func (s *shapes) metric(name, instance, kind string, cpus int) Metric {
	id := s.catalogue.ID(name)
	w := wave{key: hashText(name + "/" + instance), high: s.highest(name, s.catalogue.Unit(id), instance, kind, cpus)}
	for _, part := range []string{"granted", "overhead", "entitlement", "QueueDepth", "lowfree", "powerCap", "state"} {
		w.flat = w.flat || strings.Contains(name, part)
	}
	for _, part := range []string{"wap", "ompress", "dropped", "errors", "Aborted", "busResets", "vmmemctl", "onflicts",
		"maxlimited", "maxLimited", "zipped", "overlap"} {
		w.quiet = w.quiet || strings.Contains(name, part)
	}
	if strings.HasSuffix(name, "state.latest") {
		w.high = 0
	}
	return Metric{Counter: id, Instance: instance, shape: w}
}

func (s *shapes) highest(name, unit, instance, kind string, cpus int) float64 {
	wide := 1.0
	if instance == "" {
		wide = float64(cpus)
	}
	switch {
	case unit == "percent":
		return 9000
	case unit == "millisecond" && strings.HasPrefix(name, "cpu.") && (strings.Contains(name, "ready") || strings.Contains(name, "costop")):
		return float64(s.interval) * 40 * wide
	case unit == "millisecond" && strings.HasPrefix(name, "cpu."):
		return float64(s.interval) * 1000 * wide
	case unit == "millisecond":
		return 14
	case unit == "microsecond":
		return 9000
	case unit == "kiloBytes" && kind == "host":
		return 200 << 20
	case unit == "kiloBytes":
		return 8 << 20
	case unit == "kiloBytesPerSecond":
		return 60000
	case unit == "megaHertz":
		return 2600 * wide
	case unit == "watt":
		return 600
	default:
		return 900
	}
}
