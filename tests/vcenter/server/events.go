package main

import (
	"reflect"
	"sync/atomic"
	"text/template"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// Scribe posts events: those of changes as they are made, those of the scenario when their tick comes.
type Scribe struct {
	world *World
	moved func(vm, host string, at time.Time) error // how a scenario's vMotion is done
	done  atomic.Int64                              // the last tick whose events are posted
}

// Happening is an event to be posted.
type Happening struct {
	Type    string // a type of the API, or the id of an EventEx
	VM      *simulator.VirtualMachine
	Host    *simulator.HostSystem
	From    *simulator.HostSystem
	To      *simulator.HostSystem // where a VM is moved to
	Task    *types.TaskInfo
	Store   *simulator.Datastore
	Cluster *simulator.ClusterComputeResource
	Spec    *types.VirtualMachineConfigSpec
	Text    string
	Fill    func(types.BaseEvent) // completes what only some events have
	At      time.Time
	User    string

	Chain int32 // the first event of the chain that it belongs to; 0: it begins one
}

const administrator = "VSPHERE.LOCAL\\Administrator"

func newScribe(w *World) *Scribe {
	s := &Scribe{world: w}
	s.done.Store(-1)
	manager := w.reg.EventManager()
	described := append([]types.EventDescriptionEventDetail(nil), manager.Description.EventInfo...)
	for n := range described {
		// the simulator makes a template of each, and a few are none: posting such an event would end it
		if _, err := template.New("").Parse(described[n].FullFormat); err != nil {
			described[n].FullFormat = ""
		}
	}
	manager.Description.EventInfo = described
	return s
}

// post puts an event into the history and hands it to collectors; returns its key.
func (s *Scribe) post(h Happening) int32 {
	event := s.build(h)
	base := event.GetEvent()
	ctx := s.world.context()
	manager := s.world.reg.EventManager()
	at := h.At
	if at.IsZero() {
		at = s.world.clock.Now()
	}
	ctx.WithLock(manager, func() {
		base.CreatedTime = at
		manager.PostEvent(ctx, &types.PostEvent{EventToPost: event})
		base.CreatedTime = at.UTC() // the simulator knows the machine's clock only
		base.UserName = orText(h.User, administrator)
		if h.Text != "" {
			base.FullFormattedMessage = h.Text
		}
		if h.Chain != 0 {
			base.ChainId = h.Chain
		}
	})
	return base.Key
}

func (s *Scribe) build(h Happening) types.BaseEvent {
	var event types.BaseEvent
	if kind, known := types.TypeFunc()(h.Type); known {
		event, _ = reflect.New(kind).Interface().(types.BaseEvent)
	}
	if event == nil {
		object := s.object(h)
		event = &types.EventEx{EventTypeId: h.Type, Severity: "info", Message: h.Text,
			ObjectType: object.Type, ObjectId: object.Value}
	}
	base := event.GetEvent()
	base.Datacenter = &types.DatacenterEventArgument{
		EntityEventArgument: types.EntityEventArgument{Name: s.world.dc.Name}, Datacenter: s.world.dc.Self,
	}
	if h.VM != nil {
		base.Vm = &types.VmEventArgument{EntityEventArgument: types.EntityEventArgument{Name: h.VM.Name}, Vm: h.VM.Self}
	}
	if h.Host != nil {
		base.Host = hostArgument(h.Host)
		if parent := s.world.computeResource(h.Host); parent != nil {
			base.ComputeResource = &types.ComputeResourceEventArgument{
				EntityEventArgument: types.EntityEventArgument{Name: parent.Name}, ComputeResource: parent.Self,
			}
		}
	}
	if h.Store != nil {
		base.Ds = datastoreArgument(h.Store)
	}
	if h.Cluster != nil {
		base.ComputeResource = &types.ComputeResourceEventArgument{
			EntityEventArgument: types.EntityEventArgument{Name: h.Cluster.Name}, ComputeResource: h.Cluster.Self,
		}
	}
	complete(event, h)
	if h.Fill != nil {
		h.Fill(event)
	}
	return event
}

// object is what an EventEx is about. The simulator's alarms look it up, and panic where it is not there.
func (s *Scribe) object(h Happening) types.ManagedObjectReference {
	if h.VM != nil && s.world.reg.Get(h.VM.Self) != nil {
		return h.VM.Self
	}
	if h.Host != nil && s.world.reg.Get(h.Host.Self) != nil {
		return h.Host.Self
	}
	return s.world.dc.Self
}

// complete fills in what a type needs beyond the common fields: an empty reference can't be read by clients.
func complete(event types.BaseEvent, h Happening) {
	from := h.From
	if from == nil {
		from = h.Host
	}
	switch known := event.(type) {
	case *types.VmMigratedEvent:
		known.SourceHost = *hostArgument(from)
	case *types.DrsVmMigratedEvent:
		known.SourceHost = *hostArgument(from)
	case *types.VmRelocatedEvent:
		known.SourceHost = *hostArgument(from)
	case *types.VmBeingMigratedEvent:
		known.DestHost = *hostArgument(h.To)
	case *types.VmFailedMigrateEvent:
		known.DestHost = *hostArgument(h.To)
		known.Reason = types.LocalizedMethodFault{Fault: &types.InvalidState{}, LocalizedMessage: h.Text}
	case *types.VmReconfiguredEvent:
		if h.Spec != nil {
			known.ConfigSpec = *h.Spec
		}
	case *types.DatastoreIORMReconfiguredEvent:
		if h.Store != nil {
			known.Datastore = datastoreArgument(h.Store)
		}
	case *types.TaskEvent:
		known.Info = types.TaskInfo{Task: types.ManagedObjectReference{Type: "Task", Value: "task-0"}, Key: "task-0",
			State: types.TaskInfoStateSuccess, Reason: &types.TaskReasonSystem{}}
		if h.Task != nil {
			known.Info = *h.Task
		}
	}
}

func datastoreArgument(store *simulator.Datastore) *types.DatastoreEventArgument {
	return &types.DatastoreEventArgument{EntityEventArgument: types.EntityEventArgument{Name: store.Name}, Datastore: store.Self}
}

func hostArgument(host *simulator.HostSystem) *types.HostEventArgument {
	if host == nil {
		unknown := types.ManagedObjectReference{Type: "HostSystem", Value: "host-0"}
		return &types.HostEventArgument{Host: unknown}
	}
	return &types.HostEventArgument{EntityEventArgument: types.EntityEventArgument{Name: host.Name}, Host: host.Self}
}

// follow posts the scenario's events, those of the past at once.
func (s *Scribe) follow() {
	if len(s.world.scenario.Events) == 0 {
		return
	}
	pause := min(time.Duration(s.world.line.Interval)*time.Second/4, time.Second)
	for {
		s.catchUp(s.world.line.Last(s.world.clock.Now()))
		time.Sleep(pause)
	}
}

func (s *Scribe) catchUp(last int64) {
	ticks := int64(max(s.world.scenario.Ticks, 1))
	for tick := s.done.Load() + 1; tick <= last; tick++ {
		for i := range s.world.scenario.Events {
			if event := &s.world.scenario.Events[i]; int64(event.Tick) == floorMod(tick, ticks) {
				s.happen(event, time.Unix(s.world.line.At(tick), 0))
			}
		}
		s.done.Store(tick)
	}
}

func (s *Scribe) happen(event *EventEntry, at time.Time) {
	if event.Type == "VmMigratedEvent" && event.To != nil && s.moved != nil {
		_ = s.moved(event.VM, *event.To, at)
		return
	}
	happening := Happening{Type: event.Type, Text: event.Text, At: at, Host: s.world.host(event.Host)}
	if vm := s.world.machine(event.VM); vm != nil {
		happening.VM = vm
		happening.Host, _ = s.world.reg.Get(*vm.Runtime.Host).(*simulator.HostSystem)
	}
	s.post(happening)
}

// machine finds a VM by name, nil when there is none.
func (w *World) machine(name string) *simulator.VirtualMachine {
	o, err := w.named("vm", name)
	if err != nil {
		return nil
	}
	vm, _ := w.reg.Get(o.Ref).(*simulator.VirtualMachine)
	return vm
}

// host finds a host by name, nil when there is none.
func (w *World) host(name string) *simulator.HostSystem {
	o, err := w.named("host", name)
	if err != nil {
		return nil
	}
	host, _ := w.reg.Get(o.Ref).(*simulator.HostSystem)
	return host
}
