package main

import (
	"context"
	"fmt"
	"sort"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// World is the simulated vCenter: its inventory, its samples, and what tests have done to them.
type World struct {
	scenario  *Scenario
	catalogue *Catalogue
	clock     *Clock
	line      Timeline
	windows   *Windows
	model     *simulator.Model
	ctx       *simulator.Context
	reg       *simulator.Registry
	shapes    *shapes
	esxi      bool

	mu      sync.RWMutex
	objects map[types.ManagedObjectReference]*Object
	names   map[string]*Object // "host:NAME", "vm:NAME", "cluster:NAME", "datastore:NAME"
	removed map[string]*Object // gone, but may come back

	dc       *simulator.Datacenter
	clusters map[string]*simulator.ClusterComputeResource
	pools    map[string]*simulator.ResourcePool
	hosts    map[string]*simulator.HostSystem
	stores   map[string]*simulator.Datastore
	networks map[string]types.ManagedObjectReference
	vmdks    map[string]int64    // files of disks on datastores, with their bytes; guarded by Changes
	series   map[string][]Metric // a lab scenario's, by object
}

// newWorld builds the inventory of a scenario. Names of managed objects depend on the scenario alone.
func newWorld(scenario *Scenario, line Timeline, esxi bool) (*World, error) {
	w := &World{
		scenario: scenario, catalogue: newCatalogue(esxi), clock: &Clock{}, line: line, windows: &Windows{}, esxi: esxi,
		vmdks:   map[string]int64{},
		objects: map[types.ManagedObjectReference]*Object{}, names: map[string]*Object{}, removed: map[string]*Object{},
		clusters: map[string]*simulator.ClusterComputeResource{}, pools: map[string]*simulator.ResourcePool{},
		hosts: map[string]*simulator.HostSystem{}, stores: map[string]*simulator.Datastore{},
		networks: map[string]types.ManagedObjectReference{}, series: map[string][]Metric{},
	}
	w.shapes = &shapes{w.catalogue, line.Interval, map[string]*Shape{}}
	w.readSeries()
	if err := w.createModel(); err != nil {
		return nil, err
	}
	w.addInventory()
	return w, nil
}

func (w *World) createModel() error {
	w.model = simulator.VPX()
	if w.esxi {
		w.model = simulator.ESX()
	}
	w.model.Datacenter, w.model.Cluster, w.model.Host, w.model.ClusterHost = 1, 0, 0, 0
	w.model.Portgroup, w.model.Datastore, w.model.Machine, w.model.Pool = 0, 0, 0, 0
	if w.esxi {
		w.model.Datacenter = 0
	}
	w.model.ServiceContent.About.InstanceUuid = stableUUID("vcenter/" + w.scenario.Name)
	if err := w.model.Create(); err != nil {
		return err
	}
	w.ctx = w.model.Service.Context
	w.reg = w.ctx.Map
	w.dc = w.reg.Any("Datacenter").(*simulator.Datacenter)
	for _, ref := range w.dc.Network {
		if network, ok := w.reg.Get(ref).(*mo.Network); ok {
			w.networks[network.Name] = ref
		}
	}
	return nil
}

func (w *World) readSeries() {
	for _, s := range w.scenario.Series {
		metric := Metric{Counter: w.catalogue.ID(s.Counter), Instance: s.Instance, Values: s.Values}
		w.series[s.Object] = append(w.series[s.Object], metric)
	}
}

// context is a fresh caller, as locks in the simulator are held per caller.
func (w *World) context() *simulator.Context {
	return &simulator.Context{Context: context.Background(), Session: w.ctx.Session, Map: w.reg}
}

// put adds an entity's samples.
func (w *World) put(ref types.ManagedObjectReference, kind, name string, shape *Shape) *Object {
	key := kind + ":" + name
	if own, recorded := w.series[key]; recorded {
		shape = newShape(append([]Metric(nil), own...))
	} else if shape == nil || len(w.scenario.Series) > 0 {
		shape = newShape(nil)
	}
	o := newObject(kind, name, shape)
	o.Ref = ref
	w.mu.Lock()
	defer w.mu.Unlock()
	w.objects[ref] = o
	w.names[key] = o
	return o
}

// object finds an entity's samples by reference.
func (w *World) object(ref types.ManagedObjectReference) *Object {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.objects[ref]
}

// named finds an entity by kind and name.
func (w *World) named(kind, name string) (*Object, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if o := w.names[kind+":"+name]; o != nil {
		return o, nil
	}
	return nil, fmt.Errorf("there is no %s %q", kind, name)
}

// all are the entities, by kind and name.
func (w *World) all() []*Object {
	w.mu.RLock()
	defer w.mu.RUnlock()
	keys := make([]string, 0, len(w.names))
	for key := range w.names {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	found := make([]*Object, len(keys))
	for i, key := range keys {
		found[i] = w.names[key]
	}
	return found
}

// derive makes the metrics of a cluster or datastore from those of its hosts.
func (w *World) derive(o *Object, instance string, members []*Object) {
	fresh := newObject(o.Kind, o.Name, newShape(derivedMetrics(w.catalogue, o.Kind, instance)))
	fresh.Ref, fresh.members = o.Ref, members
	w.mu.Lock()
	defer w.mu.Unlock()
	w.objects[o.Ref], w.names[o.Kind+":"+o.Name] = fresh, fresh
}

// forget takes an entity's samples away.
func (w *World) forget(kind, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := kind + ":" + name
	if o := w.names[key]; o != nil {
		delete(w.objects, o.Ref)
		delete(w.names, key)
	}
}
