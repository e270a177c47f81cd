package main

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	usualLoadMHz  = 100 // of a vCPU of a VM whose load nobody has set
	leastGain     = 1   // thousandths by which a move must better the balance
	mostMoves     = 40
	drsKind       = "V1"
	drsReason     = string(types.RecommendationReasonCodeFairnessCpuAvg)
	drsReasonText = "Balance average CPU loads"
)

// targetBalance is the imbalance that DRS accepts by its rate (1 the most aggressive), in thousandths; at 5 it makes
// mandatory moves only.
var targetBalance = map[int32]int32{1: 50, 2: 100, 3: 200, 4: 300, 5: math.MaxInt32}

// DRS balances clusters by the CPU load of their VMs, as tests set it.
type DRS struct {
	acts   *Acts
	scores bool // the server is new enough (7.0) for scores, and has no balances any more
	mu     sync.Mutex
	count  int
	awake  map[types.ManagedObjectReference]bool // clusters that are balanced by the clock, too
	moving map[types.ManagedObjectReference]int  // moves of a cluster that are not done yet
}

// member is a host with its load.
type member struct {
	host     *simulator.HostSystem
	capacity float64
	vms      []*simulator.VirtualMachine
	load     float64
}

func (m *member) normal() float64 { return m.load / m.capacity }

func loadOf(vm *simulator.VirtualMachine) float64 {
	if demand := vm.Summary.QuickStats.OverallCpuDemand; demand > 0 {
		return float64(demand)
	}
	return float64(usualLoadMHz * vm.Config.Hardware.NumCPU)
}

// members are the cluster's hosts that run VMs or may.
func (d *DRS) members(cluster *simulator.ClusterComputeResource) []*member {
	var found []*member
	for _, ref := range cluster.Host {
		host := d.acts.world.hostSystem(ref)
		if host == nil || host.Runtime.ConnectionState != types.HostSystemConnectionStateConnected || host.Runtime.InMaintenanceMode {
			continue
		}
		one := &member{host: host, capacity: float64(host.Summary.Hardware.CpuMhz) * float64(host.Summary.Hardware.NumCpuCores)}
		for _, ref := range host.Vm {
			vm := d.acts.world.virtualMachine(ref)
			if vm != nil && vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
				one.vms = append(one.vms, vm)
				one.load += loadOf(vm)
			}
		}
		found = append(found, one)
	}
	return found
}

// imbalance is the standard deviation of the hosts' loads over their capacities, in thousandths.
func imbalance(members []*member) float64 {
	if len(members) == 0 {
		return 0
	}
	sum, squares := 0.0, 0.0
	for _, one := range members {
		sum += one.normal()
		squares += one.normal() * one.normal()
	}
	n := float64(len(members))
	return 1000 * math.Sqrt(max(squares/n-sum*sum/(n*n), 0))
}

// measure writes the cluster's balance, or its scores, into its summary.
func (d *DRS) measure(cluster *simulator.ClusterComputeResource) {
	if cluster == nil {
		return
	}
	summary, ok := cluster.Summary.(*types.ClusterComputeResourceSummary)
	if !ok {
		return
	}
	measured := *summary
	members := d.members(cluster)
	if d.scores {
		measured.DrsScore, measured.NumVmsPerDrsScoreBucket = score(members)
	} else {
		measured.CurrentBalance = orNumber(int32(math.Round(imbalance(members))), zero)
		measured.TargetBalance = targetBalance[d.config(cluster).VmotionRate]
	}
	d.acts.changes.set(d.acts.world.context(), cluster, map[string]any{"summary": measured})
}

// score is the mean of the VMs' (100: the host has what it asks for), and how many there are in each fifth.
func score(members []*member) (int32, []int32) {
	buckets := make([]int32, 5)
	sum, weights := 0.0, 0.0
	for _, one := range members {
		of := 100.0
		if one.load > one.capacity {
			of = 100 * one.capacity / one.load
		}
		for _, vm := range one.vms {
			buckets[min(max(int(math.Ceil(of/20))-1, 0), 4)]++
			sum += of * loadOf(vm)
			weights += loadOf(vm)
		}
	}
	for n := range buckets {
		buckets[n] = orNumber(buckets[n], zero)
	}
	if weights == 0 {
		return 100, buckets
	}
	return max(int32(math.Round(sum/weights)), 1), buckets
}

func (d *DRS) config(cluster *simulator.ClusterComputeResource) types.ClusterDrsConfigInfo {
	return cluster.ConfigurationEx.(*types.ClusterConfigInfoEx).DrsConfig
}

// behaviour is what DRS may do with a VM: the cluster's automation or the VM's own; empty for nothing.
func (d *DRS) behaviour(cluster *simulator.ClusterComputeResource, vm *simulator.VirtualMachine) types.DrsBehavior {
	config := cluster.ConfigurationEx.(*types.ClusterConfigInfoEx)
	if !isTrue(config.DrsConfig.Enabled) {
		return ""
	}
	if own := config.DrsConfig.EnableVmBehaviorOverrides; own == nil || *own {
		for _, one := range config.DrsVmConfig {
			switch {
			case one.Key != vm.Self:
			case one.Enabled != nil && !*one.Enabled:
				return ""
			case one.Behavior != "":
				return one.Behavior
			}
		}
	}
	return config.DrsConfig.DefaultVmBehavior
}

// run is one invocation of DRS: new recommendations, and moves where it is fully automated. It is called within a
// change.
func (d *DRS) run(cluster *simulator.ClusterComputeResource) []job {
	if d.move(cluster, 0) > 0 {
		return nil
	}
	members := d.members(cluster)
	target := float64(targetBalance[max(d.config(cluster).VmotionRate, 1)])
	recommended := []types.ClusterRecommendation{}
	var jobs []job
	for n := 0; n < mostMoves && imbalance(members) > target; n++ {
		vm, from, to := d.best(cluster, members)
		if vm == nil {
			break
		}
		found := d.recommend(cluster, vm, from, to)
		for _, one := range members { // as if it were done
			switch one {
			case from:
				one.load, one.vms = one.load-loadOf(vm), withoutVM(one.vms, vm)
			case to:
				one.load, one.vms = one.load+loadOf(vm), append(one.vms, vm)
			}
		}
		if d.behaviour(cluster, vm) == types.DrsBehaviorFullyAutomated {
			jobs = append(jobs, d.apply(cluster, &found)...)
		} else {
			recommended = append(recommended, found)
		}
	}
	d.acts.changes.set(d.acts.world.context(), cluster, map[string]any{"recommendation": recommended})
	d.measure(cluster)
	return jobs
}

func withoutVM(list []*simulator.VirtualMachine, vm *simulator.VirtualMachine) []*simulator.VirtualMachine {
	var kept []*simulator.VirtualMachine
	for _, one := range list {
		if one != vm {
			kept = append(kept, one)
		}
	}
	return kept
}

// best is the move that betters the balance most.
func (d *DRS) best(cluster *simulator.ClusterComputeResource, members []*member) (vm *simulator.VirtualMachine, from, to *member) {
	sort.SliceStable(members, func(i, j int) bool { return members[i].normal() > members[j].normal() })
	least := imbalance(members) - leastGain
	if len(members) < 2 {
		return nil, nil, nil
	}
	source, target := members[0], members[len(members)-1]
	for _, one := range source.vms {
		if d.behaviour(cluster, one) == "" || d.acts.world.unfit(one, target.host) != nil {
			continue
		}
		load := loadOf(one)
		source.load, target.load = source.load-load, target.load+load
		if now := imbalance(members); now < least {
			least, vm, from, to = now, one, source, target
		}
		source.load, target.load = source.load+load, target.load-load
	}
	return vm, from, to
}

func (d *DRS) recommend(cluster *simulator.ClusterComputeResource, vm *simulator.VirtualMachine, from, to *member) types.ClusterRecommendation {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	key, now := strconv.Itoa(d.count), d.acts.world.clock.Now().UTC()
	return types.ClusterRecommendation{
		Key: key, Type: drsKind, Time: now, Rating: 3, Reason: drsReason, ReasonText: drsReasonText, Target: &cluster.Self,
		Action: []types.BaseClusterAction{&types.ClusterMigrationAction{
			ClusterAction: types.ClusterAction{Type: "MigrationV1", Target: &vm.Self},
			DrsMigration: &types.ClusterDrsMigration{
				Key: key, Time: now, Vm: vm.Self, Source: from.host.Self, Destination: to.host.Self,
				CpuLoad: int32(loadOf(vm)), MemoryLoad: int64(vm.Config.Hardware.MemoryMB) << 20,
				SourceCpuLoad: int32(from.load), DestinationCpuLoad: int32(to.load),
			},
		}},
	}
}

// apply are the moves of a recommendation, with what the cluster remembers of them.
func (d *DRS) apply(cluster *simulator.ClusterComputeResource, one *types.ClusterRecommendation) []job {
	var jobs []job
	for _, action := range one.Action {
		found, isMove := action.(*types.ClusterMigrationAction)
		if !isMove {
			continue
		}
		migration := *found.DrsMigration
		vm, host := d.acts.world.virtualMachine(migration.Vm), d.acts.world.hostSystem(migration.Destination)
		if vm == nil || host == nil || *vm.Runtime.Host != migration.Source {
			continue
		}
		j := d.acts.moving(vm, &placement{host: host, drs: &migration}, "MigrateVM_Task", "VirtualMachine.migrate")
		do := j.do
		j.do = func(c *Changes) (types.AnyType, types.BaseMethodFault) {
			result, fault := do(c)
			if fault == nil {
				c.remember(cluster, found, migration)
			}
			return result, fault
		}
		d.move(cluster, 1)
		j.after = func() { d.move(cluster, -1) }
		jobs = append(jobs, j)
	}
	return jobs
}

// move counts the moves of a cluster that are not done yet; how many there are.
func (d *DRS) move(cluster *simulator.ClusterComputeResource, by int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moving[cluster.Self] += by
	return d.moving[cluster.Self]
}

func newDRS(a *Acts) *DRS {
	about := a.world.reg.Get(rootInstance).(interface{ ServiceContent() types.ServiceContent }).ServiceContent().About
	major, _ := strconv.Atoi(strings.SplitN(about.ApiVersion, ".", 2)[0])
	d := &DRS{acts: a, scores: major >= 7,
		awake: map[types.ManagedObjectReference]bool{}, moving: map[types.ManagedObjectReference]int{}}
	for _, cluster := range a.world.clusters {
		d.measure(cluster)
	}
	return d
}

// remember adds a move to the cluster's histories.
func (c *Changes) remember(cluster *simulator.ClusterComputeResource, action *types.ClusterMigrationAction, migration types.ClusterDrsMigration) {
	migration.Time = c.world.clock.Now().UTC()
	moves := append(append([]types.ClusterDrsMigration(nil), cluster.MigrationHistory...), migration)
	actions := append(append([]types.ClusterActionHistory(nil), cluster.ActionHistory...),
		types.ClusterActionHistory{Action: action, Time: migration.Time})
	c.set(c.world.context(), cluster, map[string]any{"migrationHistory": moves, "actionHistory": actions})
}

// follow balances the clusters that a test has to do with, each period.
func (d *DRS) follow(period time.Duration) {
	for range time.Tick(period) {
		d.mu.Lock()
		var awake []types.ManagedObjectReference
		for ref := range d.awake {
			awake = append(awake, ref)
		}
		d.mu.Unlock()
		for _, ref := range awake {
			if cluster, ok := d.acts.world.reg.Get(ref).(*simulator.ClusterComputeResource); ok {
				d.invoke(cluster)
			}
		}
	}
}

func (d *DRS) wake(cluster *simulator.ClusterComputeResource) {
	if cluster == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awake[cluster.Self] = true
}

// measureAwake measures again what a test may have changed.
func (d *DRS) measureAwake() {
	for _, cluster := range d.acts.world.clusters {
		d.mu.Lock()
		watched := d.awake[cluster.Self]
		d.mu.Unlock()
		if watched {
			d.acts.changes.within(0, "", func() { d.measure(cluster) })
		}
	}
}

// invoke runs DRS once, and starts what it moves.
func (d *DRS) invoke(cluster *simulator.ClusterComputeResource) {
	var jobs []job
	d.acts.changes.within(0, "", func() { jobs = d.run(cluster) })
	for _, j := range jobs {
		d.acts.beginAs("", j)
	}
}

// changeLoad sets the CPU load of a VM, by which DRS balances.
func (d *DRS) changeLoad(x *Change) error {
	c := d.acts.changes
	vm, _, err := c.machine(x.VM)
	if err != nil {
		return err
	}
	c.within(0, x.User, func() {
		stats := vm.Summary.QuickStats
		stats.OverallCpuDemand, stats.OverallCpuUsage = int32(x.MHz), int32(x.MHz)
		c.set(c.world.context(), vm, map[string]any{"summary.quickStats": stats})
		d.wake(c.world.clusterOf(vm))
		d.measure(c.world.clusterOf(vm))
	})
	return nil
}

// cluster is the one that a change names.
func (d *DRS) cluster(x *Change) (*simulator.ClusterComputeResource, error) {
	if found := d.acts.world.clusters[x.Cluster]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("there is no cluster %q", x.Cluster)
}
