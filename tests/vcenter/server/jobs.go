package main

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// job is a task that a client asked for.
type job struct {
	entity      mo.Entity
	method      string         // ReconfigVM_Task
	description string         // VirtualMachine.reconfigure
	before      func(*Changes) // what is told as it begins, nil for nothing
	do          func(*Changes) (types.AnyType, types.BaseMethodFault)
	after       func() // however it ended, nil for nothing
}

const progressSteps = 20

var firstJob = int64(1_000_000) // the simulator counts its own tasks from 1

// begin starts a job and returns its task at once, as vCenter does.
func (a *Acts) begin(ctx *simulator.Context, j job) types.ManagedObjectReference {
	return a.beginAs(vcenterName(ctx.Session.UserName), j)
}

// beginAs starts a job of a user, of the server itself if there is none.
func (a *Acts) beginAs(user string, j job) types.ManagedObjectReference {
	task := a.tasks.queue(j, user)
	chain := a.changes.open(task)
	if j.before != nil {
		a.changes.within(chain, user, func() { j.before(a.changes) })
	}
	go a.work(task, j, user, chain)
	return task.Self
}

// work does a job when nothing makes it slow any more, unless it is made to fail or somebody cancels it.
func (a *Acts) work(task *simulator.Task, j job, user string, chain int32) {
	if j.after != nil {
		defer j.after()
	}
	if slow := a.faults.TakeTask("task_slow", j.method); slow != nil && !a.tasks.dawdle(task, slow) {
		return
	}
	if failing := a.faults.TakeTask("task_fails", j.method); failing != nil {
		a.tasks.complete(task, nil, faultNamed(orText(failing.Type, "SystemError"), failing.Text, task.Self), failing.Text)
		return
	}
	var result types.AnyType
	var fault types.BaseMethodFault
	a.changes.within(chain, user, func() { result, fault = j.do(a.changes) })
	a.meddle(func(one *postponed) bool { return one.after != "" && matches(one.after, j.method) })
	a.tasks.complete(task, result, fault, "")
}

// open announces a task; what happens in it belongs to the chain that is returned.
func (c *Changes) open(task *simulator.Task) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chain, c.at, c.user = 0, time.Time{}, ""
	c.announce(task, time.Time{})
	return c.chain
}

// within makes changes whose events are of a chain and a user.
func (c *Changes) within(chain int32, user string, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chain, c.at, c.user = chain, time.Time{}, user
	do()
	c.user = ""
}

// queue puts a job's task into the world, running.
func (t *Tasks) queue(j job, user string) *simulator.Task {
	task := simulator.CreateTask(j.entity, j.method, nil)
	now := t.world.clock.Now().UTC()
	task.Self = types.ManagedObjectReference{Type: "Task", Value: fmt.Sprintf("task-%d", atomic.AddInt64(&firstJob, 1))}
	task.Info.Key, task.Info.Task = task.Self.Value, task.Self
	task.Info.Name, task.Info.DescriptionId, task.Info.EntityName = j.method, j.description, j.entity.Entity().Name
	task.Info.Reason = &types.TaskReasonUser{UserName: user}
	if user == "" {
		task.Info.Reason = &types.TaskReasonSystem{}
	}
	task.Info.QueueTime, task.Info.StartTime = now, &now
	task.Info.State, task.Info.Cancelable = types.TaskInfoStateRunning, true
	t.world.reg.Put(task)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shift[task] = 0 // its times are the server's already
	return task
}

// dawdle lets a task take its time, with progress; false when it was cancelled meanwhile.
func (t *Tasks) dawdle(task *simulator.Task, slow *Fault) bool {
	ctx := t.world.context()
	pause := time.Duration(slow.Seconds * float64(time.Second) / progressSteps)
	for step := int32(0); step < progressSteps; step++ {
		select {
		case <-time.After(pause):
		case <-slow.done:
			pause = 0
		}
		over := false
		ctx.WithLock(task, func() {
			if over = task.Info.State != types.TaskInfoStateRunning; !over {
				ctx.Update(task, []types.PropertyChange{{Name: "info.progress", Val: (step + 1) * 100 / (progressSteps + 1)}})
			}
		})
		if over {
			return false
		}
	}
	return true
}

// complete ends a task with its result or its fault.
func (t *Tasks) complete(task *simulator.Task, result types.AnyType, fault types.BaseMethodFault, text string) {
	changes := []types.PropertyChange{
		{Name: "info.completeTime", Val: t.world.clock.Now().UTC()}, {Name: "info.cancelable", Val: false},
	}
	if result != nil {
		changes = append(changes, types.PropertyChange{Name: "info.result", Val: result})
	}
	state := types.TaskInfoStateSuccess
	if fault != nil {
		state = types.TaskInfoStateError
		changes = append(changes, types.PropertyChange{Name: "info.error", Val: types.LocalizedMethodFault{
			Fault: fault, LocalizedMessage: orText(text, faultText(fault)),
		}})
	}
	changes = append(changes, types.PropertyChange{Name: "info.state", Val: state})
	ctx := t.world.context()
	ctx.WithLock(task, func() {
		if task.Info.State == types.TaskInfoStateRunning {
			ctx.Update(task, changes)
		}
	})
}

// faultNamed makes a fault of a type of the API; its text stands where the type has a place for one, and the task's
// object where it needs one.
func faultNamed(kind, text string, about types.ManagedObjectReference) types.BaseMethodFault {
	found, known := types.TypeFunc()(kind)
	if !known {
		return &types.SystemError{Reason: orText(text, kind)}
	}
	value := reflect.New(found)
	for _, name := range []string{"Reason", "PrivilegeId"} {
		if field := value.Elem().FieldByName(name); field.IsValid() && field.Kind() == reflect.String {
			field.SetString(text)
		}
	}
	for n := range found.NumField() {
		if found.Field(n).Type == reflect.TypeOf(about) {
			value.Elem().Field(n).Set(reflect.ValueOf(about))
		}
	}
	fault, isFault := value.Interface().(types.BaseMethodFault)
	if !isFault {
		return &types.SystemError{Reason: orText(text, kind)}
	}
	return fault
}

// faultText is how vCenter words a fault; for one whose words are not known here, its type.
func faultText(fault types.BaseMethodFault) string {
	switch known := fault.(type) {
	case *types.InvalidArgument:
		return "A specified parameter was not correct: " + known.InvalidProperty
	case *types.InvalidDeviceSpec:
		return fmt.Sprintf("Invalid configuration for device '%d'.", known.DeviceIndex)
	case *types.NoPermission:
		return noPermissionText
	case *types.FileAlreadyExists:
		return fmt.Sprintf("Cannot complete the operation because the file or folder %s already exists", known.File)
	case *types.FileNotFound:
		return fmt.Sprintf("File %s was not found", known.File)
	case *types.NoDiskSpace:
		return fmt.Sprintf("Insufficient disk space on datastore '%s'.", known.Datastore)
	case *types.InvalidPowerState:
		return fmt.Sprintf("The attempted operation cannot be performed in the current state (%s).", known.ExistingState)
	case *types.ConcurrentAccess:
		return "Cannot complete operation due to concurrent modification by another operation."
	case *types.IORMNotSupportedHostOnDatastore:
		return fmt.Sprintf("Datastore %s is connected to one or more hosts that do not support Storage I/O Control.", known.DatastoreName)
	case *types.SystemError:
		return "A general system error occurred: " + known.Reason
	}
	return reflect.TypeOf(fault).Elem().Name()
}
