package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// FactEntry is what a scenario's vCenter knows of an object, as a recording names it, from so many seconds on.
type FactEntry struct {
	Object string  `json:"object"` // "vm:NAME", "host:NAME" …
	Name   string  `json:"name"`
	Value  any     `json:"value"`
	From   float64 `json:"from_s"`
}

// adapters are the classes of a VM's network adapters, by the words of its .vmx file.
var adapters = map[string]func(types.VirtualEthernetCard) types.BaseVirtualDevice{
	"e1000": func(card types.VirtualEthernetCard) types.BaseVirtualDevice {
		return &types.VirtualE1000{VirtualEthernetCard: card}
	},
	"e1000e": func(card types.VirtualEthernetCard) types.BaseVirtualDevice {
		return &types.VirtualE1000e{VirtualEthernetCard: card}
	},
	"sriov": func(card types.VirtualEthernetCard) types.BaseVirtualDevice {
		return &types.VirtualSriovEthernetCard{VirtualEthernetCard: card}
	},
	"vlance": func(card types.VirtualEthernetCard) types.BaseVirtualDevice {
		return &types.VirtualPCNet32{VirtualEthernetCard: card}
	},
	"vmxnet3": func(card types.VirtualEthernetCard) types.BaseVirtualDevice {
		return &types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: card}}
	},
}

// controllers are the classes of SCSI controllers, likewise.
var controllers = map[string]func(types.VirtualSCSIController) types.BaseVirtualDevice{
	"pvscsi": func(one types.VirtualSCSIController) types.BaseVirtualDevice {
		return &types.ParaVirtualSCSIController{VirtualSCSIController: one}
	},
	"lsilogic": func(one types.VirtualSCSIController) types.BaseVirtualDevice {
		return &types.VirtualLsiLogicController{VirtualSCSIController: one}
	},
	"lsisas1068": func(one types.VirtualSCSIController) types.BaseVirtualDevice {
		return &types.VirtualLsiLogicSASController{VirtualSCSIController: one}
	},
}

// tierKinds are the types of memory as the API spells them (HostMemoryTierType), by their names in facts.
var tierKinds = map[string]string{
	"dram": string(types.HostMemoryTierTypeDRAM), "nvme": string(types.HostMemoryTierTypeNVMe),
	"pmem": string(types.HostMemoryTierTypePMem),
}

// equip gives VMs the adapters, controllers and limits of disks that facts tell, from the start.
func (s *Scenario) equip() {
	vms := map[string]*VMEntry{}
	for n := range s.VMs {
		vms["vm:"+s.VMs[n].Name] = &s.VMs[n]
	}
	for _, fact := range s.Facts {
		vm := vms[fact.Object]
		if vm == nil {
			continue
		}
		for n := range vm.NICs {
			if nic := &vm.NICs[n]; fact.Name == fmt.Sprintf("nic.%d.type", nic.Key) {
				nic.Type = fmt.Sprint(fact.Value)
			}
		}
		for n := range vm.Disks {
			disk := &vm.Disks[n]
			switch limit, isNumber := fact.Value.(float64); fact.Name {
			case "vdisk." + disk.Unit + ".controller":
				vm.attach(disk, fmt.Sprint(fact.Value))
			case "vdisk." + disk.Unit + ".limit_iops":
				if isNumber {
					whole := int64(limit)
					disk.LimitIOPS = &whole
				}
			}
		}
	}
}

// attach says of which kind a disk's controller is: it is that of all disks on its bus.
func (v *VMEntry) attach(disk *DiskEntry, kind string) {
	bus, _, _ := strings.Cut(disk.Unit, ":")
	for n := range v.Disks {
		if other, _, _ := strings.Cut(v.Disks[n].Unit, ":"); other == bus {
			v.Disks[n].Controller = kind
		}
	}
}

// unknownDevice names a device of a VM whose kind nobody here can make, empty when there is none.
func (v *VMEntry) unknownDevice() string {
	for _, nic := range v.NICs {
		if nic.Type != "" && adapters[nic.Type] == nil {
			return "network adapter " + nic.Type
		}
	}
	for _, disk := range v.Disks {
		if disk.Controller != "" && controllers[disk.Controller] == nil {
			return "controller " + disk.Controller
		}
	}
	return ""
}

// changes are the facts of memory tiers and fault tolerance, each with the tick from which it holds, in their order.
func (s *Scenario) changes() []timedChange {
	var found []timedChange
	told := map[string]Change{} // what is known of an object so far, by the kind of change
	facts := append([]FactEntry(nil), s.Facts...)
	sort.SliceStable(facts, func(i, j int) bool { return facts[i].From < facts[j].From })
	for _, fact := range facts {
		kind, name, _ := strings.Cut(fact.Object, ":")
		what := changeOf(kind, fact.Name)
		if what == "" {
			continue
		}
		next := told[what+" "+fact.Object]
		next.Kind = what
		if kind == "vm" {
			next.VM = name
		} else {
			next.Host = name
		}
		next.know(kind, fact)
		told[what+" "+fact.Object] = next
		tick := int64(math.Ceil(fact.From/float64(max(s.Interval, 1)))) - 1
		found = append(found, timedChange{tick, next})
	}
	return found
}

// changeOf is the kind of change that tells a fact of a host or VM; empty for one that no change tells.
func changeOf(kind, name string) string {
	switch {
	case kind == "host" && (name == "mem.tiering" || tierOf(kind, name) != ""):
		return "memory_tiers"
	case kind == "vm" && tierOf(kind, name) != "":
		return "tier_reads"
	case kind == "vm" && strings.HasPrefix(name, "ft."):
		return "fault_tolerance"
	}
	return ""
}

// know puts a fact into the change that tells it.
func (x *Change) know(kind string, fact FactEntry) {
	number, _ := fact.Value.(float64)
	switch fact.Name {
	case "mem.tiering", "ft.protection":
		x.Mode = fmt.Sprint(fact.Value)
	case "ft.latency_status":
		x.Value = fmt.Sprint(fact.Value)
	case "ft.secondary_latency_ms":
		x.Millis = int32(number)
	case "ft.log_kbps":
		x.Kbps = int32(number)
	}
	if tier := tierOf(kind, fact.Name); tier != "" {
		all := map[string]float64{tier: number}
		for one, known := range x.Tiers {
			if one != tier {
				all[one] = known
			}
		}
		x.Tiers = all
	}
}

// tierOf is the kind of memory whose size of a host, or whose reads of a VM, a fact tells; empty for any other fact.
func tierOf(kind, name string) string {
	ending := map[string]string{"host": "_mb", "vm": ".read_mbps"}[kind]
	of, isTier := strings.CutPrefix(name, "tier.")
	if of, isWhole := strings.CutSuffix(of, ending); isTier && isWhole {
		return tierKinds[of]
	}
	return ""
}

type timedChange struct {
	tick   int64
	change Change
}

// followFacts makes the changes that are due, then each at its tick. They do not begin again with the samples: what
// a scenario told last holds.
func (c *Changes) followFacts() {
	ahead := c.makeDue(c.world.scenario.changes())
	if len(ahead) == 0 {
		return
	}
	pause := min(time.Duration(c.world.line.Interval)*time.Second/4, time.Second)
	go func() {
		for len(ahead) > 0 {
			time.Sleep(pause)
			ahead = c.makeDue(ahead)
		}
	}()
}

func (c *Changes) makeDue(ahead []timedChange) []timedChange {
	last := c.world.line.Last(c.world.clock.Now())
	for len(ahead) > 0 && ahead[0].tick <= last {
		_, _ = c.Make(&ahead[0].change) // of an object that a test took away there is nothing to tell
		ahead = ahead[1:]
	}
	return ahead
}
