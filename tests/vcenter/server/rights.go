package main

import (
	"strings"
	"sync"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// Rights are the users that the server knows and what they may not do.
type Rights struct {
	mu     sync.RWMutex
	denied map[string]map[string]bool // user → privileges that it lacks; "*" is every user
}

func newRights() *Rights { return &Rights{denied: map[string]map[string]bool{}} }

// Deny takes privileges from a user; none gives everything back.
func (r *Rights) Deny(user string, privileges []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(privileges) == 0 {
		delete(r.denied, user)
		return
	}
	r.denied[user] = map[string]bool{}
	for _, name := range privileges {
		r.denied[user][strings.TrimSpace(name)] = true
	}
}

// Has says whether a user has a privilege.
func (r *Rights) Has(user, privilege string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return !r.denied[user][privilege] && !r.denied["*"][privilege]
}

// refuse is the fault for a caller who may not read performance data, nil for one who may.
func (r *Rights) refuse(ctx *simulator.Context, what types.ManagedObjectReference) *soap.Fault {
	if r.Has(ctx.Session.UserName, "System.Read") {
		return nil
	}
	return simulator.Fault("Permission to perform this operation was denied.",
		&types.NoPermission{Object: &what, PrivilegeId: "System.Read"})
}

// AuthorizationManager answers what the session's user may do, instead of "everything".
type AuthorizationManager struct {
	simulator.AuthorizationManager
	rights *Rights
}

func newAuthorizationManager(w *World, rights *Rights) {
	original, ok := w.reg.Get(*w.model.ServiceContent.AuthorizationManager).(*simulator.AuthorizationManager)
	if ok {
		w.reg.Put(&AuthorizationManager{AuthorizationManager: *original, rights: rights})
	}
}

func (m *AuthorizationManager) availability(user string, privileges []string) []types.PrivilegeAvailability {
	var found []types.PrivilegeAvailability
	for _, name := range privileges {
		found = append(found, types.PrivilegeAvailability{PrivId: name, IsGranted: m.rights.Has(user, name)})
	}
	return found
}

// HasPrivilegeOnEntities is asked for the caller's own session.
func (m *AuthorizationManager) HasPrivilegeOnEntities(
	ctx *simulator.Context, req *types.HasPrivilegeOnEntities,
) soap.HasFault {
	body := &methods.HasPrivilegeOnEntitiesBody{Res: &types.HasPrivilegeOnEntitiesResponse{}}
	for _, entity := range req.Entity {
		body.Res.Returnval = append(body.Res.Returnval, types.EntityPrivilege{
			Entity: entity, PrivAvailability: m.availability(ctx.Session.UserName, req.PrivId),
		})
	}
	return body
}

// HasPrivilegeOnEntity is the same for one entity.
func (m *AuthorizationManager) HasPrivilegeOnEntity(
	ctx *simulator.Context, req *types.HasPrivilegeOnEntity,
) soap.HasFault {
	body := &methods.HasPrivilegeOnEntityBody{Res: &types.HasPrivilegeOnEntityResponse{}}
	for _, name := range req.PrivId {
		body.Res.Returnval = append(body.Res.Returnval, m.rights.Has(ctx.Session.UserName, name))
	}
	return body
}

// HasUserPrivilegeOnEntities is asked for a user.
func (m *AuthorizationManager) HasUserPrivilegeOnEntities(
	ctx *simulator.Context, req *types.HasUserPrivilegeOnEntities,
) soap.HasFault {
	body := &methods.HasUserPrivilegeOnEntitiesBody{Res: &types.HasUserPrivilegeOnEntitiesResponse{}}
	for _, entity := range req.Entities {
		body.Res.Returnval = append(body.Res.Returnval, types.EntityPrivilege{
			Entity: entity, PrivAvailability: m.availability(req.UserName, req.PrivId),
		})
	}
	return body
}

// FetchUserPrivilegeOnEntities lists what a user has.
func (m *AuthorizationManager) FetchUserPrivilegeOnEntities(
	ctx *simulator.Context, req *types.FetchUserPrivilegeOnEntities,
) soap.HasFault {
	body := &methods.FetchUserPrivilegeOnEntitiesBody{Res: &types.FetchUserPrivilegeOnEntitiesResponse{}}
	var has []string
	for _, name := range object.AuthorizationRoleList(m.RoleList).ByName("Admin").Privilege {
		if m.rights.Has(req.UserName, name) {
			has = append(has, name)
		}
	}
	for _, entity := range req.Entities {
		body.Res.Returnval = append(body.Res.Returnval, types.UserPrivilegeResult{Entity: entity, Privileges: has})
	}
	return body
}
