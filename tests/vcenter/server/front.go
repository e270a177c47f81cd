package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Counts are named totals.
type Counts struct {
	mu  sync.Mutex
	all map[string]int64
}

// Add adds to a total.
func (c *Counts) Add(name string, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[string]int64{}
	}
	c.all[name] += n
}

// Snapshot is a copy of all.
func (c *Counts) Snapshot() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]int64{}
	for name, n := range c.all {
		found[name] = n
	}
	return found
}

// Front stands before the simulator: it counts calls, makes them fail as tests wish, and compresses replies.
type Front struct {
	next         http.Handler
	faults       *Faults
	sessions     *Sessions
	requests     *Counts
	totals       *Counts
	elementLimit atomic.Int64
}

// zero stands for a 0 where the library would leave it out; it becomes one on its way to the client.
const zero = math.MinInt32

var spelledZero = []byte(fmt.Sprintf(">%d<", zero))

const vsanPath = "/vsanHealth"

// page is a reply that is not sent yet.
type page struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (p *page) Header() http.Header         { return p.header }
func (p *page) WriteHeader(status int)      { p.status = status }
func (p *page) Write(b []byte) (int, error) { return p.body.Write(b) }

func newPage(status int, kind, text string) *page {
	p := &page{header: http.Header{}, status: status}
	p.header.Set("Content-Type", kind)
	p.body.WriteString(text)
	return p
}

func soapPage(text string) *page {
	return newPage(http.StatusInternalServerError, "text/xml; charset=utf-8", text)
}

// isAPI says whether SOAP is spoken at a path: the vSphere API, vSAN's, that of storage policies.
func isAPI(path string) bool {
	return strings.HasPrefix(path, "/sdk") || path == vsanPath || strings.HasPrefix(path, "/pbm")
}

func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer endAtPanic()
	if r.Method != http.MethodPost || !isAPI(r.URL.Path) {
		f.next.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	method := soapMethod(body)
	f.requests.Add(method, 1)
	f.totals.Add("bytes_in", int64(len(body)))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if fault := f.faults.Take(method, body); fault != nil {
		f.fail(w, r, body, method, fault)
		return
	}
	f.send(w, r, f.answer(r, body, method))
}

// answer lets the simulator do the call.
func (f *Front) answer(r *http.Request, body []byte, method string) *page {
	limit := int(f.elementLimit.Load())
	if limit > 0 && bytes.Count(body, []byte("<"))-bytes.Count(body, []byte("</")) > limit {
		return soapPage(tooManyElements(limit))
	}
	reply := &page{header: http.Header{}, status: http.StatusOK}
	f.next.ServeHTTP(reply, r)
	reply.header.Set("Content-Type", "text/xml; charset=utf-8")
	if !strings.HasPrefix(method, "Query") && bytes.Contains(reply.body.Bytes(), spelledZero) {
		text := bytes.ReplaceAll(reply.body.Bytes(), spelledZero, []byte(">0<"))
		reply.body = *bytes.NewBuffer(text)
	}
	if reply.status != http.StatusOK {
		f.reword(r, method, reply)
	}
	return reply
}

// reword gives faults the words of a vCenter where the simulator has none of its own.
func (f *Front) reword(r *http.Request, method string, reply *page) {
	text := reply.body.String()
	switch {
	case strings.Contains(text, "<NotAuthenticatedFault"):
		text = strings.Replace(text, "<faultstring></faultstring>", "<faultstring>"+notAuthenticatedText+"</faultstring>", 1)
	case strings.Contains(text, "<NoPermissionFault"):
		text = strings.Replace(text, "<faultstring></faultstring>", "<faultstring>"+noPermissionText+"</faultstring>", 1)
	case strings.Contains(text, "<InvalidLoginFault"):
		text = strings.Replace(text, "Login failure", "Cannot complete login due to an incorrect user name or password.", 1)
	case strings.Contains(text, "RequestCanceled") && strings.HasPrefix(method, "WaitForUpdates") && f.sessions.Expired(cookie(r)):
		text = notAuthenticated()
	}
	reply.body.Reset()
	reply.body.WriteString(text)
}

func cookie(r *http.Request) string {
	if one, err := r.Cookie("vmware_soap_session"); err == nil {
		return strings.Trim(one.Value, `"`)
	}
	return ""
}

func (f *Front) send(w http.ResponseWriter, r *http.Request, p *page) {
	f.totals.Add("bytes_out", int64(p.body.Len()))
	for name, values := range p.header {
		w.Header()[name] = values
	}
	body := p.body.Bytes()
	if len(body) > 1400 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		var packed bytes.Buffer
		zip, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		_, _ = zip.Write(body)
		_ = zip.Close()
		body = packed.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.status)
	_, _ = w.Write(body)
	f.totals.Add("bytes_sent", int64(len(body)))
}

func (f *Front) fail(w http.ResponseWriter, r *http.Request, body []byte, method string, fault *Fault) {
	if text := fault.faultText(int(max(f.elementLimit.Load(), 500000))); text != "" {
		f.send(w, r, soapPage(text))
		return
	}
	switch fault.Kind {
	case "slow":
		wait(r, fault)
		f.send(w, r, f.answer(r, body, method))
	case "hang":
		wait(r, fault)
		drop(w)
	case "disconnect":
		drop(w)
	case "lost":
		f.answer(r, body, method)
		drop(w)
	case "half":
		half(w, f.answer(r, body, method), fault.Bytes)
	case "html":
		title := orText(fault.Text, "It works!")
		f.send(w, r, newPage(http.StatusOK, "text/html", fmt.Sprintf(proxyPage, title, title)))
	case "broken_xml":
		f.send(w, r, newPage(http.StatusOK, "text/xml; charset=utf-8", brokenXML()))
	case "empty":
		f.send(w, r, newPage(http.StatusOK, "text/xml; charset=utf-8", ""))
	case "status":
		status := fault.Status
		if status == 0 {
			status = http.StatusServiceUnavailable
		}
		title := fmt.Sprintf("%d %s", status, http.StatusText(status))
		f.send(w, r, newPage(status, "text/html", fmt.Sprintf(proxyPage, title, title)))
	}
}

// wait is over when the fault's time is, when it is cleared, or when the client has left.
func wait(r *http.Request, fault *Fault) {
	var late <-chan time.Time
	if fault.Seconds > 0 {
		late = time.After(time.Duration(fault.Seconds * float64(time.Second)))
	}
	select {
	case <-late:
	case <-fault.done:
	case <-r.Context().Done():
	}
}

// drop closes the connection without a reply.
func drop(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// half announces the whole reply and sends a part.
func half(w http.ResponseWriter, p *page, n int) {
	body := p.body.Bytes()
	if n < 0 {
		n += len(body)
	}
	n = min(max(n, 0), len(body))
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(out, "HTTP/1.1 %d %s\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		p.status, http.StatusText(p.status), len(body))
	_, _ = out.Write(body[:n])
	_ = out.Flush()
}

// soapMethod is the name of the first element in the SOAP body.
func soapMethod(body []byte) string {
	at := bytes.Index(body, []byte("Body"))
	if at < 0 {
		return "?"
	}
	rest := body[at:]
	open := bytes.IndexByte(rest, '>')
	if open < 0 {
		return "?"
	}
	rest = rest[open:]
	begin := bytes.IndexByte(rest, '<')
	if begin < 0 {
		return "?"
	}
	rest = rest[begin+1:]
	end := bytes.IndexAny(rest, " />\t\r\n")
	if end < 0 {
		return "?"
	}
	name := string(rest[:end])
	if _, local, found := strings.Cut(name, ":"); found {
		return local
	}
	return name
}
