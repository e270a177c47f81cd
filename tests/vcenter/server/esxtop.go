package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	esxtopPrefix   = "EsxtopService-"
	locationPrefix = "vmware.host."
)

// esxtopDesk is the ServiceManager with each host's service Esxtop. The replies of a host are files of a folder with its
// name, 00000.dsv.gz and on, one for each interval since the server's start; its CounterInfo is counterinfo.dsv.
type esxtopDesk struct {
	desk
	folder   string
	interval time.Duration
	requests *Counts
	mu       sync.Mutex
	began    time.Time
	moods    map[string]string // by the host's name: what it does instead of answering
}

func newEsxtopDesk(d desk, folder string, interval float64, requests *Counts) *esxtopDesk {
	if folder != "" {
		manager := types.ManagedObjectReference{Type: "ServiceManager", Value: "ServiceManager"}
		instance := d.world().reg.Get(rootInstance).(*ServiceInstance)
		instance.Content.ServiceManager = &manager
	}
	return &esxtopDesk{
		desk: d, folder: folder, interval: time.Duration(interval * float64(time.Second)), requests: requests,
		began: d.world().clock.Now(), moods: map[string]string{},
	}
}

// serveEsxtop opens the service, if there is a folder of replies.
func (a *Acts) serveEsxtop(folder string, interval float64, requests *Counts) {
	a.esxtop = newEsxtopDesk(a.lock("esxtop"), folder, interval, requests)
	if folder != "" {
		a.open(a.esxtop, "QueryServiceList", "ExecuteSimpleCommand", "ExecuteSoap", "FindAllByUuid")
	}
}

// set gives a host a mood: "absent" (it has no such service), "refuses", "silent" (empty answers), or none.
func (d *esxtopDesk) set(host, mood string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moods[host] = mood
}

func (d *esxtopDesk) mood(host string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.moods[host]
}

// QueryServiceList lists the services of the hosts at the locations, of all without any.
func (d *esxtopDesk) QueryServiceList(_ *simulator.Context, req *types.QueryServiceList) soap.HasFault {
	var found []types.ServiceManagerServiceInfo
	names := make([]string, 0, len(d.world().hosts))
	for name := range d.world().hosts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		location := locationPrefix + name
		if d.mood(name) == "absent" || !isAt(location, req.Location) {
			continue
		}
		for _, service := range []string{"Esxtop", "VscsiStats"} {
			if req.ServiceName == "" || req.ServiceName == service {
				found = append(found, types.ServiceManagerServiceInfo{
					ServiceName: service, Location: []string{location}, Description: service,
					Service: types.ManagedObjectReference{
						Type: "SimpleCommand", Value: strings.Replace(esxtopPrefix, "Esxtop", service, 1) + name},
				})
			}
		}
	}
	return &methods.QueryServiceListBody{Res: &types.QueryServiceListResponse{Returnval: found}}
}

func isAt(location string, locations []string) bool {
	for _, one := range locations {
		if one == location {
			return true
		}
	}
	return len(locations) == 0
}

// ExecuteSimpleCommand answers CounterInfo, FetchStats and FreeStats.
func (d *esxtopDesk) ExecuteSimpleCommand(_ *simulator.Context, req *types.ExecuteSimpleCommand) soap.HasFault {
	body := &methods.ExecuteSimpleCommandBody{}
	host, known := strings.CutPrefix(req.This.Value, esxtopPrefix)
	if !known || len(req.Arguments) != 1 {
		body.Fault_ = invalid("arguments")
		return body
	}
	command := req.Arguments[0]
	d.requests.Add(command+":"+host, 1)
	text, err := d.answer(host, command)
	switch {
	case d.mood(host) == "refuses":
		body.Fault_ = simulator.Fault("The operation is not allowed in the current connection state of the host.",
			&types.HostNotConnected{})
	case err != nil:
		body.Fault_ = simulator.Fault(err.Error(), &types.SystemError{Reason: err.Error()})
	default:
		body.Res = &types.ExecuteSimpleCommandResponse{Returnval: text}
	}
	return body
}

func (d *esxtopDesk) answer(host, command string) (string, error) {
	if d.mood(host) == "silent" {
		return "", nil
	}
	switch command {
	case "CounterInfo":
		text, err := os.ReadFile(filepath.Join(d.folder, "counterinfo.dsv"))
		return string(text), err
	case "FetchStats":
		return d.stats(host)
	case "FreeStats":
		return "", nil
	}
	return "", fmt.Errorf("the service Esxtop has no command %s", command)
}

// stats is the reply of now; after the last file it stays that one.
func (d *esxtopDesk) stats(host string) (string, error) {
	files, err := filepath.Glob(filepath.Join(d.folder, host, "*.dsv.gz"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("nobody knows what %s does", host)
	}
	sort.Strings(files)
	number := int(d.world().clock.Now().Sub(d.began) / d.interval)
	text, err := unpacked(files[min(number, len(files)-1)])
	if err != nil {
		return "", err
	}
	first, err := unpacked(files[0])
	if err != nil {
		return "", err
	}
	shift := d.began.Unix() - serverTime(first) + int64(d.acts.clocks.ahead(d.world().hosts[host]).Seconds())
	return string(withTime(text, serverTime(text)+shift)), nil
}

func unpacked(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	zip, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

// serverLine is where a reply's record Server is: the one line of that type after the first section.
func serverLine(text []byte) (begin, end int) {
	begin = bytes.Index(text, []byte("==COUNTER-VALUE==\n|Server|")) + len("==COUNTER-VALUE==\n")
	return begin, begin + bytes.IndexByte(text[begin:], '\n')
}

// serverTime is the host's time in a reply, the last field of its record Server.
func serverTime(text []byte) int64 {
	begin, end := serverLine(text)
	fields := strings.Split(string(text[begin:end]), "|")
	seconds, _ := strconv.ParseInt(fields[len(fields)-2], 10, 64)
	return seconds
}

// withTime is a reply at another time of the host: its scenario begins when the server does.
func withTime(text []byte, seconds int64) []byte {
	begin, end := serverLine(text)
	fields := strings.Split(string(text[begin:end]), "|")
	fields[len(fields)-2] = strconv.FormatInt(seconds, 10)
	line := strings.Join(fields, "|")
	return append(append(append([]byte{}, text[:begin]...), line...), text[end:]...)
}
