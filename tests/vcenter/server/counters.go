package main

import (
	"fmt"
	"strings"

	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/simulator/vpx"
	"github.com/vmware/govmomi/vim25/types"
)

// Catalogue is the server's counters: govmomi's capture of a real one, and what else is needed.
type Catalogue struct {
	Info   []types.PerfCounterInfo
	byID   map[int32]*types.PerfCounterInfo
	byName map[string]int32
}

// addedCounters are documented by VMware but missing from govmomi's capture: name, unit, stats type, levels.
const addedCounters = `
cpu.swapwait.summation millisecond delta 3 4
cpu.overlap.summation millisecond delta 3 3
cpu.readiness.average percent rate 4 4
mem.state.latest number absolute 2 2
mem.zipped.latest kiloBytes absolute 4 4
power.powerCap.average watt absolute 3 3
virtualDisk.readLatencyUS.latest microsecond absolute 2 4
virtualDisk.writeLatencyUS.latest microsecond absolute 2 4
storageAdapter.queueDepth.average number absolute 3 3
disk.scsiReservationConflicts.summation number delta 2 2
`

func newCatalogue(standalone bool) *Catalogue {
	source := vpx.PerfCounter
	if standalone {
		source = esx.PerfCounter
	}
	c := &Catalogue{byID: map[int32]*types.PerfCounterInfo{}, byName: map[string]int32{}}
	c.Info = append(c.Info, source...)
	c.index()
	for _, line := range strings.Split(strings.TrimSpace(addedCounters), "\n") {
		var name, unit, stats string
		var level, device int32
		if _, err := fmt.Sscan(line, &name, &unit, &stats, &level, &device); err != nil {
			panic(line)
		}
		if _, known := c.byName[name]; !known {
			c.add(name, unit, stats, level, device)
		}
	}
	return c
}

func (c *Catalogue) index() {
	for i := range c.Info {
		info := &c.Info[i]
		c.byID[info.Key] = info
		c.byName[counterName(info)] = info.Key
	}
}

func counterName(info *types.PerfCounterInfo) string {
	return info.GroupInfo.GetElementDescription().Key + "." + info.NameInfo.GetElementDescription().Key + "." +
		string(info.RollupType)
}

// add makes a counter of this name and returns its id.
func (c *Catalogue) add(name, unit, stats string, level, device int32) int32 {
	group, rest, _ := strings.Cut(name, ".")
	dot := strings.LastIndex(rest, ".") // a name may have dots: net.throughput.usage.nfs.average
	if dot < 0 {
		panic("not group.name.rollup: " + name)
	}
	var highest int32
	for i := range c.Info {
		highest = max(highest, c.Info[i].Key)
	}
	describe := func(key string) *types.ElementDescription {
		return &types.ElementDescription{Description: types.Description{Label: key, Summary: key}, Key: key}
	}
	c.Info = append(c.Info, types.PerfCounterInfo{
		Key: highest + 1, NameInfo: describe(rest[:dot]), GroupInfo: describe(group), UnitInfo: describe(unit),
		RollupType: types.PerfSummaryType(rest[dot+1:]), StatsType: types.PerfStatsType(stats),
		Level: level, PerDeviceLevel: device,
	})
	c.index()
	return highest + 1
}

// ID is the id of group.name.rollup; one that nobody knows yet is added (a scenario may need it).
func (c *Catalogue) ID(name string) int32 {
	if id, known := c.byName[name]; known {
		return id
	}
	return c.add(name, "number", "absolute", 4, 4)
}

// Archived says whether the historical intervals keep this counter at a statistics level.
func (c *Catalogue) Archived(id int32, instance string, level int32) bool {
	info := c.byID[id]
	if info == nil {
		return false
	}
	if instance == "" {
		return info.Level <= level
	}
	return info.PerDeviceLevel <= level
}

// Unit is the unit's key: percent, millisecond, kiloBytes, …
func (c *Catalogue) Unit(id int32) string { return c.byID[id].UnitInfo.GetElementDescription().Key }

// Generated counters: name, a VM's instances, a host's instances; "-" is none, "own" is the entity itself.
const generatedCounters = `
cpu.usage.average                    own            own,pcpu
cpu.usagemhz.average                 own,vcpu       own
cpu.utilization.average              -              own,pcpu
cpu.coreUtilization.average          -              own,pcpu
cpu.demand.average                   own            own
cpu.ready.summation                  own,vcpu       own
cpu.costop.summation                 own,vcpu       own
cpu.readiness.average                own            own
cpu.latency.average                  own            own
cpu.used.summation                   own,vcpu       own,pcpu
cpu.wait.summation                   own,vcpu       own
cpu.idle.summation                   own,vcpu       own,pcpu
cpu.system.summation                 own,vcpu       -
cpu.run.summation                    own,vcpu       -
cpu.swapwait.summation               own,vcpu       own
cpu.overlap.summation                own,vcpu       -
cpu.maxlimited.summation             own,vcpu       -
mem.usage.average                    own            own
mem.active.average                   own            own
mem.activewrite.average              own            own
mem.granted.average                  own            own
mem.consumed.average                 own            own
mem.shared.average                   own            own
mem.sharedcommon.average             -              own
mem.zero.average                     own            own
mem.overhead.average                 own            own
mem.overheadMax.average              own            -
mem.entitlement.average              own            -
mem.vmmemctl.average                 own            own
mem.vmmemctltarget.average           own            -
mem.swapped.average                  own            -
mem.swaptarget.average               own            -
mem.swapused.average                 -              own
mem.swapinRate.average               own            own
mem.swapoutRate.average              own            own
mem.llSwapInRate.average             own            own
mem.llSwapOutRate.average            own            own
mem.compressed.average               own            own
mem.compressionRate.average          own            own
mem.decompressionRate.average        own            own
mem.latency.average                  own            own
mem.zipped.latest                    own            -
mem.state.latest                     -              own
mem.unreserved.average               -              own
mem.reservedCapacity.average         -              own
mem.lowfreethreshold.average         -              own
mem.sysUsage.average                 -              own
virtualDisk.numberReadAveraged.average   vdisk      -
virtualDisk.numberWriteAveraged.average  vdisk      -
virtualDisk.read.average                 vdisk      -
virtualDisk.write.average                vdisk      -
virtualDisk.totalReadLatency.average     vdisk      -
virtualDisk.totalWriteLatency.average    vdisk      -
virtualDisk.readLatencyUS.latest         vdisk      -
virtualDisk.writeLatencyUS.latest        vdisk      -
virtualDisk.readOIO.latest               vdisk      -
virtualDisk.writeOIO.latest              vdisk      -
datastore.numberReadAveraged.average     datastore  datastore
datastore.numberWriteAveraged.average    datastore  datastore
datastore.read.average                   datastore  datastore
datastore.write.average                  datastore  datastore
datastore.totalReadLatency.average       datastore  datastore
datastore.totalWriteLatency.average      datastore  datastore
datastore.maxTotalLatency.latest         own        own
disk.usage.average                       own        own
disk.maxTotalLatency.latest              own        own
disk.commandsAborted.summation           device     device
disk.busResets.summation                 device     device
disk.numberReadAveraged.average          device     device
disk.numberWriteAveraged.average         device     device
disk.commandsAveraged.average            device     device
disk.read.average                        device     device
disk.write.average                       device     device
disk.deviceLatency.average               -          device
disk.deviceReadLatency.average           -          device
disk.deviceWriteLatency.average          -          device
disk.kernelLatency.average               -          device
disk.kernelReadLatency.average           -          device
disk.kernelWriteLatency.average          -          device
disk.queueLatency.average                -          device
disk.queueReadLatency.average            -          device
disk.queueWriteLatency.average           -          device
disk.totalLatency.average                -          device
disk.totalReadLatency.average            -          device
disk.totalWriteLatency.average           -          device
disk.maxQueueDepth.average               -          device
disk.scsiReservationConflicts.summation  -          device
net.received.average                     own,port   own,nic
net.transmitted.average                  own,port   own,nic
net.usage.average                        own,port   own,nic
net.packetsRx.summation                  own,port   own,nic
net.packetsTx.summation                  own,port   own,nic
net.droppedRx.summation                  own,port   own,nic
net.droppedTx.summation                  own,port   own,nic
net.multicastRx.summation                own,port   own,nic
net.multicastTx.summation                own,port   own,nic
net.broadcastRx.summation                own,port   own,nic
net.broadcastTx.summation                own,port   own,nic
net.errorsRx.summation                   -          own,nic
net.errorsTx.summation                   -          own,nic
storageAdapter.commandsAveraged.average      -      adapter
storageAdapter.numberReadAveraged.average    -      adapter
storageAdapter.numberWriteAveraged.average   -      adapter
storageAdapter.read.average                  -      adapter
storageAdapter.write.average                 -      adapter
storageAdapter.totalReadLatency.average      -      adapter
storageAdapter.totalWriteLatency.average     -      adapter
storageAdapter.queueDepth.average            -      adapter
storagePath.commandsAveraged.average         -      path
storagePath.numberReadAveraged.average       -      path
storagePath.numberWriteAveraged.average      -      path
storagePath.read.average                     -      path
storagePath.write.average                    -      path
storagePath.totalReadLatency.average         -      path
storagePath.totalWriteLatency.average        -      path
storagePath.commandsAborted.summation        -      path
storagePath.busResets.summation              -      path
power.power.average                          own    own
power.powerCap.average                       -      own
power.energy.summation                       own    own
sys.uptime.latest                            own    own
rescpu.actav1.latest                         own    own
rescpu.runav1.latest                         own    own
rescpu.maxLimited1.latest                    own    own
`

// Counters that an entity has because others have them: name, how it is made, from which counter of whom.
const derivedCounters = `
cluster cpu.usage.average         mean own cpu.usage.average
cluster cpu.usagemhz.average      sum  own cpu.usagemhz.average
cluster mem.usage.average         mean own mem.usage.average
cluster mem.consumed.average      sum  own mem.consumed.average
cluster mem.active.average        sum  own mem.active.average
cluster mem.granted.average       sum  own mem.granted.average
cluster mem.vmmemctl.average      sum  own mem.vmmemctl.average
cluster mem.swapused.average      sum  own mem.swapused.average
cluster mem.overhead.average      sum  own mem.overhead.average
cluster mem.shared.average        sum  own mem.shared.average
cluster power.power.average       sum  own power.power.average
datastore datastore.numberReadAveraged.average  sum  datastore datastore.numberReadAveraged.average
datastore datastore.numberWriteAveraged.average sum  datastore datastore.numberWriteAveraged.average
datastore datastore.read.average                sum  datastore datastore.read.average
datastore datastore.write.average               sum  datastore datastore.write.average
datastore datastore.totalReadLatency.average    mean datastore datastore.totalReadLatency.average
datastore datastore.totalWriteLatency.average   mean datastore datastore.totalWriteLatency.average
`
