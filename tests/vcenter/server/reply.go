package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// perfBody carries a reply that is already XML: encoding 100,000 series by reflection takes seconds.
type perfBody struct {
	Res    *QueryPerfResponse `xml:"QueryPerfResponse,omitempty"`
	Fault_ *soap.Fault        `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

func (b *perfBody) Fault() *soap.Fault { return b.Fault_ }

// QueryPerfResponse is named as the element that it becomes.
type QueryPerfResponse struct {
	Inner []byte `xml:",innerxml"`
}

// replyWriter writes PerfEntityMetric and PerfEntityMetricCSV elements as a vCenter spells them.
type replyWriter struct {
	text    []byte
	samples int64 // sampling instants of entities
	values  int64 // values that are not −1

	times []int64 // those of csv, so that entities with the same instants share the text
	span  int64
	csv   string
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&quot;")

func (r *replyWriter) add(parts ...string) {
	for _, part := range parts {
		r.text = append(r.text, part...)
	}
}

func (r *replyWriter) entity(spec *types.PerfQuerySpec, times []int64, interval int64) {
	kind := "PerfEntityMetric"
	if spec.Format == "csv" {
		kind = "PerfEntityMetricCSV"
	}
	r.add(`<returnval xsi:type="`, kind, `"><entity type="`, spec.Entity.Type, `">`, spec.Entity.Value, `</entity>`)
	r.samples += int64(len(times))
	if spec.Format == "csv" {
		r.add("<sampleInfoCSV>", r.timesCSV(times, interval), "</sampleInfoCSV>")
		return
	}
	span := strconv.FormatInt(interval, 10)
	for _, at := range times {
		r.add("<sampleInfo><timestamp>", stamp(at), "</timestamp><interval>", span, "</interval></sampleInfo>")
	}
}

func (r *replyWriter) endEntity() { r.add("</returnval>") }

func (r *replyWriter) series(spec *types.PerfQuerySpec, m *Metric, values []int64) {
	csv := spec.Format == "csv"
	if csv {
		r.add("<value><id><counterId>")
	} else {
		r.add(`<value xsi:type="PerfMetricIntSeries"><id><counterId>`)
	}
	r.text = strconv.AppendInt(r.text, int64(m.Counter), 10)
	r.add("</counterId><instance>", escaper.Replace(m.Instance), "</instance></id>")
	if csv {
		r.add("<value>")
	}
	for i, value := range values {
		switch {
		case !csv:
			r.add("<value>")
		case i > 0:
			r.text = append(r.text, ',')
		}
		r.text = strconv.AppendInt(r.text, value, 10)
		if !csv {
			r.add("</value>")
		}
		if value != absent {
			r.values++
		}
	}
	if csv {
		r.add("</value>")
	}
	r.add("</value>")
}

func stamp(at int64) string { return time.Unix(at, 0).UTC().Format(time.RFC3339) }

func (r *replyWriter) timesCSV(times []int64, interval int64) string {
	if r.csv != "" && r.span == interval && sameTimes(r.times, times) {
		return r.csv
	}
	parts := make([]string, 0, 2*len(times))
	for _, at := range times {
		parts = append(parts, strconv.FormatInt(interval, 10), stamp(at))
	}
	r.times, r.span, r.csv = append([]int64(nil), times...), interval, strings.Join(parts, ",")
	return r.csv
}

func sameTimes(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
