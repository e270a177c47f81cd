package main

import (
	"fmt"
	"reflect"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// pyVmomi names a reference so where any value may stand, such as the key of what is removed.
func init() { types.Add("ManagedObject", reflect.TypeOf(types.ManagedObjectReference{})) }

// clusterDesk answers for clusters: their settings, and DRS' recommendations.
type clusterDesk struct {
	desk
	drs *DRS
}

func (d *clusterDesk) cluster(ref types.ManagedObjectReference) *simulator.ClusterComputeResource {
	cluster, _ := d.world().reg.Get(ref).(*simulator.ClusterComputeResource)
	return cluster
}

// ReconfigureComputeResourceTask changes DRS here; a specification of anything else is the simulator's.
func (d *clusterDesk) ReconfigureComputeResourceTask(
	ctx *simulator.Context, req *types.ReconfigureComputeResource_Task,
) soap.HasFault {
	body := &methods.ReconfigureComputeResource_TaskBody{}
	cluster := d.cluster(req.This)
	spec, ofCluster := req.Spec.(*types.ClusterConfigSpecEx)
	switch {
	case cluster == nil:
		body.Fault_ = gone(req.This)
		return body
	case !ofCluster:
		body.Fault_ = invalid("spec")
		return body
	case spec.DrsConfig == nil && len(spec.DrsVmConfigSpec) == 0 && req.Modify:
		return cluster.ReconfigureComputeResourceTask(ctx, req)
	}
	rest := *spec
	rest.DrsConfig, rest.DrsVmConfigSpec = nil, nil
	if !reflect.DeepEqual(rest, types.ClusterConfigSpecEx{}) {
		body.Fault_ = asFault(&types.NotSupported{})
		return body
	}
	if wrong := wrongDRS(spec.DrsConfig); wrong != "" {
		body.Fault_ = invalid(wrong)
		return body
	}
	task := d.acts.begin(ctx, job{
		entity: cluster, method: "ReconfigureComputeResource_Task", description: "ComputeResource.reconfigureEx",
		do: func(c *Changes) (types.AnyType, types.BaseMethodFault) {
			fault := c.reconfigureDRS(cluster, spec, req.Modify)
			d.drs.wake(cluster)
			d.drs.measure(cluster)
			return nil, fault
		}})
	body.Res = &types.ReconfigureComputeResource_TaskResponse{Returnval: task}
	return body
}

func wrongDRS(config *types.ClusterDrsConfigInfo) string {
	if config == nil {
		return ""
	}
	if config.VmotionRate < 0 || config.VmotionRate > 5 {
		return "spec.drsConfig.vmotionRate"
	}
	switch config.DefaultVmBehavior {
	case "", types.DrsBehaviorManual, types.DrsBehaviorPartiallyAutomated, types.DrsBehaviorFullyAutomated:
		return ""
	}
	return "spec.drsConfig.defaultVmBehavior"
}

// usualDRS is what a cluster has when nobody has set anything.
func usualDRS() types.ClusterDrsConfigInfo {
	return types.ClusterDrsConfigInfo{Enabled: types.NewBool(false), EnableVmBehaviorOverrides: types.NewBool(true),
		DefaultVmBehavior: types.DrsBehaviorFullyAutomated, VmotionRate: 3}
}

// reconfigureDRS changes what the specification sets; without modify, all that it leaves out goes back to the usual.
func (c *Changes) reconfigureDRS(cluster *simulator.ClusterComputeResource, spec *types.ClusterConfigSpecEx, modify bool) types.BaseMethodFault {
	config := *cluster.ConfigurationEx.(*types.ClusterConfigInfoEx)
	before := isTrue(config.DrsConfig.Enabled)
	if !modify {
		config.DrsConfig, config.DrsVmConfig = usualDRS(), nil
	}
	if spec.DrsConfig != nil {
		config.DrsConfig = mergedDRS(config.DrsConfig, spec.DrsConfig)
	}
	overrides, fault := mergedOverrides(config.DrsVmConfig, spec.DrsVmConfigSpec)
	if fault != nil {
		return fault
	}
	config.DrsVmConfig = overrides
	c.set(c.world.context(), cluster, map[string]any{"configurationEx": config})
	now := isTrue(config.DrsConfig.Enabled)
	if before && !now {
		c.removePools(cluster)
		c.post(Happening{Type: "DrsDisabledEvent", Cluster: cluster, Text: "Disabled DRS on cluster " + cluster.Name})
	}
	if !before && now {
		c.post(Happening{Type: "DrsEnabledEvent", Cluster: cluster, Text: "Enabled DRS on " + cluster.Name,
			Fill: func(event types.BaseEvent) {
				if known, ok := event.(*types.DrsEnabledEvent); ok {
					known.Behavior = string(config.DrsConfig.DefaultVmBehavior)
				}
			}})
	}
	c.post(Happening{Type: "ClusterReconfiguredEvent", Cluster: cluster, Text: "Reconfigured cluster " + cluster.Name})
	return nil
}

func mergedDRS(now types.ClusterDrsConfigInfo, spec *types.ClusterDrsConfigInfo) types.ClusterDrsConfigInfo {
	if spec.Enabled != nil {
		now.Enabled = spec.Enabled
	}
	if spec.EnableVmBehaviorOverrides != nil {
		now.EnableVmBehaviorOverrides = spec.EnableVmBehaviorOverrides
	}
	if spec.DefaultVmBehavior != "" {
		now.DefaultVmBehavior = spec.DefaultVmBehavior
	}
	now.VmotionRate = orNumber(spec.VmotionRate, now.VmotionRate)
	now.ScaleDescendantsShares = orText(spec.ScaleDescendantsShares, now.ScaleDescendantsShares)
	if len(spec.Option) > 0 {
		now.Option = mergedOptions(now.Option, spec.Option)
	}
	return now
}

func mergedOverrides(now []types.ClusterDrsVmConfigInfo, specs []types.ClusterDrsVmConfigSpec) ([]types.ClusterDrsVmConfigInfo, types.BaseMethodFault) {
	merged := append([]types.ClusterDrsVmConfigInfo{}, now...)
	for _, spec := range specs {
		key, byKey := spec.RemoveKey.(types.ManagedObjectReference)
		if spec.Info != nil {
			key, byKey = spec.Info.Key, true
		}
		at := -1
		for n := range merged {
			if merged[n].Key == key {
				at = n
			}
		}
		adding := spec.Operation == types.ArrayUpdateOperationAdd
		removing := spec.Operation == types.ArrayUpdateOperationRemove
		if !byKey || (at < 0) != adding || (spec.Info == nil) != removing {
			return nil, &types.InvalidArgument{InvalidProperty: "spec.drsVmConfigSpec"}
		}
		switch {
		case adding:
			merged = append(merged, *spec.Info)
		case removing:
			merged = append(merged[:at], merged[at+1:]...)
		default:
			if spec.Info.Enabled != nil {
				merged[at].Enabled = spec.Info.Enabled
			}
			merged[at].Behavior = types.DrsBehavior(orText(string(spec.Info.Behavior), string(merged[at].Behavior)))
		}
	}
	return merged, nil
}

// removePools is what turning DRS off does: the cluster's pools go, their VMs stay.
func (c *Changes) removePools(cluster *simulator.ClusterComputeResource) {
	ctx := c.world.context()
	root, ok := c.world.reg.Get(*cluster.ResourcePool).(*simulator.ResourcePool)
	if !ok {
		return
	}
	left := root.ResourcePool.ResourcePool
	vms := root.Vm
	for len(left) > 0 {
		pool, ok := c.world.reg.Get(left[0]).(*simulator.ResourcePool)
		left = left[1:]
		if !ok {
			continue
		}
		left = append(left, pool.ResourcePool.ResourcePool...)
		for _, ref := range pool.Vm {
			if vm := c.world.virtualMachine(ref); vm != nil {
				c.set(ctx, vm, map[string]any{"resourcePool": root.Self})
				vms = with(vms, ref)
			}
		}
		c.world.reg.Remove(ctx, pool.Self)
	}
	c.set(ctx, root, map[string]any{"resourcePool": []types.ManagedObjectReference{}, "vm": vms})
}

// RefreshRecommendation lets DRS look at the cluster now.
func (d *clusterDesk) RefreshRecommendation(_ *simulator.Context, req *types.RefreshRecommendation) soap.HasFault {
	body := &methods.RefreshRecommendationBody{Res: &types.RefreshRecommendationResponse{}}
	cluster := d.cluster(req.This)
	if cluster == nil {
		body.Fault_ = gone(req.This)
		return body
	}
	d.drs.wake(cluster)
	d.drs.invoke(cluster)
	return body
}

// ApplyRecommendation starts the moves of a recommendation.
func (d *clusterDesk) ApplyRecommendation(ctx *simulator.Context, req *types.ApplyRecommendation) soap.HasFault {
	body := &methods.ApplyRecommendationBody{Res: &types.ApplyRecommendationResponse{}}
	one := d.takeOut(req.This, req.Key)
	if one == nil {
		body.Fault_ = invalid("key")
		return body
	}
	var jobs []job
	d.acts.changes.within(0, "", func() { jobs = d.drs.apply(d.cluster(req.This), one) })
	for _, j := range jobs {
		d.acts.begin(ctx, j)
	}
	return body
}

// CancelRecommendation strikes one from the list.
func (d *clusterDesk) CancelRecommendation(_ *simulator.Context, req *types.CancelRecommendation) soap.HasFault {
	body := &methods.CancelRecommendationBody{Res: &types.CancelRecommendationResponse{}}
	if d.takeOut(req.This, req.Key) == nil {
		body.Fault_ = invalid("key")
	}
	return body
}

// takeOut takes a recommendation from the cluster's list, nil when it is not there.
func (d *clusterDesk) takeOut(ref types.ManagedObjectReference, key string) *types.ClusterRecommendation {
	cluster := d.cluster(ref)
	if cluster == nil {
		return nil
	}
	var found *types.ClusterRecommendation
	kept := []types.ClusterRecommendation{}
	for n := range cluster.Recommendation {
		if one := cluster.Recommendation[n]; one.Key == key {
			found = &one
		} else {
			kept = append(kept, one)
		}
	}
	if found != nil {
		d.acts.changes.set(d.world().context(), cluster, map[string]any{"recommendation": kept})
	}
	return found
}

// changeDRS is somebody else's change.
func (d *DRS) changeDRS(x *Change) error {
	cluster, err := d.cluster(x)
	if err != nil {
		return err
	}
	config := &types.ClusterDrsConfigInfo{Enabled: x.Enabled, DefaultVmBehavior: types.DrsBehavior(x.Behave), VmotionRate: x.Rate}
	if wrong := wrongDRS(config); wrong != "" {
		return fmt.Errorf("drs_changed: %s is none that there is", wrong)
	}
	d.acts.changes.within(0, x.User, func() {
		d.acts.changes.reconfigureDRS(cluster, &types.ClusterConfigSpecEx{DrsConfig: config}, true)
		d.measure(cluster)
	})
	return nil
}
