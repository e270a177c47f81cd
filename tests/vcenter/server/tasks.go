package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	mostTaskCollectors = 32 // vCenter's task.maxCollectors
	mostTasksRead      = 1000
)

// Tasks are all tasks that ever were, as vCenter's database has them, on the server's clock. The simulator keeps
// the last 1,000, knows when they were queued only, and reads them on the machine's clock.
type Tasks struct {
	mo.TaskManager
	world *World

	mu         sync.Mutex
	all        []*simulator.Task
	shift      map[*simulator.Task]time.Duration
	collectors map[types.ManagedObjectReference]*TaskHistoryCollector
	running    map[string]*simulator.Task
}

func newTasks(w *World) *Tasks {
	t := &Tasks{world: w, shift: map[*simulator.Task]time.Duration{}, running: map[string]*simulator.Task{},
		collectors: map[types.ManagedObjectReference]*TaskHistoryCollector{}}
	t.Self = types.ManagedObjectReference{Type: "TaskManager", Value: "TaskHistory"}
	w.reg.Put(t)
	w.reg.AddHandler(t)
	return t
}

// PutObject sees every task as it begins.
func (t *Tasks) PutObject(_ *simulator.Context, object mo.Reference) {
	if task, ok := object.(*simulator.Task); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.all = append(t.all, task)
		t.shift[task] = t.world.clock.Offset()
	}
}

// UpdateObject is not of interest: tasks are read as they are.
func (*Tasks) UpdateObject(*simulator.Context, mo.Reference, []types.PropertyChange) {}

// RemoveObject is not of interest: history remains.
func (*Tasks) RemoveObject(*simulator.Context, types.ManagedObjectReference) {}

// begin puts a task into the world that runs until end; ago: for how many seconds it has already.
func (t *Tasks) begin(entity mo.Entity, name, description, user string, ago float64) *simulator.Task {
	task := simulator.CreateTask(entity, description, nil)
	now := time.Now().Add(-time.Duration(ago * float64(time.Second)))
	task.Info.Name, task.Info.EntityName = name, entity.Entity().Name
	task.Info.Reason = &types.TaskReasonUser{UserName: orText(user, administrator)}
	task.Info.QueueTime, task.Info.StartTime = now, &now
	task.Info.State = types.TaskInfoStateRunning
	t.world.reg.Put(task)
	ctx := t.world.context()
	ctx.WithLock(task, func() {
		task.Info.Key, task.Info.Task = task.Self.Value, task.Self
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[task.Self.Value] = task
	return task
}

// end says what became of a task; fault is the text of its error, empty for success.
func (t *Tasks) end(key, fault string) error {
	t.mu.Lock()
	task := t.running[key]
	delete(t.running, key)
	shift := t.shift[task]
	t.mu.Unlock()
	if task == nil {
		return fmt.Errorf("no task %q is running", key)
	}
	now := t.world.clock.Now().Add(-shift)
	changes := []types.PropertyChange{
		{Name: "info.completeTime", Val: now}, {Name: "info.state", Val: types.TaskInfoStateSuccess},
	}
	if fault != "" {
		changes[1].Val = types.TaskInfoStateError
		changes = append(changes, types.PropertyChange{Name: "info.error", Val: types.LocalizedMethodFault{
			Fault: &types.GenericVmConfigFault{Reason: fault}, LocalizedMessage: fault}})
	}
	ctx := t.world.context()
	ctx.WithLock(task, func() { ctx.Update(task, changes) })
	return nil
}

// chain notes by which events a task can be followed.
func (t *Tasks) chain(task *simulator.Task, id int32) {
	t.world.context().WithLock(task, func() { task.Info.EventChainId = id })
}

// read is a task as it is now, on the server's clock.
func (t *Tasks) read(ctx *simulator.Context, task *simulator.Task) types.TaskInfo {
	var info types.TaskInfo
	ctx.WithLock(task, func() { info = task.Info })
	shift := t.shift[task]
	moved := func(at *time.Time) *time.Time {
		if at == nil {
			return nil
		}
		there := at.Add(shift).UTC()
		return &there
	}
	info.QueueTime = info.QueueTime.Add(shift).UTC()
	info.StartTime, info.CompleteTime = moved(info.StartTime), moved(info.CompleteTime)
	return info
}

// CreateCollectorForTasks finds what matches now, the oldest first.
func (t *Tasks) CreateCollectorForTasks(ctx *simulator.Context, req *types.CreateCollectorForTasks) soap.HasFault {
	body := &methods.CreateCollectorForTasksBody{}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.collectors) >= mostTaskCollectors {
		body.Fault_ = simulator.Fault("Too many task collectors to create", &types.InvalidState{})
		return body
	}
	found := &TaskHistoryCollector{tasks: t}
	for _, task := range t.all {
		if info := t.read(ctx, task); wanted(&info, &req.Filter) {
			found.rows = append(found.rows, info)
		}
	}
	ref := ctx.Session.Put(found).Reference()
	t.collectors[ref] = found
	body.Res = &types.CreateCollectorForTasksResponse{Returnval: ref}
	return body
}

// wanted is the documented filter: states, and the time that the filter names.
func wanted(info *types.TaskInfo, filter *types.TaskFilterSpec) bool {
	if len(filter.State) > 0 {
		matches := false
		for _, state := range filter.State {
			matches = matches || state == info.State
		}
		if !matches {
			return false
		}
	}
	if filter.Time == nil {
		return true
	}
	at := &info.QueueTime
	switch filter.Time.TimeType {
	case types.TaskFilterSpecTimeOptionStartedTime:
		at = info.StartTime
	case types.TaskFilterSpecTimeOptionCompletedTime:
		at = info.CompleteTime
	}
	if at == nil {
		return false
	}
	begin, end := filter.Time.BeginTime, filter.Time.EndTime
	return (begin == nil || !at.Before(*begin)) && (end == nil || !at.After(*end))
}

// TaskHistoryCollector reads what was found, page by page.
type TaskHistoryCollector struct {
	mo.TaskHistoryCollector
	tasks *Tasks
	rows  []types.TaskInfo
}

// ReadNextTasks gives the next newer ones; none at the end.
func (c *TaskHistoryCollector) ReadNextTasks(_ *simulator.Context, req *types.ReadNextTasks) soap.HasFault {
	body := &methods.ReadNextTasksBody{}
	if req.MaxCount <= 0 || req.MaxCount > mostTasksRead {
		body.Fault_ = simulator.Fault("", &types.InvalidArgument{InvalidProperty: "maxCount"})
		return body
	}
	n := min(int(req.MaxCount), len(c.rows))
	body.Res = &types.ReadNextTasksResponse{Returnval: c.rows[:n]}
	c.rows = c.rows[n:]
	return body
}

// DestroyCollector forgets it.
func (c *TaskHistoryCollector) DestroyCollector(ctx *simulator.Context, req *types.DestroyCollector) soap.HasFault {
	ctx.Session.Remove(ctx, req.This)
	c.tasks.mu.Lock()
	delete(c.tasks.collectors, req.This)
	c.tasks.mu.Unlock()
	return &methods.DestroyCollectorBody{Res: &types.DestroyCollectorResponse{}}
}

// forgetCollectors ends the collectors of sessions that are no more.
func (t *Tasks) forgetCollectors() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.collectors)
}
