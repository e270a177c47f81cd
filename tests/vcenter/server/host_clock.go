package main

import (
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const dateTimePrefix = "dateTimeSystem-"

// dateTimeDesk answers for the hosts' clocks, which may differ from the server's.
type dateTimeDesk struct {
	desk
	mu   sync.Mutex
	skew map[string]time.Duration // by the host's reference
}

func newDateTimeDesk(d desk) *dateTimeDesk {
	for _, host := range d.acts.world.hosts {
		host.ConfigManager.DateTimeSystem = &types.ManagedObjectReference{
			Type: "HostDateTimeSystem", Value: dateTimePrefix + host.Self.Value}
	}
	return &dateTimeDesk{desk: d, skew: map[string]time.Duration{}}
}

// QueryDateTime is the time of a host.
func (d *dateTimeDesk) QueryDateTime(_ *simulator.Context, req *types.QueryDateTime) soap.HasFault {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.world().clock.Now().Add(d.skew[strings.TrimPrefix(req.This.Value, dateTimePrefix)]).UTC()
	return &methods.QueryDateTimeBody{Res: &types.QueryDateTimeResponse{Returnval: now}}
}

// set lets a host's clock run ahead of the server's.
func (d *dateTimeDesk) set(host *simulator.HostSystem, seconds float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.skew[host.Self.Value] = time.Duration(seconds * float64(time.Second))
}

// ahead is how far a host's clock is ahead of the server's.
func (d *dateTimeDesk) ahead(host *simulator.HostSystem) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.skew[host.Self.Value]
}
