package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// question is the body of POST /samples: which samples there are with times in (from, to], Unix seconds.
type question struct {
	From      float64  `json:"from"`
	To        float64  `json:"to"`
	Kinds     []string `json:"kinds"`     // host, vm, cluster, datastore; none: host and vm
	Entity    string   `json:"entity"`    // glob over names
	Counters  []string `json:"counters"`  // group.name.rollup; none: all
	Instances string   `json:"instances"` // "": all; "own": the entity itself only; "each": instances only
	Period    int64    `json:"period"`    // 0: realtime; else of this historical interval
	Values    bool     `json:"values"`    // the samples themselves
}

// found is its answer. Samples that read −1 are absent and do not count.
type found struct {
	Samples  int64            `json:"samples"`
	Absent   int64            `json:"absent"`
	Series   int64            `json:"series"`
	Instants int64            `json:"instants"` // sampling times of entities
	Entities map[string]int64 `json:"entities"` // samples by "kind:name"
	Listed   []listed         `json:"listed,omitempty"`
}

type listed struct {
	Kind     string  `json:"kind"`
	Entity   string  `json:"entity"`
	Counter  string  `json:"counter"`
	Instance string  `json:"instance"`
	Times    []int64 `json:"t"`
	Values   []int64 `json:"v"`
}

// samples counts what existed between two times, whether or not it can be read yet or still.
func (c *Control) samples(r *http.Request) (any, error) {
	var q question
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return nil, err
	}
	counters := map[int32]bool{}
	for _, name := range q.Counters {
		id, known := c.world.catalogue.byName[name]
		if !known {
			return nil, fmt.Errorf("counter %q is not known", name)
		}
		counters[id] = true
	}
	if len(q.Kinds) == 0 {
		q.Kinds = []string{"host", "vm"}
	}
	answer := &found{Entities: map[string]int64{}}
	for _, o := range c.world.all() {
		if !containsText(q.Kinds, o.Kind) || !matches(q.Entity, o.Name) {
			continue
		}
		c.countObject(answer, o, &q, counters)
	}
	return answer, nil
}

func (c *Control) countObject(answer *found, o *Object, q *question, counters map[int32]bool) {
	times := c.times(o, q)
	answer.Instants += int64(len(times))
	windows := c.world.windows.Of(o.Name)
	for i := range o.Metrics {
		m := &o.Metrics[i]
		if len(counters) > 0 && !counters[m.Counter] || q.Instances == "own" && m.Instance != "" ||
			q.Instances == "each" && m.Instance == "" {
			continue
		}
		if q.Period != 0 && !c.world.catalogue.Archived(m.Counter, m.Instance, c.perf.options().Level) {
			continue
		}
		name := counterName(c.world.catalogue.byID[m.Counter])
		one := listed{Kind: o.Kind, Entity: o.Name, Counter: name, Instance: m.Instance}
		for _, at := range times {
			value := c.valueAt(o, m, q.Period, at, windows)
			if value != absent && q.Period == 0 && absentAt(windows, name, at) {
				value = absent
			}
			if value == absent {
				answer.Absent++
				continue
			}
			one.Times, one.Values = append(one.Times, at), append(one.Values, value)
		}
		answer.Series++
		answer.Samples += int64(len(one.Times))
		answer.Entities[o.Kind+":"+o.Name] += int64(len(one.Times))
		if q.Values {
			answer.Listed = append(answer.Listed, one)
		}
	}
}

func (c *Control) times(o *Object, q *question) []int64 {
	begin, end := time.UnixMilli(int64(q.From*1000)), time.UnixMilli(int64(q.To*1000))
	if q.Period != 0 {
		return c.perf.periods(&types.PerfQuerySpec{StartTime: &begin, EndTime: &end}, q.Period)
	}
	line, windows := c.world.line, c.world.windows.Of(o.Name)
	var found []int64
	for tick := max(line.After(begin), 0); tick <= line.Last(end); tick++ {
		if at := line.At(tick); o.Runs(at) && !missing(windows, at) {
			found = append(found, at)
		}
	}
	return found
}

func (c *Control) valueAt(o *Object, m *Metric, period, at int64, windows []Window) int64 {
	line := c.world.line
	if period == 0 {
		return o.Value(m, floorDiv(at-line.Epoch, line.Interval))
	}
	exists := func(tick int64) bool {
		return tick >= line.First && o.Runs(line.At(tick)) && !missing(windows, line.At(tick))
	}
	rollup := c.world.catalogue.byID[m.Counter].RollupType
	return o.Rollup(m, rollup, line.After(time.Unix(at-period, 0)), line.Last(time.Unix(at, 0)), exists)
}
