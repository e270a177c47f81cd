package main

import (
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// PerfOptions are the server's limits and habits.
type PerfOptions struct {
	MaxQueryMetrics int   // of historical queries; 0 or less: no limit, and no such setting
	ClusterFactor   int   // how often one metric of a cluster is counted; 0: once for each of its hosts
	Level           int32 // statistics level of the archive
	Rollup          int64 // the first historical interval in seconds
	KeepSeconds     int64 // how long realtime samples are kept
	LagSeconds      int64 // how long after its time a sample can be read
	NoData          bool  // a vCenter without performance data

	Refused []Refusal // objects whose samples it refuses
}

// Refusal is an object (glob of its name) that queries are refused for, with a fault of that type.
type Refusal struct{ Entity, Type string }

// refused is the fault for an object that may not be asked for, nil for one that may.
func (p *PerformanceManager) refused(ref types.ManagedObjectReference) *soap.Fault {
	o := p.world.object(ref)
	for _, one := range p.options().Refused {
		if o == nil || !matches(one.Entity, o.Name) {
			continue
		}
		if one.Type == "NoPermission" {
			return simulator.Fault("Permission to perform this operation was denied.",
				&types.NoPermission{Object: &ref, PrivilegeId: "System.Read"})
		}
		return invalidArgument("querySpec.interval")
	}
	return nil
}

// PerformanceManager answers as the documentation says that a vCenter does, where the simulator's own does not.
type PerformanceManager struct {
	simulator.PerformanceManager
	world  *World
	mu     sync.RWMutex
	given  PerfOptions
	rights *Rights
	served *Counts
}

// options are those of now.
func (p *PerformanceManager) options() PerfOptions {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.given
}

// Set changes an option.
func (p *PerformanceManager) Set(change func(*PerfOptions)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.given)
}

// Lock and Unlock do nothing: queries run at the same time, as on a real server.
func (*PerformanceManager) Lock()   {}
func (*PerformanceManager) Unlock() {}

func newPerformanceManager(w *World, options PerfOptions, rights *Rights) *PerformanceManager {
	original := w.reg.Get(*w.model.ServiceContent.PerfManager).(*simulator.PerformanceManager)
	p := &PerformanceManager{PerformanceManager: *original, world: w, given: options, rights: rights, served: &Counts{}}
	p.PerfCounter = w.catalogue.Info
	p.HistoricalInterval = nil
	for n, span := range p.intervals() {
		name := []string{"Past day", "Past week", "Past month", "Past year"}[n]
		length := []int32{86400, 604800, 2592000, 31536000}[n]
		p.HistoricalInterval = append(p.HistoricalInterval, types.PerfInterval{
			Key: int32(n + 1), SamplingPeriod: int32(span), Name: name, Length: length, Level: options.Level, Enabled: true,
		})
	}
	w.reg.Put(p)
	return p
}

// intervals are the historical sampling periods; a standalone host keeps the first only.
func (p *PerformanceManager) intervals() []int64 {
	if p.world.esxi {
		return []int64{p.options().Rollup}
	}
	return []int64{p.options().Rollup, 1800, 7200, 86400}
}

func (p *PerformanceManager) historical(interval int64) bool {
	for _, span := range p.intervals() {
		if span == interval {
			return true
		}
	}
	return false
}

func invalidArgument(property string) *soap.Fault {
	return simulator.Fault("A specified parameter was not correct: "+property,
		&types.InvalidArgument{InvalidProperty: property})
}

func notFound(ref types.ManagedObjectReference) *soap.Fault {
	return simulator.Fault(fmt.Sprintf(
		"The object 'vim.%s:%s' has already been deleted or has not been completely created", ref.Type, ref.Value),
		&types.ManagedObjectNotFound{Obj: ref})
}

// QueryPerfCounter returns catalogue entries.
func (p *PerformanceManager) QueryPerfCounter(ctx *simulator.Context, req *types.QueryPerfCounter) soap.HasFault {
	body := &methods.QueryPerfCounterBody{Res: &types.QueryPerfCounterResponse{}}
	for _, id := range req.CounterId {
		info := p.world.catalogue.byID[id]
		if info == nil {
			return &methods.QueryPerfCounterBody{Fault_: invalidArgument("counterId")}
		}
		body.Res.Returnval = append(body.Res.Returnval, *info)
	}
	return body
}

// QueryPerfCounterByLevel returns what a statistics level collects.
func (p *PerformanceManager) QueryPerfCounterByLevel(ctx *simulator.Context, req *types.QueryPerfCounterByLevel) soap.HasFault {
	body := &methods.QueryPerfCounterByLevelBody{Res: &types.QueryPerfCounterByLevelResponse{}}
	for _, info := range p.world.catalogue.Info {
		if info.Level <= req.Level {
			body.Res.Returnval = append(body.Res.Returnval, info)
		}
	}
	return body
}

// QueryPerfProviderSummary says which intervals an entity has.
func (p *PerformanceManager) QueryPerfProviderSummary(
	ctx *simulator.Context, req *types.QueryPerfProviderSummary,
) soap.HasFault {
	body := &methods.QueryPerfProviderSummaryBody{}
	if body.Fault_ = p.rights.refuse(ctx, p.Self); body.Fault_ != nil {
		return body
	}
	if ctx.Map.Get(req.Entity) == nil {
		body.Fault_ = notFound(req.Entity)
		return body
	}
	if body.Fault_ = p.refused(req.Entity); body.Fault_ != nil {
		return body
	}
	summary := types.PerfProviderSummary{Entity: req.Entity, SummarySupported: true, RefreshRate: -1}
	if realtimeKind(req.Entity.Type) {
		summary.CurrentSupported, summary.RefreshRate = true, int32(p.world.line.Interval)
	}
	body.Res = &types.QueryPerfProviderSummaryResponse{Returnval: summary}
	return body
}

func realtimeKind(kind string) bool { return kind == "VirtualMachine" || kind == "HostSystem" }

// QueryAvailablePerfMetric lists the counters and instances that an entity has samples of.
func (p *PerformanceManager) QueryAvailablePerfMetric(
	ctx *simulator.Context, req *types.QueryAvailablePerfMetric,
) soap.HasFault {
	body := &methods.QueryAvailablePerfMetricBody{}
	if body.Fault_ = p.rights.refuse(ctx, p.Self); body.Fault_ != nil {
		return body
	}
	if ctx.Map.Get(req.Entity) == nil {
		body.Fault_ = notFound(req.Entity)
		return body
	}
	if body.Fault_ = p.refused(req.Entity); body.Fault_ != nil {
		return body
	}
	body.Res = &types.QueryAvailablePerfMetricResponse{}
	o := p.world.object(req.Entity)
	if o == nil || p.options().NoData {
		return body
	}
	interval := int64(req.IntervalId)
	realtime := interval == p.world.line.Interval || interval == 0
	if realtime && !p.historical(interval) {
		if realtimeKind(req.Entity.Type) && len(p.ticks(o, req.BeginTime, req.EndTime, 1)) > 0 {
			for _, m := range o.Metrics {
				body.Res.Returnval = append(body.Res.Returnval, types.PerfMetricId{CounterId: m.Counter, Instance: m.Instance})
			}
		}
		if interval != 0 || realtimeKind(req.Entity.Type) {
			return body
		}
	} else if !p.historical(interval) {
		body.Res, body.Fault_ = nil, invalidArgument("intervalId")
		return body
	}
	for _, m := range o.Metrics {
		if p.world.catalogue.Archived(m.Counter, m.Instance, p.options().Level) {
			body.Res.Returnval = append(body.Res.Returnval, types.PerfMetricId{CounterId: m.Counter, Instance: m.Instance})
		}
	}
	return body
}

// ticks are an entity's sampling ticks that can be read now, ascending; most is 0 for all, else the newest so many.
func (p *PerformanceManager) ticks(o *Object, begin, end *time.Time, most int) []int64 {
	line, now := p.world.line, p.world.clock.Now()
	last := line.Last(now.Add(-time.Duration(p.options().LagSeconds) * time.Second))
	if end != nil {
		last = min(last, line.Last(*end))
	}
	first := max(line.After(now.Add(-time.Duration(p.options().KeepSeconds)*time.Second)), 0)
	if begin != nil {
		first = max(first, line.After(*begin))
	}
	windows := p.world.windows.Of(o.Name)
	var found []int64
	for tick := last; tick >= first && (most == 0 || len(found) < most); tick-- {
		at := line.At(tick)
		if o.Runs(at) && !missing(windows, at) && !hidden(windows, at, now) {
			found = append(found, tick)
		}
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found
}

// chosen are the metrics that a query asks for: "*" is every instance with the entity's own value, "" that alone.
func (p *PerformanceManager) chosen(o *Object, ids []types.PerfMetricId, keep func(*Metric) bool) []*Metric {
	var found []*Metric
	add := func(m *Metric) {
		if keep == nil || keep(m) {
			found = append(found, m)
		}
	}
	if len(ids) == 0 {
		for i := range o.Metrics {
			add(&o.Metrics[i])
		}
		return found
	}
	for _, id := range ids {
		all := o.Of(id.CounterId)
		if id.Instance == "*" {
			for i := range all {
				add(&all[i])
			}
			continue
		}
		if i := sort.Search(len(all), func(i int) bool { return all[i].Instance >= id.Instance }); i < len(all) && all[i].Instance == id.Instance {
			add(&all[i])
		}
	}
	return found
}

// QueryPerf returns samples: ascending, startTime exclusive, endTime inclusive.
func (p *PerformanceManager) QueryPerf(ctx *simulator.Context, req *types.QueryPerf) soap.HasFault {
	if fault := p.rights.refuse(ctx, p.Self); fault != nil {
		return &methods.QueryPerfBody{Fault_: fault}
	}
	if fault := p.check(ctx, req.QuerySpec); fault != nil {
		return &methods.QueryPerfBody{Fault_: fault}
	}
	reply := &replyWriter{}
	if !p.options().NoData {
		for i := range req.QuerySpec {
			spec := &req.QuerySpec[i]
			if o := p.world.object(spec.Entity); o != nil {
				p.answer(reply, o, spec)
			}
		}
	}
	p.served.Add("samples", reply.samples)
	p.served.Add("values", reply.values)
	return &perfBody{Res: &QueryPerfResponse{Inner: reply.text}}
}

// check finds what a vCenter refuses: things that are gone, unknown counters, intervals, and too much at once.
func (p *PerformanceManager) check(ctx *simulator.Context, specs []types.PerfQuerySpec) *soap.Fault {
	counted := 0
	for i := range specs {
		spec := &specs[i]
		if ctx.Map.Get(spec.Entity) == nil {
			return notFound(spec.Entity)
		}
		if fault := p.refused(spec.Entity); fault != nil {
			return fault
		}
		for _, id := range spec.MetricId {
			if p.world.catalogue.byID[id.CounterId] == nil {
				return invalidArgument("querySpec.metricId")
			}
		}
		interval := p.interval(spec)
		realtime := interval == p.world.line.Interval && realtimeKind(spec.Entity.Type)
		if !realtime && !p.historical(interval) {
			return invalidArgument("querySpec.interval")
		}
		if spec.Format != "" && spec.Format != "csv" && spec.Format != "normal" {
			return invalidArgument("querySpec.format")
		}
		if !realtime {
			counted += p.counted(spec)
		}
	}
	if p.options().MaxQueryMetrics > 0 && counted > p.options().MaxQueryMetrics {
		return restricted()
	}
	return nil
}

func restricted() *soap.Fault {
	const details = "vpxd.stats.maxQueryMetrics"
	return simulator.Fault(
		"This operation is restricted by the administrator - '"+details+"'. Contact your system administrator.",
		&types.RestrictedByAdministrator{Details: details})
}

// counted is how much of vpxd.stats.maxQueryMetrics a query uses; a cluster's metrics count for each of its hosts.
func (p *PerformanceManager) counted(spec *types.PerfQuerySpec) int {
	o := p.world.object(spec.Entity)
	if o == nil {
		return len(spec.MetricId)
	}
	n := 0
	if len(spec.MetricId) == 0 {
		n = len(o.Metrics)
	}
	for _, id := range spec.MetricId {
		if id.Instance == "*" {
			n += max(len(o.Of(id.CounterId)), 1)
		} else {
			n++
		}
	}
	if o.Kind == "cluster" {
		factor := p.options().ClusterFactor
		if factor == 0 {
			factor = max(len(o.members), 1)
		}
		n *= factor
	}
	return n
}

func (p *PerformanceManager) interval(spec *types.PerfQuerySpec) int64 {
	switch {
	case spec.IntervalId != 0:
		return int64(spec.IntervalId)
	case realtimeKind(spec.Entity.Type):
		return p.world.line.Interval
	default:
		return p.options().Rollup
	}
}

func (p *PerformanceManager) answer(reply *replyWriter, o *Object, spec *types.PerfQuerySpec) {
	interval := p.interval(spec)
	if interval != p.world.line.Interval || !realtimeKind(spec.Entity.Type) {
		p.answerRollups(reply, o, spec, interval)
		return
	}
	ticks := p.ticks(o, spec.StartTime, spec.EndTime, int(spec.MaxSample))
	if len(ticks) == 0 {
		return
	}
	times := make([]int64, len(ticks))
	for i, tick := range ticks {
		times[i] = p.world.line.At(tick)
	}
	windows := p.world.windows.Of(o.Name)
	reply.entity(spec, times, interval)
	values := make([]int64, len(ticks))
	for _, m := range p.chosen(o, spec.MetricId, nil) {
		name := ""
		if len(windows) > 0 {
			name = counterName(p.world.catalogue.byID[m.Counter])
		}
		for i, tick := range ticks {
			values[i] = o.Value(m, tick)
			if len(windows) > 0 && absentAt(windows, name, times[i]) {
				values[i] = absent
			}
		}
		reply.series(spec, m, values)
	}
	reply.endEntity()
}
