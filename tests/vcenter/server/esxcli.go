package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const processList = "vim.EsxCLI.vm.process.list"

// executeSoap is a call of a host's ManagedMethodExecuter, by which esxcli is asked. The simulator's own type for it, and
// its answers, are internal to its module; the fields are the same.
type executeSoap struct {
	This    types.ManagedObjectReference `xml:"_this"`
	Moid    string                       `xml:"moid"`
	Version string                       `xml:"version"`
	Method  string                       `xml:"method"`
}

type executeSoapBody struct {
	Res    *executeSoapResponse `xml:"urn:vim25 ExecuteSoapResponse,omitempty"`
	Fault_ *soap.Fault          `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

type executeSoapResponse struct {
	Returnval executeSoapResult `xml:"urn:vim25 returnval"`
}

type executeSoapResult struct {
	Response string            `xml:"response,omitempty"`
	Fault    *executeSoapFault `xml:"fault,omitempty"`
}

type executeSoapFault struct {
	FaultMsg string `xml:"faultMsg"`
}

func (b *executeSoapBody) Fault() *soap.Fault { return b.Fault_ }

func init() {
	types.Add("ExecuteSoap", reflect.TypeOf((*executeSoap)(nil)).Elem())
}

// ExecuteSoap answers vm process list: the lines of processes.tsv in the host's folder, each a VM with world id, cartel
// id, instance UUID and name; the UUID that esxcli tells is that of its BIOS. The mood "no esxcli" of a host refuses it.
func (d *esxtopDesk) ExecuteSoap(_ *simulator.Context, req *executeSoap) soap.HasFault {
	host := d.world().hostSystem(types.ManagedObjectReference{Type: "HostSystem", Value: req.This.Value})
	result := executeSoapResult{Fault: &executeSoapFault{FaultMsg: "The object or item referred to could not be found."}}
	if host != nil && req.Method == processList && d.mood(host.Name) != "no esxcli" {
		if text, err := d.processes(host.Name); err == nil {
			result = executeSoapResult{Response: text}
		}
	}
	return &executeSoapBody{Res: &executeSoapResponse{result}}
}

func (d *esxtopDesk) processes(host string) (string, error) {
	lines, err := os.ReadFile(filepath.Join(d.folder, host, "processes.tsv"))
	if err != nil {
		return "", err
	}
	text := &strings.Builder{}
	text.WriteString(`<obj xmlns="urn:vim25" xmlns:xsd="http://www.w3.org/2001/XMLSchema"` +
		` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="ArrayOfDataObject">`)
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		fields := strings.SplitN(line, "\t", 4)
		if len(fields) < 4 {
			continue
		}
		name := &strings.Builder{}
		if err := xml.EscapeText(name, []byte(fields[3])); err != nil {
			return "", err
		}
		fmt.Fprintf(text, `<DataObject xsi:type="VimEsxCLIvmprocesslistVirtualMachine"><ConfigFile></ConfigFile>`+
			`<DisplayName>%s</DisplayName><ProcessID>0</ProcessID><UUID>%s</UUID><VMXCartelID>%s</VMXCartelID>`+
			`<WorldID>%s</WorldID></DataObject>`, name, spaced(d.bios(fields[2])), fields[1], fields[0])
	}
	text.WriteString("</obj>")
	return text.String(), nil
}

// spaced is a UUID as esxcli writes one: 56 4d 4a 1b 2c 3d 4e 5f-60 71 82 93 a4 b5 c6 d7.
func spaced(uuid string) string {
	digits := strings.ReplaceAll(uuid, "-", "")
	if len(digits) != 32 {
		return uuid
	}
	pairs := make([]string, 16)
	for i := range pairs {
		pairs[i] = digits[2*i : 2*i+2]
	}
	return strings.Join(pairs[:8], " ") + "-" + strings.Join(pairs[8:], " ")
}

// bios is the UUID of the BIOS of the VM with this instance UUID, empty if there is none.
func (d *esxtopDesk) bios(instance string) string {
	for _, entity := range d.world().reg.All("VirtualMachine") {
		vm := d.world().virtualMachine(entity.Reference())
		if vm != nil && strings.EqualFold(vm.Config.InstanceUuid, instance) {
			return vm.Config.Uuid
		}
	}
	return ""
}

// FindAllByUuid finds VMs by the UUID of their BIOS; the simulator's own looks at objects that it does not know here, and
// ends the server.
func (d *esxtopDesk) FindAllByUuid(_ *simulator.Context, req *types.FindAllByUuid) soap.HasFault {
	body := &methods.FindAllByUuidBody{Res: new(types.FindAllByUuidResponse)}
	for _, entity := range d.world().reg.All("VirtualMachine") {
		vm := d.world().virtualMachine(entity.Reference())
		if req.VmSearch && vm != nil && strings.EqualFold(vm.Config.Uuid, req.Uuid) {
			body.Res.Returnval = append(body.Res.Returnval, vm.Self)
		}
	}
	return body
}
