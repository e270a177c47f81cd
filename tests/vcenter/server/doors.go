package main

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// transferLife is how long the address of a guest's file is valid.
const transferLife = 10 * time.Minute

// Doors are the hosts' own web servers, by which files go into guests and out: each host has a certificate and an
// address of its own.
type Doors struct {
	world  *World
	byName bool // addresses name a host as the inventory does, else by its management address
	keys   *certificates

	mu        sync.Mutex
	open      map[types.ManagedObjectReference]*door
	pairs     map[types.ManagedObjectReference]tls.Certificate
	addresses map[types.ManagedObjectReference]string
	transfers map[string]*transfer
	count     int
}

// door is one host's.
type door struct {
	host    types.ManagedObjectReference
	address string
	port    int
	server  *http.Server
	wrong   *tls.Certificate // shown instead of its own
}

// transfer is a file that may go in (size, mode) or out, once.
type transfer struct {
	vm    types.ManagedObjectReference
	host  types.ManagedObjectReference
	file  string
	in    bool
	size  int64
	mode  os.FileMode
	until time.Time
}

func newDoors(w *World, byName bool) (*Doors, error) {
	keys, err := newCertificates()
	d := &Doors{world: w, byName: byName, keys: keys, open: map[types.ManagedObjectReference]*door{},
		pairs:     map[types.ManagedObjectReference]tls.Certificate{},
		addresses: map[types.ManagedObjectReference]string{}, transfers: map[string]*transfer{}}
	if err != nil || w.esxi {
		return d, err
	}
	for n := range w.scenario.Hosts {
		host := w.hosts[w.scenario.Hosts[n].Name]
		pair, err := keys.issue(host.Name)
		if err != nil {
			return nil, err
		}
		d.pairs[host.Self] = pair
		d.addresses[host.Self] = fmt.Sprintf("127.66.%d.%d", n/250, n%250+1)
		host.Summary.Config.SslThumbprint, host.Summary.Config.Port = sha1Thumbprint(pair), 443
		giveAddress(host, d.addresses[host.Self])
	}
	return d, nil
}

// giveAddress gives a host its vmk0, for management and vMotion.
func giveAddress(host *simulator.HostSystem, address string) {
	nic := types.HostVirtualNic{Device: "vmk0", Key: "key-vim.host.VirtualNic-vmk0", Portgroup: "Management Network",
		Spec: types.HostVirtualNicSpec{Mtu: 1500, Mac: "00:50:56:60:00:01",
			Ip: &types.HostIpConfig{IpAddress: address, SubnetMask: "255.0.0.0"}}}
	network := *host.Config.Network
	network.Vnic = []types.HostVirtualNic{nic}
	host.Config.Network = &network
	host.Summary.Config.VmotionEnabled = true
	host.Config.VirtualNicManagerInfo = &types.HostVirtualNicManagerInfo{}
	for _, kind := range []string{"management", "vmotion"} {
		host.Config.VirtualNicManagerInfo.NetConfig = append(host.Config.VirtualNicManagerInfo.NetConfig,
			types.VirtualNicManagerNetConfig{NicType: kind, MultiSelectAllowed: true,
				CandidateVnic: []types.HostVirtualNic{nic}, SelectedVnic: []string{kind + "." + nic.Key}})
	}
}

// sha1Thumbprint is a certificate's SHA-1, as HostSystem.summary.config.sslThumbprint has it.
func sha1Thumbprint(pair tls.Certificate) string {
	sum := sha1.Sum(pair.Certificate[0])
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}

// address makes the address of a transfer, at the host that the VM runs on. A real token may contain any digits: this
// one has a port's.
func (d *Doors) address(one *transfer) (string, error) {
	secret := make([]byte, 12)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	token := "52" + hex.EncodeToString(secret) + "443"
	one.until = d.world.clock.Now().Add(transferLife)
	d.mu.Lock()
	defer d.mu.Unlock()
	place := "*"
	if !d.world.esxi {
		opened, err := d.opened(one.host)
		if err != nil {
			return "", err
		}
		name := opened.address
		if d.byName {
			name = d.world.hostSystem(one.host).Name
		}
		place = fmt.Sprintf("%s:%d", name, opened.port)
	}
	d.count++
	d.transfers[token] = one
	return fmt.Sprintf("https://%s/guestFile?id=%d&token=%s", place, d.count, token), nil
}

// opened is a host's door, opened when it is needed at first.
func (d *Doors) opened(host types.ManagedObjectReference) (*door, error) {
	if found := d.open[host]; found != nil {
		return found, nil
	}
	one := &door{host: host, address: d.addresses[host]}
	listener, err := net.Listen("tcp", one.address+":0")
	if err != nil { // systems that have no more than 127.0.0.1
		one.address = "127.0.0.1"
		if listener, err = net.Listen("tcp", one.address+":0"); err != nil {
			return nil, err
		}
	}
	one.port = listener.Addr().(*net.TCPAddr).Port
	one.server = &http.Server{ErrorLog: log.Default(), TLSConfig: &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return d.shown(host), nil },
	}}
	one.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, host) })
	go func() { _ = one.server.ServeTLS(listener, "", "") }()
	d.open[host] = one
	return one, nil
}

func (d *Doors) shown(host types.ManagedObjectReference) *tls.Certificate {
	d.mu.Lock()
	defer d.mu.Unlock()
	if found := d.open[host]; found != nil && found.wrong != nil {
		return found.wrong
	}
	pair := d.pairs[host]
	return &pair
}

// forge lets a host show the certificate of another, or its own again.
func (d *Doors) forge(host *simulator.HostSystem, on bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	opened, err := d.opened(host.Self)
	if err != nil {
		return err
	}
	opened.wrong = nil
	if on {
		pair, err := d.keys.issue("somebody.else")
		if err != nil {
			return err
		}
		opened.wrong = &pair
	}
	return nil
}

// forget ends the addresses of a VM's files; of all VMs when it names none.
func (d *Doors) forget(vm types.ManagedObjectReference) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for token, one := range d.transfers {
		if vm.Value == "" || one.vm == vm {
			delete(d.transfers, token)
		}
	}
}

// take is the transfer of a token, which is used up by it; nil when there is none any more.
func (d *Doors) take(r *http.Request, host types.ManagedObjectReference) *transfer {
	token := r.URL.Query().Get("token")
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.transfers[token]
	if one == nil || one.in != (r.Method == http.MethodPut) || r.URL.Path != "/guestFile" {
		return nil
	}
	vm := d.world.virtualMachine(one.vm)
	switch {
	case d.world.clock.Now().After(one.until), vm == nil, vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn:
		delete(d.transfers, token)
		return nil
	case host.Value != "" && *vm.Runtime.Host != host:
		return nil
	}
	delete(d.transfers, token)
	return one
}

// serve moves a file.
func (d *Doors) serve(w http.ResponseWriter, r *http.Request, host types.ManagedObjectReference) {
	one := d.take(r, host)
	if one == nil {
		http.Error(w, "404 Not Found", http.StatusNotFound)
		return
	}
	if !one.in {
		file, err := os.Open(one.file)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer file.Close()
		w.Header().Set("Content-Type", "application/octet-stream")
		if about, err := file.Stat(); err == nil {
			w.Header().Set("Content-Length", fmt.Sprint(about.Size()))
		}
		_, _ = io.Copy(w, file)
		return
	}
	if err := receive(one, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// receive writes a file that comes in; one of another size than was said leaves nothing.
func receive(one *transfer, from io.Reader) error {
	file, err := os.CreateTemp(filepath.Dir(one.file), ".vmware-upload-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	n, err := io.Copy(file, from)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil && n != one.size {
		err = fmt.Errorf("%d bytes came instead of %d", n, one.size)
	}
	if err == nil {
		err = os.Chmod(file.Name(), one.mode)
	}
	if err == nil {
		err = os.Rename(file.Name(), one.file)
	}
	return err
}
