package main

import (
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// fieldDesk is the CustomFieldsManager: custom attributes and their values.
type fieldDesk struct {
	desk
	next int32
}

func (d *fieldDesk) manager() *simulator.CustomFieldsManager {
	return d.world().reg.CustomFieldsManager()
}

// appliesTo says whether a definition is for a type of object; one without a type is for all.
func appliesTo(field *types.CustomFieldDef, kind string) bool {
	return field.ManagedObjectType == "" || field.ManagedObjectType == kind
}

func (d *fieldDesk) find(fits func(*types.CustomFieldDef) bool) *types.CustomFieldDef {
	for n := range d.manager().Field {
		if field := &d.manager().Field[n]; fits(field) {
			return field
		}
	}
	return nil
}

func (d *fieldDesk) named(name, kind string) *types.CustomFieldDef {
	return d.find(func(f *types.CustomFieldDef) bool {
		return f.Name == name && (kind == "" || appliesTo(f, kind))
	})
}

// AddCustomFieldDef defines an attribute; its name must be new for the type.
func (d *fieldDesk) AddCustomFieldDef(ctx *simulator.Context, req *types.AddCustomFieldDef) soap.HasFault {
	body := &methods.AddCustomFieldDefBody{}
	if known := d.named(req.Name, req.MoType); known != nil {
		body.Fault_ = simulator.Fault("The name '"+req.Name+"' already exists.",
			&types.DuplicateName{Name: req.Name, Object: d.manager().Self})
		return body
	}
	d.next++
	field := types.CustomFieldDef{Key: 100 + d.next, Name: req.Name, Type: "string", ManagedObjectType: req.MoType,
		FieldDefPrivileges: req.FieldDefPolicy, FieldInstancePrivileges: req.FieldPolicy}
	d.define(append(append([]types.CustomFieldDef(nil), d.manager().Field...), field))
	d.tell(ctx, "CustomFieldDefAddedEvent", "Added new custom field definition "+field.Name, &field)
	body.Res = &types.AddCustomFieldDefResponse{Returnval: field}
	return body
}

// define makes these the definitions, of the manager and of all objects that they are for.
func (d *fieldDesk) define(fields []types.CustomFieldDef) {
	c, ctx := d.acts.changes, d.world().context()
	c.set(ctx, d.manager(), map[string]any{"field": fields})
	for _, object := range d.world().reg.All("") {
		own := []types.CustomFieldDef{}
		for n := range fields {
			if appliesTo(&fields[n], object.Reference().Type) {
				own = append(own, fields[n])
			}
		}
		if entity := object.Entity(); len(own) > 0 || len(entity.AvailableField) > 0 {
			ctx.WithLock(object, func() { entity.AvailableField = own })
		}
	}
}

func (d *fieldDesk) tell(ctx *simulator.Context, kind, text string, field *types.CustomFieldDef) {
	d.acts.changes.within(0, vcenterName(ctx.Session.UserName), func() {
		d.acts.changes.post(Happening{Type: kind, Text: text, Fill: func(event types.BaseEvent) {
			switch known := event.(type) {
			case *types.CustomFieldDefAddedEvent:
				known.FieldKey, known.Name = field.Key, field.Name
			case *types.CustomFieldDefRemovedEvent:
				known.FieldKey, known.Name = field.Key, field.Name
			}
		}})
	})
}

// RemoveCustomFieldDef takes an attribute away, with all its values.
func (d *fieldDesk) RemoveCustomFieldDef(ctx *simulator.Context, req *types.RemoveCustomFieldDef) soap.HasFault {
	body := &methods.RemoveCustomFieldDefBody{}
	field := d.find(func(f *types.CustomFieldDef) bool { return f.Key == req.Key })
	if field == nil {
		body.Fault_ = simulator.Fault("The object or item referred to could not be found.", &types.NotFound{})
		return body
	}
	removed := *field
	kept := []types.CustomFieldDef{}
	for _, one := range d.manager().Field {
		if one.Key != req.Key {
			kept = append(kept, one)
		}
	}
	d.define(kept)
	for _, object := range d.world().reg.All("") {
		if entity := object.Entity(); len(entity.Value) > 0 {
			values, _ := withValue(entity.Value, req.Key, nil)
			d.acts.changes.set(d.world().context(), object, map[string]any{"value": values, "customValue": values})
		}
	}
	d.tell(ctx, "CustomFieldDefRemovedEvent", "Removed field definition "+removed.Name, &removed)
	body.Res = &types.RemoveCustomFieldDefResponse{}
	return body
}

// SetField gives an object a value.
func (d *fieldDesk) SetField(ctx *simulator.Context, req *types.SetField) soap.HasFault {
	body := &methods.SetFieldBody{}
	object, known := d.world().reg.Get(req.Entity).(mo.Entity)
	if !known {
		body.Fault_ = gone(req.Entity)
		return body
	}
	field := d.find(func(f *types.CustomFieldDef) bool {
		return f.Key == req.Key && appliesTo(f, req.Entity.Type)
	})
	if field == nil {
		body.Fault_ = invalid("key")
		return body
	}
	d.acts.changes.within(0, vcenterName(ctx.Session.UserName), func() { d.acts.changes.setField(object, field, req.Value) })
	body.Res = &types.SetFieldResponse{}
	return body
}

// SetCustomValue does so by the attribute's name.
func (d *fieldDesk) SetCustomValue(ctx *simulator.Context, req *types.SetCustomValue) soap.HasFault {
	body := &methods.SetCustomValueBody{}
	object, known := d.world().reg.Get(req.This).(mo.Entity)
	if !known {
		body.Fault_ = gone(req.This)
		return body
	}
	field := d.named(req.Key, req.This.Type)
	if field == nil {
		body.Fault_ = invalid("key")
		return body
	}
	d.acts.changes.within(0, vcenterName(ctx.Session.UserName), func() { d.acts.changes.setField(object, field, req.Value) })
	body.Res = &types.SetCustomValueResponse{}
	return body
}

func (c *Changes) setField(object mo.Entity, field *types.CustomFieldDef, value string) {
	entity := object.Entity()
	values, before := withValue(entity.Value, field.Key, &value)
	c.set(c.world.context(), object, map[string]any{"value": values, "customValue": values})
	happening := Happening{Type: "CustomFieldValueChangedEvent",
		Text: fmt.Sprintf("Changed custom field %s on %s in %s to %s", field.Name, entity.Name, c.world.dc.Name, value),
		Fill: func(event types.BaseEvent) {
			if known, ok := event.(*types.CustomFieldValueChangedEvent); ok {
				known.Entity = types.ManagedEntityEventArgument{
					EntityEventArgument: types.EntityEventArgument{Name: entity.Name}, Entity: object.Reference()}
				known.FieldKey, known.Name, known.Value, known.PrevState = field.Key, field.Name, value, before
			}
		}}
	switch known := object.(type) {
	case *simulator.VirtualMachine:
		happening.VM, happening.Host = known, c.hostOf(known)
	case *simulator.HostSystem:
		happening.Host = known
	case *simulator.Datastore:
		happening.Store = known
	}
	c.post(happening)
}

// withValue are values with one set anew, or without it when there is no new one; and what it was.
func withValue(now []types.BaseCustomFieldValue, key int32, value *string) ([]types.BaseCustomFieldValue, string) {
	before := ""
	values := []types.BaseCustomFieldValue{}
	for _, one := range now {
		if one.GetCustomFieldValue().Key != key {
			values = append(values, one)
		} else if known, isText := one.(*types.CustomFieldStringValue); isText {
			before = known.Value
		}
	}
	if value != nil {
		values = append(values, &types.CustomFieldStringValue{CustomFieldValue: types.CustomFieldValue{Key: key}, Value: *value})
	}
	return values, before
}

// changeField is somebody else's value of an attribute, which is defined if it is not.
func (a *Acts) changeField(x *Change) error {
	d, _ := a.desks["SetField"].(*fieldDesk)
	object, err := a.changes.entity(x)
	if err != nil {
		return err
	}
	field := d.named(x.Name, object.Reference().Type)
	if field == nil {
		d.next++
		d.define(append(append([]types.CustomFieldDef(nil), d.manager().Field...),
			types.CustomFieldDef{Key: 100 + d.next, Name: x.Name, Type: "string"}))
		field = d.named(x.Name, "")
	}
	a.changes.within(0, x.User, func() { a.changes.setField(object, field, x.Value) })
	return nil
}

// entity is the object that a change names.
func (c *Changes) entity(x *Change) (mo.Entity, error) {
	w := c.world
	switch {
	case x.VM != "":
		vm, _, err := c.machine(x.VM)
		return vm, err
	case x.Host != "":
		host, _, err := c.host(x.Host)
		return host, err
	case w.stores[x.Store] != nil:
		return w.stores[x.Store], nil
	case w.clusters[x.Cluster] != nil:
		return w.clusters[x.Cluster], nil
	}
	return nil, fmt.Errorf("%s: of which vm, host, datastore or cluster?", x.Kind)
}
