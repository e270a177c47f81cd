package main

import (
	"errors"
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// The documented ranges of Storage I/O Control: the threshold in ms, the percentage of peak throughput.
const (
	leastThreshold, mostThreshold, usualThreshold = 5, 100, 30
	leastPeakPercent, mostPeakPercent             = 50, 100
)

// iormDesk is the part of the StorageResourceManager that is Storage I/O Control.
type iormDesk struct{ desk }

// ConfigureDatastoreIORMTask changes what the specification sets; what it leaves out stays.
func (d *iormDesk) ConfigureDatastoreIORMTask(
	ctx *simulator.Context, req *types.ConfigureDatastoreIORM_Task,
) soap.HasFault {
	body := &methods.ConfigureDatastoreIORM_TaskBody{}
	store := d.world().datastore(req.Datastore)
	if store == nil {
		body.Fault_ = gone(req.Datastore)
		return body
	}
	if wrong := wrongIORM(&req.Spec); wrong != "" {
		body.Fault_ = invalid(wrong)
		return body
	}
	task := d.acts.begin(ctx, job{
		entity: store, method: "ConfigureDatastoreIORM_Task", description: "StorageResourceManager.ConfigureDatastoreIORM",
		do: func(c *Changes) (types.AnyType, types.BaseMethodFault) { return nil, c.configureIORM(store, &req.Spec) },
	})
	body.Res = &types.ConfigureDatastoreIORM_TaskResponse{Returnval: task}
	return body
}

// wrongIORM is the property that is out of its documented range, empty for none.
func wrongIORM(spec *types.StorageIORMConfigSpec) string {
	mode := types.StorageIORMThresholdMode(spec.CongestionThresholdMode)
	switch at, peak := spec.CongestionThreshold, spec.PercentOfPeakThroughput; {
	case mode != "" && mode != types.StorageIORMThresholdModeAutomatic && mode != types.StorageIORMThresholdModeManual:
		return "spec.congestionThresholdMode"
	case at != 0 && (at < leastThreshold || at > mostThreshold):
		return "spec.congestionThreshold"
	case peak != 0 && (peak < leastPeakPercent || peak > mostPeakPercent):
		return "spec.percentOfPeakThroughput"
	}
	return ""
}

func (c *Changes) configureIORM(store *simulator.Datastore, spec *types.StorageIORMConfigSpec) types.BaseMethodFault {
	if supported := store.Capability.StorageIORMSupported; supported == nil || !*supported {
		fault := &types.IORMNotSupportedHostOnDatastore{Datastore: store.Self, DatastoreName: store.Name}
		for _, mount := range store.Host {
			fault.Host = append(fault.Host, mount.Key)
		}
		return fault
	}
	info := *store.IormConfiguration
	setBool := func(to **bool, value *bool) {
		if value != nil {
			*to = value
		}
	}
	if spec.Enabled != nil {
		info.Enabled = *spec.Enabled
	}
	info.CongestionThresholdMode = orText(spec.CongestionThresholdMode, info.CongestionThresholdMode)
	info.CongestionThreshold = orNumber(spec.CongestionThreshold, info.CongestionThreshold)
	info.PercentOfPeakThroughput = orNumber(spec.PercentOfPeakThroughput, info.PercentOfPeakThroughput)
	info.ReservableIopsThreshold = orNumber(spec.ReservableIopsThreshold, info.ReservableIopsThreshold)
	setBool(&info.StatsCollectionEnabled, spec.StatsCollectionEnabled)
	setBool(&info.ReservationEnabled, spec.ReservationEnabled)
	setBool(&info.StatsAggregationDisabled, spec.StatsAggregationDisabled)
	c.set(c.world.context(), store, map[string]any{"iormConfiguration": info})
	c.post(Happening{Type: "DatastoreIORMReconfiguredEvent", Store: store,
		Text: "Reconfigured Storage I/O Control on datastore " + store.Name})
	return nil
}

// changeIORM is somebody else's change, or the support that comes and goes with hosts.
func (c *Changes) changeIORM(x *Change) error {
	store := c.world.stores[x.Store]
	if store == nil {
		return fmt.Errorf("there is no datastore %q", x.Store)
	}
	if x.Support != nil {
		capability := store.Capability
		capability.StorageIORMSupported = x.Support
		c.set(c.world.context(), store, map[string]any{"capability": capability})
	}
	if x.Enabled == nil && x.Mode == "" && x.Millis == 0 {
		return nil
	}
	c.user = x.User
	defer func() { c.user = "" }()
	fault := c.configureIORM(store, &types.StorageIORMConfigSpec{
		Enabled: x.Enabled, CongestionThresholdMode: x.Mode, CongestionThreshold: x.Millis,
	})
	if fault != nil {
		return errors.New(faultText(fault))
	}
	return nil
}

func orNumber(value, otherwise int32) int32 {
	if value == 0 {
		return otherwise
	}
	return value
}

// QueryIORMConfigOption says what can be set.
func (d *iormDesk) QueryIORMConfigOption(_ *simulator.Context, req *types.QueryIORMConfigOption) soap.HasFault {
	body := &methods.QueryIORMConfigOptionBody{}
	if d.world().hostSystem(req.Host) == nil {
		body.Fault_ = gone(req.Host)
		return body
	}
	choice := types.BoolOption{Supported: true}
	body.Res = &types.QueryIORMConfigOptionResponse{Returnval: types.StorageIORMConfigOption{
		EnabledOption:                choice,
		CongestionThresholdOption:    types.IntOption{Min: leastThreshold, Max: mostThreshold, DefaultValue: usualThreshold},
		StatsCollectionEnabledOption: &choice, ReservationEnabledOption: &choice,
	}}
	return body
}

// QueryDatastorePerformanceSummary has only zeros, as real ones had for many datastores (govmomi issue 702).
func (d *iormDesk) QueryDatastorePerformanceSummary(
	_ *simulator.Context, req *types.QueryDatastorePerformanceSummary,
) soap.HasFault {
	body := &methods.QueryDatastorePerformanceSummaryBody{}
	if d.world().datastore(req.Datastore) == nil {
		body.Fault_ = gone(req.Datastore)
		return body
	}
	none := []float64{0, 0, 0}
	body.Res = &types.QueryDatastorePerformanceSummaryResponse{Returnval: []types.StoragePerformanceSummary{{
		Interval: 86400, Percentile: []int32{90, 95, 98}, DatastoreReadLatency: none, DatastoreWriteLatency: none,
		DatastoreVmLatency: none, DatastoreReadIops: none, DatastoreWriteIops: none,
	}}}
	return body
}
