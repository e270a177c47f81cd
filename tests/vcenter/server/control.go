package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// Control is the port where tests say what happens next, and ask what did.
type Control struct {
	world    *World
	front    *Front
	sessions *Sessions
	rights   *Rights
	perf     *PerformanceManager
	service  *simulator.Service
	changes  *Changes
	vsan     *Vsan
	policies *Policies
	stop     func()
}

func (c *Control) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /fault", answer(c.fault))
	mux.HandleFunc("DELETE /fault", answer(c.clear))
	mux.HandleFunc("GET /fault", answer(func(*http.Request) (any, error) { return c.front.faults.List(), nil }))
	mux.HandleFunc("POST /clock", answer(c.clock))
	mux.HandleFunc("GET /stats", answer(c.stats))
	mux.HandleFunc("POST /samples", answer(c.samples))
	mux.HandleFunc("POST /stop", answer(func(*http.Request) (any, error) { c.stop(); return nil, nil }))
	return mux
}

// answer makes a JSON reply: status 400 and {"error"} when it fails.
func answer(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer endAtPanic()
		found, err := do(r)
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			found = map[string]string{"error": err.Error()}
		}
		if found == nil {
			found = map[string]any{}
		}
		_ = json.NewEncoder(w).Encode(found)
	}
}

// endAtPanic ends the program where http would go on: the simulator's locks stay held, and all would hang.
func endAtPanic() {
	if failure := recover(); failure != nil {
		fmt.Fprintf(os.Stderr, "testvcenter: %v\n%s", failure, debug.Stack())
		os.Exit(2)
	}
}

// wish is the body of POST /fault: a protocol fault, a window of samples, a change of inventory or a switch.
type wish struct {
	Fault
	Change
	vsanCluster
	policyWish
	Kind       string   `json:"kind"`
	Type       string   `json:"type"`
	Text       string   `json:"text"`
	Entity     string   `json:"entity"`
	Counter    string   `json:"counter"`
	From       *float64 `json:"from"`
	To         *float64 `json:"to"`
	User       string   `json:"user"`
	Privileges []string `json:"privileges"`
	Limit      *int     `json:"limit"`
	Password   string   `json:"password"`
	Before     string   `json:"before"` // the method before whose next call it happens
	After      string   `json:"after"`  // the task's method, after whose next it happens, before the client hears of it
}

func (c *Control) fault(r *http.Request) (any, error) {
	var w wish
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&w); err != nil {
		return nil, err
	}
	w.Fault.Kind, w.Change.Kind = w.Kind, w.Kind
	w.Fault.Type, w.Change.Type = w.Type, w.Type
	w.Fault.Text, w.Change.Text = w.Text, w.Text
	w.Change.User = w.User
	if w.Before == "" && w.After == "" {
		return c.perform(&w)
	}
	c.sessions.acts.later(w.Before, w.After, func() error {
		_, err := c.perform(&w)
		return err
	})
	return nil, nil
}

// perform does what is wished.
func (c *Control) perform(w *wish) (any, error) {
	if w.Fault.VM = w.Change.VM; protocolFaults[w.Kind] != "" && w.Change.VM != "" {
		vm, _, err := c.changes.machine(w.Change.VM)
		if err != nil {
			return nil, err
		}
		w.Fault.vm = vm.Self.Value
	}
	if done, found, err := c.switches(w); done {
		return found, err
	}
	if done, err := c.sessions.acts.change(&w.Change); done {
		return nil, err
	}
	if w.Kind == "task_started" {
		key, err := c.changes.Start(&w.Change)
		return map[string]string{"task": key}, err
	}
	if known, err := c.changes.Make(&w.Change); known {
		c.sessions.acts.drs.measureAwake()
		return nil, err
	}
	id, err := c.front.faults.Add(w.Fault)
	return map[string]int{"id": id}, err
}

func (c *Control) switches(w *wish) (done bool, found any, err error) {
	switch w.Kind {
	case "expire":
		return true, map[string]int{"sessions": c.sessions.Expire()}, nil
	case "missing", "late", "absent":
		return true, nil, c.window(w)
	case "no_data":
		c.perf.Set(func(o *PerfOptions) { o.NoData = w.On == nil || *w.On })
	case "deny":
		c.rights.Deny(orText(w.User, "*"), w.Privileges)
	case "refuse":
		c.perf.Set(func(o *PerfOptions) { o.Refused = append(o.Refused, Refusal{w.Entity, w.Type}) })
	case "limit":
		if w.Limit == nil {
			return true, nil, fmt.Errorf("limit: how much?")
		}
		c.perf.Set(func(o *PerfOptions) { o.MaxQueryMetrics = *w.Limit })
	case "guest_starts":
		vm, _, err := c.changes.machine(w.Change.VM)
		if err != nil {
			return true, nil, err
		}
		c.changes.guests.start(vm, w.Seconds)
	case "host_certificate":
		host, _, err := c.changes.host(w.Host)
		if err != nil {
			return true, nil, err
		}
		return true, nil, c.changes.guests.doors.forge(host, w.On == nil || *w.On)
	case "vsan":
		return true, nil, c.vsan.set(w.Cluster, w.Entity, &w.vsanCluster)
	case "policy":
		if w.Change.VM == "" {
			return true, nil, c.policies.set(nil, "", w.Change.Store, &w.policyWish)
		}
		vm, _, err := c.changes.machine(w.Change.VM)
		if err != nil {
			return true, nil, err
		}
		return true, nil, c.policies.set(vm, w.Change.Label, "", &w.policyWish)
	case "host_clock":
		host, _, err := c.changes.host(w.Host)
		if err != nil {
			return true, nil, err
		}
		c.sessions.acts.clocks.set(host, w.Seconds)
	case "esxtop":
		if _, _, err := c.changes.host(w.Host); err != nil {
			return true, nil, err
		}
		c.sessions.acts.esxtop.set(w.Host, w.Change.Value)
	case "transfers_expire":
		c.changes.guests.doors.forget(types.ManagedObjectReference{})
	case "elements":
		if w.Limit == nil {
			return true, nil, fmt.Errorf("elements: how many?")
		}
		c.front.elementLimit.Store(int64(*w.Limit))
	default:
		return false, nil, nil
	}
	return true, nil, nil
}

// window takes samples away whose times are in (from, to]; without these from now on,
// for so many seconds or ticks.
func (c *Control) window(w *wish) error {
	one := Window{Kind: w.Kind, Entity: w.Entity, Counter: w.Counter, Seconds: int64(w.Seconds), From: c.world.clock.Now().Unix()}
	if w.From != nil {
		one.From = int64(*w.From)
	}
	if w.To != nil {
		one.To = int64(*w.To)
	} else if w.For > 0 {
		one.To = one.From + int64(w.For)
	} else if w.Count > 0 {
		one.To = one.From + int64(w.Count)*c.world.line.Interval
	}
	if one.To != 0 && one.To < one.From {
		return fmt.Errorf("%s: to is before from", w.Kind)
	}
	c.world.windows.Add(one)
	return nil
}

func (c *Control) clear(*http.Request) (any, error) {
	c.front.faults.Clear()
	c.world.windows.Clear(c.world.clock.Now())
	c.perf.Set(func(o *PerfOptions) { o.NoData, o.Refused = false, nil })
	return nil, nil
}

// clock moves the server's clock. A jump forward leaves a hole in the samples: nobody measured meanwhile.
func (c *Control) clock(r *http.Request) (any, error) {
	var body struct {
		Jump float64 `json:"jump"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	before, after := c.world.clock.Jump(time.Duration(body.Jump * float64(time.Second)))
	if after.After(before) {
		c.world.windows.Add(Window{Kind: "missing", From: before.Unix(), To: after.Unix()})
	}
	return map[string]float64{"now": seconds(c.world.clock.Now()), "offset": c.world.clock.Offset().Seconds()}, nil
}

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

func (c *Control) stats(*http.Request) (any, error) {
	totals := c.front.totals.Snapshot()
	for name, n := range c.perf.served.Snapshot() {
		totals[name] = n
	}
	return map[string]any{
		"requests": c.front.requests.Snapshot(), "sessions": len(c.sessions.Live()), "totals": totals,
		"now": seconds(c.world.clock.Now()), "epoch": c.world.line.Epoch, "interval": c.world.line.Interval,
	}, nil
}
