package main

import (
	"reflect"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// Sessions knows who is logged in and can end that, as a time-out or an administrator would.
type Sessions struct {
	world   *World
	tasks   *Tasks
	acts    *Acts // nil until the server listens
	mu      sync.Mutex
	known   map[string]*simulator.Session
	expired map[string]bool
}

// watchSessions sees every call before the simulator does.
func watchSessions(w *World, tasks *Tasks) *Sessions {
	s := &Sessions{world: w, tasks: tasks, known: map[string]*simulator.Session{}, expired: map[string]bool{}}
	w.reg.Handler = s.before
	return s
}

func (s *Sessions) before(
	ctx *simulator.Context, method *simulator.Method,
) (mo.Reference, types.BaseMethodFault) {
	if ctx.Session != nil {
		s.mu.Lock()
		s.known[ctx.Session.Key] = ctx.Session
		s.mu.Unlock()
	} else if !anonymous(method) {
		this := method.This
		return nil, &types.NotAuthenticated{NoPermission: types.NoPermission{Object: &this, PrivilegeId: "System.View"}}
	}
	if method.Name == "CreateCollectorForTasks" && !s.world.esxi {
		method.This = s.tasks.Self // the session prefers its own objects to a handler
	}
	if query, ok := method.Body.(*types.QueryEvents); ok && query.Filter.MaxCount == 0 {
		query.Filter.MaxCount = 1000 // the simulator's own default is a page of 10
	}
	if ctx.Session == nil || s.acts == nil {
		return nil, nil
	}
	return nil, s.acts.take(ctx, method)
}

// anonymous says whether a property read needs no login: the simulator lets all pass, a vCenter does not.
func anonymous(method *simulator.Method) bool {
	var specs []types.PropertyFilterSpec
	switch body := method.Body.(type) {
	case *types.RetrievePropertiesEx:
		specs = body.SpecSet
	case *types.RetrieveProperties:
		specs = body.SpecSet
	default:
		// Fetch is how old clients read one property; its type is internal to the simulator
		return method.Name != "Fetch" || openToAll(reflect.ValueOf(body).Elem().FieldByName("This").Interface())
	}
	for _, spec := range specs {
		for _, object := range spec.ObjectSet {
			if !openToAll(object.Obj) {
				return false
			}
		}
	}
	return true
}

func openToAll(object any) bool {
	ref, _ := object.(types.ManagedObjectReference)
	return ref.Type == "ServiceInstance" || ref.Type == "SessionManager"
}

// Live are the keys of the sessions that the server has.
func (s *Sessions) Live() []string {
	var keys []string
	for _, one := range s.list() {
		keys = append(keys, one.Key)
	}
	return keys
}

func (s *Sessions) list() []types.UserSession {
	probe := &simulator.Session{Registry: simulator.NewRegistry(), Map: s.world.reg}
	return probe.Get(*s.world.model.ServiceContent.SessionManager).(*simulator.SessionManager).SessionList
}

// named is the session of a cookie, nil when it does not live.
func (s *Sessions) named(key string) *types.UserSession {
	for _, one := range s.list() {
		if one.Key == key {
			return &one
		}
	}
	return nil
}

// Expire ends every session; calls that wait are cut off. Returns how many there were.
func (s *Sessions) Expire() int {
	keys := s.Live()
	s.tasks.forgetCollectors()
	manager := s.world.reg.SessionManager()
	for _, key := range keys {
		s.mu.Lock()
		session := s.known[key]
		s.expired[key] = true
		delete(s.known, key)
		s.mu.Unlock()
		if session == nil {
			session = &simulator.Session{Registry: simulator.NewRegistry(), Map: s.world.reg}
			session.Key = key
		}
		for _, one := range session.Registry.AllReference("PropertyCollector") {
			if collector, ok := one.(*simulator.PropertyCollector); ok {
				collector.CancelWaitForUpdates(nil)
			}
		}
		ctx := s.world.context()
		ctx.Session = session
		manager.Logout(ctx, nil)
	}
	return len(keys)
}

// Expired says whether a session was ended by Expire.
func (s *Sessions) Expired(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.expired[key]
}

// ServiceInstance tells the time of the server's own clock.
type ServiceInstance struct {
	simulator.ServiceInstance
	clock *Clock
}

func newServiceInstance(w *World) {
	original := w.reg.Get(vim25.ServiceInstance).(*simulator.ServiceInstance)
	w.reg.Put(&ServiceInstance{ServiceInstance: *original, clock: w.clock})
}

// CurrentTime is the server's time.
func (s *ServiceInstance) CurrentTime(*types.CurrentTime) soap.HasFault {
	return &methods.CurrentTimeBody{Res: &types.CurrentTimeResponse{Returnval: s.clock.Now().UTC()}}
}
