package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/vmware/govmomi/pbm/methods"
	pbmsim "github.com/vmware/govmomi/pbm/simulator"
	"github.com/vmware/govmomi/pbm/types"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"
	vim "github.com/vmware/govmomi/vim25/types"
)

const policyPrivilege = "StorageProfile.View"

// policyWish is a storage policy as a test sets it: for a VM's home, one of its disks or a datastore.
type policyWish struct {
	Policy     string                    `json:"policy"`
	Rules      map[string]map[string]any `json:"rules"`      // namespace → capability, or capability/property → value
	Compliance string                    `json:"compliance"` // compliant, nonCompliant, unknown, notApplicable, outOfDate
}

// Policies are the storage policies (SPBM) and what has which; the simulator's own profiles are among them.
type Policies struct {
	world  *World
	rights *Rights
	mu     sync.Mutex
	own    map[string]*types.PbmCapabilityProfile // by id
	of     map[types.PbmServerObjectRef]string    // the policy's id
	states map[types.PbmServerObjectRef]string
}

// newPolicies serves them at /pbm.
func newPolicies(w *World, rights *Rights) *Policies {
	p := &Policies{world: w, rights: rights, own: map[string]*types.PbmCapabilityProfile{},
		of: map[types.PbmServerObjectRef]string{}, states: map[types.PbmServerObjectRef]string{}}
	if w.esxi {
		return p
	}
	reg := pbmsim.New()
	if original, ok := reg.Get(vim.ManagedObjectReference{Type: "PbmProfileProfileManager", Value: "ProfileManager"}).(*pbmsim.ProfileManager); ok {
		reg.Put(&profileManager{ProfileManager: original, policies: p})
	}
	reg.Put(&complianceManager{
		ManagedObjectReference: vim.ManagedObjectReference{Type: "PbmComplianceManager", Value: "complianceManager"}, policies: p})
	w.model.Service.RegisterSDK(reg, "/pbm/sdk")
	return p
}

// set gives an object a policy, making one of that name as the test describes it; no name takes it away.
func (p *Policies) set(vm *simulator.VirtualMachine, disk, datastore string, wish *policyWish) error {
	object, err := p.object(vm, disk, datastore)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, object)
	delete(p.states, object)
	if wish.Policy == "" {
		return nil
	}
	id := stableUUID("policy/" + wish.Policy)
	if p.own[id] == nil || wish.Rules != nil {
		p.own[id] = profile(id, wish)
	}
	p.of[object] = id
	p.states[object] = orText(wish.Compliance, string(types.PbmComplianceStatusCompliant))
	return nil
}

func (p *Policies) object(vm *simulator.VirtualMachine, disk, datastore string) (types.PbmServerObjectRef, error) {
	if vm == nil {
		store := p.world.stores[datastore]
		if store == nil {
			return types.PbmServerObjectRef{}, fmt.Errorf("there is no datastore %q", datastore)
		}
		return types.PbmServerObjectRef{ObjectType: string(types.PbmObjectTypeDatastore), Key: store.Self.Value}, nil
	}
	if disk == "" {
		return types.PbmServerObjectRef{ObjectType: string(types.PbmObjectTypeVirtualMachine), Key: vm.Self.Value}, nil
	}
	for _, device := range vm.Config.Hardware.Device {
		if one, ok := device.(*vim.VirtualDisk); ok && one.DeviceInfo.GetDescription().Label == disk {
			key := fmt.Sprintf("%s:%d", vm.Self.Value, one.Key)
			return types.PbmServerObjectRef{ObjectType: string(types.PbmObjectTypeVirtualDiskId), Key: key}, nil
		}
	}
	return types.PbmServerObjectRef{}, fmt.Errorf("%s has no disk called %q", vm.Name, disk)
}

// profile is a policy with one rule set, as the vSphere Client makes them.
func profile(id string, wish *policyWish) *types.PbmCapabilityProfile {
	var rules []types.PbmCapabilityInstance
	for namespace, all := range wish.Rules {
		for name, value := range all {
			if number, ok := value.(float64); ok {
				value = int32(number) // JSON has no integers
			}
			capability, inner, _ := strings.Cut(name, "/")
			property := types.PbmCapabilityPropertyInstance{Id: orText(inner, capability), Value: value}
			rules = append(rules, types.PbmCapabilityInstance{
				Id: types.PbmCapabilityMetadataUniqueId{Namespace: namespace, Id: capability},
				Constraint: []types.PbmCapabilityConstraintInstance{
					{PropertyInstance: []types.PbmCapabilityPropertyInstance{property}}},
			})
		}
	}
	sort.Slice(rules, func(i, j int) bool { return rules[i].Id.Id < rules[j].Id.Id })
	return &types.PbmCapabilityProfile{
		PbmProfile:      types.PbmProfile{ProfileId: types.PbmProfileId{UniqueId: id}, Name: wish.Policy, CreatedBy: "test", LastUpdatedBy: "test"},
		ProfileCategory: string(types.PbmProfileCategoryEnumREQUIREMENT),
		ResourceType:    types.PbmProfileResourceType{ResourceType: string(types.PbmProfileResourceTypeEnumSTORAGE)},
		Constraints: &types.PbmCapabilitySubProfileConstraints{
			SubProfiles: []types.PbmCapabilitySubProfile{{Name: "Rule-Set 1", Capability: rules}}},
	}
}

// exists says whether the object is in the inventory.
func (p *Policies) exists(object types.PbmServerObjectRef) bool {
	moid, _, _ := strings.Cut(object.Key, ":")
	kind := "VirtualMachine"
	if object.ObjectType == string(types.PbmObjectTypeDatastore) {
		kind = "Datastore"
	}
	return p.world.reg.Get(vim.ManagedObjectReference{Type: kind, Value: moid}) != nil
}

// refuse is the fault for a caller without the privilege, nil for one who has it.
func (p *Policies) refuse(ctx *simulator.Context) *soap.Fault {
	if p.rights.Has(ctx.Session.UserName, policyPrivilege) {
		return nil
	}
	lacking := types.PbmFaultNoPermissionEntityPrivileges{PrivilegeIds: []string{policyPrivilege}}
	return simulator.Fault(noPermissionText, &types.PbmFaultNoPermission{MissingPrivileges: []types.PbmFaultNoPermissionEntityPrivileges{lacking}})
}

// profileManager knows what has which policy; the simulator's own associates nothing.
type profileManager struct {
	*pbmsim.ProfileManager
	policies *Policies
}

func (m *profileManager) PbmQueryAssociatedProfiles(ctx *simulator.Context, req *types.PbmQueryAssociatedProfiles) soap.HasFault {
	body := &methods.PbmQueryAssociatedProfilesBody{Res: &types.PbmQueryAssociatedProfilesResponse{}}
	if fault := m.policies.refuse(ctx); fault != nil {
		return &methods.PbmQueryAssociatedProfilesBody{Fault_: fault}
	}
	m.policies.mu.Lock()
	defer m.policies.mu.Unlock()
	for _, object := range req.Entities {
		found := types.PbmQueryProfileResult{Object: object}
		if id := m.policies.of[object]; id != "" {
			found.ProfileId = []types.PbmProfileId{{UniqueId: id}}
		} else if !m.policies.exists(object) {
			found.Fault = &vim.LocalizedMethodFault{Fault: &types.PbmFaultNotFound{}, LocalizedMessage: "The object was not found."}
		}
		body.Res.Returnval = append(body.Res.Returnval, found)
	}
	return body
}

func (m *profileManager) PbmQueryDefaultRequirementProfiles(
	ctx *simulator.Context, req *types.PbmQueryDefaultRequirementProfiles,
) soap.HasFault {
	body := &methods.PbmQueryDefaultRequirementProfilesBody{Res: &types.PbmQueryDefaultRequirementProfilesResponse{}}
	if fault := m.policies.refuse(ctx); fault != nil {
		return &methods.PbmQueryDefaultRequirementProfilesBody{Fault_: fault}
	}
	m.policies.mu.Lock()
	defer m.policies.mu.Unlock()
	for _, hub := range req.Datastores {
		object := types.PbmServerObjectRef{ObjectType: string(types.PbmObjectTypeDatastore), Key: hub.HubId}
		info := types.PbmDefaultProfileInfo{Datastores: []types.PbmPlacementHub{hub}}
		if own := m.policies.own[m.policies.of[object]]; own != nil {
			info.DefaultProfile = own
		}
		body.Res.Returnval = append(body.Res.Returnval, info)
	}
	return body
}

func (m *profileManager) PbmRetrieveContent(ctx *simulator.Context, req *types.PbmRetrieveContent) soap.HasFault {
	if fault := m.policies.refuse(ctx); fault != nil {
		return &methods.PbmRetrieveContentBody{Fault_: fault}
	}
	m.policies.mu.Lock()
	defer m.policies.mu.Unlock()
	body := &methods.PbmRetrieveContentBody{Res: &types.PbmRetrieveContentResponse{}}
	for _, id := range req.ProfileIds {
		if own := m.policies.own[id.UniqueId]; own != nil {
			body.Res.Returnval = append(body.Res.Returnval, own)
			continue
		}
		one := *req
		one.ProfileIds = []types.PbmProfileId{id}
		found := m.ProfileManager.PbmRetrieveContent(&one).(*methods.PbmRetrieveContentBody)
		if found.Fault_ != nil {
			return found
		}
		body.Res.Returnval = append(body.Res.Returnval, found.Res.Returnval...)
	}
	return body
}

// complianceManager tells what was found when compliance was last checked.
type complianceManager struct {
	vim.ManagedObjectReference
	policies *Policies
}

func (m *complianceManager) PbmFetchComplianceResult(ctx *simulator.Context, req *types.PbmFetchComplianceResult) soap.HasFault {
	body := &methods.PbmFetchComplianceResultBody{Res: &types.PbmFetchComplianceResultResponse{}}
	if fault := m.policies.refuse(ctx); fault != nil {
		return &methods.PbmFetchComplianceResultBody{Fault_: fault}
	}
	m.policies.mu.Lock()
	defer m.policies.mu.Unlock()
	for _, object := range req.Entities {
		if state := m.policies.states[object]; state != "" {
			body.Res.Returnval = append(body.Res.Returnval, types.PbmComplianceResult{
				CheckTime: m.policies.world.clock.Now(), Entity: object, ComplianceStatus: state,
				Profile: &types.PbmProfileId{UniqueId: m.policies.of[object]}})
		}
	}
	return body
}
