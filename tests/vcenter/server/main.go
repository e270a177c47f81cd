// Testvcenter is govmomi's simulator made to behave like a documented vCenter, for tests: counters from a lab
// scenario in the order, with the limits and the faults that a real one has, and faults on request.
package main

import (
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

type options struct {
	listen, control, scenario, username, password, cert, key, deny, about string
	hostName, hostUUID, guestUser, guestPassword, transferHost, esxtop    string
	interval, history, epoch, rollupDays                                  int64
	clusters, hosts, vms, elementLimit, sessionTimeout                    int
	esxi, verbose, hideLimit, stdin, guestMachines, diskUUIDs             bool
	drsPeriod, esxtopInterval                                             float64
	perf                                                                  PerfOptions
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == wardenWord {
		runWarden(os.Args[2])
		return
	}
	if len(os.Args) == 3 && os.Args[1] == machineWord {
		runMachine(os.Args[2])
		return
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "testvcenter:", err)
		os.Exit(1)
	}
}

func parse(words []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("testvcenter", flag.ContinueOnError)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "address of the SDK (https)")
	flags.StringVar(&o.control, "control", "127.0.0.1:0", "address of the control port (http)")
	flags.StringVar(&o.scenario, "scenario", "", "scenario file, JSON or gzip JSON; none: a generated inventory")
	flags.Int64Var(&o.interval, "interval", 20, "seconds between realtime samples")
	flags.Int64Var(&o.history, "history", -1, "ticks that lie in the past at the start (-1: an hour, or half the scenario)")
	flags.Int64Var(&o.epoch, "epoch", 0, "Unix time of tick 0; 0: from -history")
	flags.Int64Var(&o.rollupDays, "rollup-days", 1, "days before tick 0 for which the archive has rollups")
	flags.IntVar(&o.clusters, "clusters", 1, "clusters of a generated inventory")
	flags.IntVar(&o.hosts, "hosts", 4, "hosts of a generated inventory")
	flags.IntVar(&o.vms, "vms", 16, "VMs of a generated inventory")
	flags.StringVar(&o.hostName, "host-name", "", "what the first host calls itself; empty: as the scenario says")
	flags.StringVar(&o.hostUUID, "host-uuid", "", "the first host's hardware UUID; empty: one made from its name")
	flags.BoolVar(&o.esxi, "esxi", false, "be a standalone host: the scenario's first")
	flags.StringVar(&o.about, "about", "", "API version to report, such as 8.0.3.0; empty: the simulator's 6.5")
	flags.StringVar(&o.username, "username", "", "the only user; none: any")
	flags.StringVar(&o.password, "password", "", "the user's password")
	flags.StringVar(&o.deny, "deny", "", "user=Privilege,… that the user lacks; * is every user")
	flags.StringVar(&o.cert, "cert", "", "certificate file (made when it is missing)")
	flags.StringVar(&o.key, "key", "", "the certificate's key file")
	flags.IntVar(&o.sessionTimeout, "session-timeout", 1800, "seconds until an idle session ends")
	flags.IntVar(&o.elementLimit, "element-limit", 500000, "XML elements that a request may have")
	flags.IntVar(&o.perf.MaxQueryMetrics, "max-query-metrics", 256, "config.vpxd.stats.maxQueryMetrics; -1: unlimited")
	flags.BoolVar(&o.hideLimit, "hide-limit", false, "leave maxQueryMetrics out of the settings, and enforce it")
	flags.IntVar(&o.perf.ClusterFactor, "cluster-factor", 0, "how often a cluster's metric counts; 0: once for each host")
	flags.Int64Var(&o.perf.Rollup, "rollup", 300, "seconds of the first historical interval")
	flags.Int64Var(&o.perf.KeepSeconds, "keep", 3600, "seconds that realtime samples are kept")
	flags.Int64Var(&o.perf.LagSeconds, "lag", 0, "seconds after which a sample can be read")
	level := flags.Int("level", 1, "statistics level of the archive")
	flags.BoolVar(&o.perf.NoData, "no-data", false, "have no performance data")
	flags.Float64Var(&o.drsPeriod, "drs-period", 60, "seconds between runs of DRS where a test has to do with it; 0: on demand only")
	flags.StringVar(&o.esxtop, "esxtop", "", "folder with the replies of the hosts' service Esxtop; none: no such service")
	flags.Float64Var(&o.esxtopInterval, "esxtop-interval", 5, "seconds between two of these replies")
	flags.StringVar(&o.guestUser, "guest-user", "guest", "the user of every VM's guest")
	flags.StringVar(&o.guestPassword, "guest-password", "", "that user's password")
	flags.BoolVar(&o.guestMachines, "guest-machines", false, "give each guest a system of its own (Linux, root)")
	flags.BoolVar(&o.diskUUIDs, "disk-uuids", false, "let every VM tell its guest the UUIDs of its disks (disk.EnableUUID)")
	flags.StringVar(&o.transferHost, "transfer-host", "address", "what a file's address names its host by: address or name")
	flags.BoolVar(&o.stdin, "stdin", false, "end when standard input does")
	flags.BoolVar(&o.verbose, "verbose", false, "let the simulator log to stderr")
	err := flags.Parse(words)
	o.perf.Level = int32(*level)
	return o, err
}

func run(words []string) error {
	o, err := parse(words)
	if err != nil {
		return err
	}
	if !o.verbose {
		log.SetOutput(io.Discard)
	}
	scenario := generatedScenario(o.clusters, o.hosts, o.vms)
	if o.scenario != "" {
		path, err := filepath.Abs(o.scenario)
		if err != nil {
			return err
		}
		if scenario, err = loadScenario(path); err != nil {
			return err
		}
	}
	scenario.identifyFirstHost(o.hostName, o.hostUUID)
	world, err := newWorld(scenario, timeline(o, scenario), o.esxi)
	if err != nil {
		return err
	}
	return serve(o, world)
}

// timeline puts tick 0 so far into the past that the history lies behind us.
func timeline(o *options, scenario *Scenario) Timeline {
	interval := o.interval
	epoch := o.epoch
	if epoch == 0 {
		history := o.history
		if history < 0 {
			history = 3600 / interval
			if scenario.Ticks > 0 {
				history = min(history, int64(scenario.Ticks/2))
			}
		}
		epoch = floorDiv(time.Now().Unix(), interval)*interval - history*interval
	}
	return Timeline{Epoch: epoch, Interval: interval, First: -o.rollupDays * 86400 / interval}
}

func serve(o *options, world *World) error {
	defer world.model.Remove()
	rights := newRights()
	if user, privileges, found := strings.Cut(o.deny, "="); found {
		rights.Deny(user, strings.Split(privileges, ","))
	}
	world.describe(o)
	newServiceInstance(world)
	newAuthorizationManager(world, rights)
	perf := newPerformanceManager(world, o.perf, rights)
	tasks := newTasks(world)
	sessions := watchSessions(world, tasks)
	pair, err := certificate(o.cert, o.key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	service := world.model.Service
	service.RegisterSDK(world.reg, "/sdk/vimService")
	service.ServeMux.HandleFunc("/sdk/vimServiceVersions.xml", service.ServiceVersions)
	service.Listen = &url.URL{Scheme: "https", Host: listener.Addr().String(), Path: "/sdk"}
	if o.username != "" {
		service.Listen.User = url.UserPassword(o.username, o.password)
	}
	world.reg.SessionManager().ServiceHostName = listener.Addr().String()
	world.reg.SessionManager().TLS = func() *tls.Config { return &tls.Config{Certificates: []tls.Certificate{pair}} }
	front := &Front{
		next: service.ServeMux, faults: &Faults{}, sessions: sessions, requests: &Counts{}, totals: &Counts{},
	}
	front.elementLimit.Store(int64(o.elementLimit))
	control, err := net.Listen("tcp", o.control)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	events := newScribe(world)
	doors, err := newDoors(world, o.transferHost == "name")
	if err != nil {
		return err
	}
	if o.diskUUIDs {
		world.showUUIDs()
	}
	guests := newGuests(world, o.guestUser, o.guestPassword, o.guestMachines, doors)
	defer guests.close()
	service.ServeMux.HandleFunc("/guestFile", func(w http.ResponseWriter, r *http.Request) {
		doors.serve(w, r, types.ManagedObjectReference{})
	})
	vsan := newVsan(world, sessions, rights)
	service.ServeMux.Handle(vsanPath, vsan)
	service.ServeMux.HandleFunc("/sdk/vsanServiceVersions.xml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		_, _ = w.Write([]byte(vsanVersions))
	})
	policies := newPolicies(world, rights)
	changes := &Changes{world: world, scribe: events, tasks: tasks, guests: guests}
	events.moved = changes.follow
	changes.followFacts()
	go events.follow()
	sessions.acts = newActs(world, changes, tasks, rights, front.faults, guests)
	sessions.acts.serveEsxtop(o.esxtop, o.esxtopInterval, front.requests)
	if o.drsPeriod > 0 {
		go sessions.acts.drs.follow(time.Duration(o.drsPeriod * float64(time.Second)))
	}
	desk := &Control{world: world, front: front, sessions: sessions, rights: rights, perf: perf, service: service,
		changes: changes, vsan: vsan, policies: policies, stop: func() { stop <- os.Interrupt }}
	go func() { _ = http.Serve(control, desk.handler()) }()
	server := &http.Server{
		Handler: front, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, ErrorLog: log.Default(),
	}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	ready, err := json.Marshal(map[string]any{
		"url": "https://" + listener.Addr().String() + "/sdk", "thumbprint": thumbprint(pair),
		"control": "http://" + control.Addr().String(), "epoch": world.line.Epoch, "interval": world.line.Interval,
	})
	if err != nil {
		return err
	}
	fmt.Println(string(ready))
	if o.stdin { // the one who started us holds it: when it is gone, so are we
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop <- os.Interrupt
		}()
	}
	<-stop
	return server.Close()
}

// describe fills in what the server says about itself and its settings.
func (w *World) describe(o *options) {
	instance := w.reg.Get(w.model.Service.Context.Map.Get(rootInstance).Reference()).(*simulator.ServiceInstance)
	if o.about != "" {
		about := &instance.Content.About
		short := strings.Join(strings.SplitN(o.about, ".", 4)[:min(3, strings.Count(o.about, ".")+1)], ".")
		about.FullName = strings.ReplaceAll(about.FullName, about.Version, short)
		about.Version, about.ApiVersion = short, o.about
	}
	if w.esxi {
		return
	}
	manager := w.reg.OptionManager()
	set := func(key, value string) {
		manager.UpdateOptions(&types.UpdateOptions{ChangedValue: []types.BaseOptionValue{&types.OptionValue{Key: key, Value: value}}})
	}
	set("config.vmacore.soap.sessionTimeout", strconv.Itoa(o.sessionTimeout)+"s")
	if o.perf.MaxQueryMetrics != 0 && !o.hideLimit {
		set("config.vpxd.stats.maxQueryMetrics", strconv.Itoa(o.perf.MaxQueryMetrics))
	}
}

var rootInstance = types.ManagedObjectReference{Type: "ServiceInstance", Value: "ServiceInstance"}
