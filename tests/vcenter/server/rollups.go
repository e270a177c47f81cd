package main

import (
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// answerRollups writes the archive's samples: one for each whole period, of what existed in it.
func (p *PerformanceManager) answerRollups(reply *replyWriter, o *Object, spec *types.PerfQuerySpec, period int64) {
	times := p.periods(spec, period)
	kept := func(m *Metric) bool {
		return p.world.catalogue.Archived(m.Counter, m.Instance, p.options().Level)
	}
	metrics := p.chosen(o, spec.MetricId, kept)
	if len(times) == 0 || len(metrics) == 0 {
		return
	}
	line, windows := p.world.line, p.world.windows.Of(o.Name)
	exists := func(tick int64) bool {
		at := line.At(tick)
		return tick >= line.First && o.Runs(at) && !missing(windows, at)
	}
	reply.entity(spec, times, period)
	values := make([]int64, len(times))
	for _, m := range metrics {
		rollup := p.world.catalogue.byID[m.Counter].RollupType
		for i, end := range times {
			from := line.After(time.Unix(end-period, 0))
			values[i] = o.Rollup(m, rollup, from, line.Last(time.Unix(end, 0)), exists)
		}
		reply.series(spec, m, values)
	}
	reply.endEntity()
}

// periods are the ends of the whole periods that a query covers, ascending; maxSample has no say in history.
func (p *PerformanceManager) periods(spec *types.PerfQuerySpec, period int64) []int64 {
	line, now := p.world.line, p.world.clock.Now()
	lag := time.Duration(p.options().LagSeconds) * time.Second
	last := floorDiv(now.Add(-lag).Unix(), period) * period
	if spec.EndTime != nil {
		last = min(last, floorDiv(spec.EndTime.Unix(), period)*period)
	}
	length := int64(0)
	for i := range p.HistoricalInterval {
		if int64(p.HistoricalInterval[i].SamplingPeriod) == period {
			length = int64(p.HistoricalInterval[i].Length)
		}
	}
	first := max(line.At(line.First), now.Unix()-length)
	if spec.StartTime != nil {
		first = max(first, spec.StartTime.Unix())
	}
	var ends []int64
	for end := (floorDiv(first, period) + 1) * period; end <= last; end += period {
		ends = append(ends, end)
	}
	return ends
}
