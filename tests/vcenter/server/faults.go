package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong with calls of a method, so often or for so long.
type Fault struct {
	ID      int     `json:"id"`
	Kind    string  `json:"kind"`
	Method  string  `json:"method"`  // QueryPerf, Login, …; "" or "*" is every one
	Count   int     `json:"count"`   // 0: no limit
	Skip    int     `json:"skip"`    // calls that pass before it begins
	For     float64 `json:"for"`     // seconds; 0: until cleared
	Seconds float64 `json:"seconds"` // how slow; how long it hangs (0: until the client leaves)
	Bytes   int     `json:"bytes"`   // how much of a half reply is sent; negative: all but so many
	Status  int     `json:"status"`
	Text    string  `json:"text"`
	Type    string  `json:"type"`
	VM      string  `json:"-"` // its name, and its reference: only calls that name it
	Lacks   string  `json:"privilege"`

	vm   string
	Hits int `json:"hits"`

	begun time.Time
	done  chan struct{} // closed when it is cleared
}

// protocolFaults are the kinds that change a reply, with what they do.
var protocolFaults = map[string]string{
	"slow":              "the reply comes after so many seconds",
	"hang":              "no reply for so many seconds, then the connection closes",
	"disconnect":        "the connection closes before the reply, the call is not done",
	"lost":              "the call is done, then the connection closes without a reply",
	"half":              "the reply is cut after so many bytes",
	"html":              "an HTML page instead of a reply",
	"broken_xml":        "a reply that is not well-formed",
	"empty":             "status 200 and nothing",
	"status":            "an HTTP status (503) with a proxy's page",
	"element_count":     "too many elements in the request",
	"max_query_metrics": "restricted by the administrator",
	"not_authenticated": "the call is refused as not authenticated; the session itself lives on",
	"fault":             "a SOAP fault of the given type and text",
	"forbidden":         "the user lacks the given privilege",
	"guest_busy":        "VMware Tools is busy: vix error codes = (3016, 0)",
	"guest_unavailable": "VMware Tools does not answer",
}

// taskFaults are the kinds that change what becomes of a task.
var taskFaults = map[string]string{
	"task_slow":  "the task takes so many seconds, with progress",
	"task_fails": "the task ends with a fault of the given type and text",
}

// Faults are the active ones.
type Faults struct {
	mu   sync.Mutex
	next int
	all  []*Fault
}

// Add makes a fault active.
func (f *Faults) Add(one Fault) (int, error) {
	if protocolFaults[one.Kind] == "" && taskFaults[one.Kind] == "" {
		return 0, fmt.Errorf("fault kind %q is not known", one.Kind)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	one.ID, one.begun, one.done = f.next, time.Now(), make(chan struct{})
	f.all = append(f.all, &one)
	return one.ID, nil
}

// Clear ends all faults, and those that hang.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.all {
		close(one.done)
	}
	f.all = nil
}

// List shows the active faults.
func (f *Faults) List() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := []Fault{}
	for _, one := range f.all {
		found = append(found, *one)
	}
	return found
}

// Take is the fault that this call meets, nil for none.
func (f *Faults) Take(method string, body []byte) *Fault {
	return f.take(method, func(one *Fault) bool {
		if strings.HasPrefix(one.Kind, "guest_") && one.Method == "" && !ofGuest(method) {
			return false
		}
		return protocolFaults[one.Kind] != "" && (one.vm == "" || bytes.Contains(body, []byte(">"+one.vm+"<")))
	})
}

// TakeTask is the fault of a kind that this task meets, nil for none.
func (f *Faults) TakeTask(kind, method string) *Fault {
	return f.take(method, func(one *Fault) bool { return one.Kind == kind })
}

// ofGuest says whether a method is an operation in a guest.
func ofGuest(method string) bool {
	return strings.HasSuffix(method, "InGuest") || strings.HasPrefix(method, "InitiateFileTransfer")
}

func (f *Faults) take(method string, wanted func(*Fault) bool) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.all {
		if !wanted(one) {
			continue
		}
		if one.For > 0 && time.Since(one.begun).Seconds() > one.For {
			continue
		}
		if !matches(one.Method, method) {
			continue
		}
		if one.Skip > 0 {
			one.Skip--
			continue
		}
		one.Hits++
		if one.Count > 0 && one.Hits >= one.Count {
			f.all = append(f.all[:i:i], f.all[i+1:]...)
		}
		met := *one
		return &met
	}
	return nil
}

const envelope = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" ` +
	`xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ` +
	`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body>
%s
</soapenv:Body>
</soapenv:Envelope>`

// soapFault is a fault reply as a vCenter writes it; detail is the inner XML of the fault's element.
func soapFault(kind, text, detail string) string {
	if detail != "" || kind != "" {
		detail = fmt.Sprintf(`<%sFault xmlns="urn:vim25" xsi:type="%s">%s</%sFault>`, kind, kind, detail, kind)
	}
	return fmt.Sprintf(envelope, "<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>"+
		html.EscapeString(text)+"</faultstring><detail>"+detail+"</detail></soapenv:Fault>")
}

const notAuthenticatedText = "The session is not authenticated."

func notAuthenticated() string {
	return soapFault("NotAuthenticated", notAuthenticatedText,
		`<object type="Folder">group-d1</object><privilegeId>System.View</privilegeId>`)
}

// tooManyElements has the words of a real vCenter (Icinga vspheredb issue 554).
func tooManyElements(limit int) string {
	return soapFault("InvalidRequest", fmt.Sprintf("XML document element count exceeds configured maximum %d\n"+
		"while parsing property \"metricId\" of static type ArrayOfPerfMetricId\n"+
		"while parsing serialized DataObject of type vim.PerformanceManager.QuerySpec\n"+
		"at line 2, column 16771626\nwhile parsing call information for method QueryPerf\nat line 2, column 115\n"+
		"while parsing SOAP body\nat line 2, column 100\nwhile parsing SOAP envelope\nat line 2, column 0\n"+
		"while parsing HTTP request for method queryStats\non object of type vim.PerformanceManager\n"+
		"at line 1, column 0", limit), "")
}

func restrictedReply() string {
	return soapFault("RestrictedByAdministrator", restricted().String, "<details>vpxd.stats.maxQueryMetrics</details>")
}

// faultText is the reply of a fault that is a SOAP fault, empty for another kind.
func (f *Fault) faultText(limit int) string {
	switch f.Kind {
	case "element_count":
		return tooManyElements(limit)
	case "max_query_metrics":
		return restrictedReply()
	case "not_authenticated":
		return notAuthenticated()
	case "guest_busy":
		return soapFault("SystemError", "A general system error occurred: "+vixBusy, "<reason>"+vixBusy+"</reason>")
	case "guest_unavailable":
		return soapFault("GuestOperationsUnavailable", "The guest operations agent could not be contacted.", "")
	case "forbidden":
		return soapFault("NoPermission", noPermissionText, fmt.Sprintf(
			`<object type="Folder">group-d1</object><privilegeId>%s</privilegeId>`, html.EscapeString(f.Lacks)))
	case "fault":
		return soapFault(orText(f.Type, "SystemError"), orText(f.Text, "A general system error occurred"), "")
	}
	return ""
}

const vixBusy = "vix error codes = (3016, 0).\n"

const proxyPage = "<!DOCTYPE html>\n<html><head><title>%s</title></head><body><h1>%s</h1><p>nginx</p></body></html>\n"

// brokenXML is a document whose elements do not end where they should.
func brokenXML() string {
	return strings.Replace(fmt.Sprintf(envelope, "<QueryPerfResponse xmlns=\"urn:vim25\"><returnval>"), "</soapenv:Body>", "<", 1)
}
