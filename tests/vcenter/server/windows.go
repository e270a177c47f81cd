package main

import (
	"path"
	"sync"
	"time"
)

// Window is a span of sampling times in which an entity's samples are missing, late or −1.
type Window struct {
	Kind    string // missing, late, absent
	From    int64  // exclusive, Unix seconds of the samples
	To      int64  // inclusive; 0: until cleared
	Entity  string // glob over names
	Counter string // glob over group.name.rollup (absent only)
	Seconds int64  // how late
}

// Windows are all of them; a sample is a pure function of scenario and tick, this is what takes it away.
type Windows struct {
	mu  sync.RWMutex
	all []Window
}

// Add opens a window.
func (w *Windows) Add(one Window) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, one)
}

// Clear closes the open windows at a time; what was in them stays as it is.
func (w *Windows) Clear(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.all {
		if w.all[i].To == 0 {
			w.all[i].To = max(at.Unix(), w.all[i].From)
		}
	}
}

// Of are the windows of an entity.
func (w *Windows) Of(name string) []Window {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var found []Window
	for _, one := range w.all {
		if matches(one.Entity, name) {
			found = append(found, one)
		}
	}
	return found
}

func (w Window) holds(at int64) bool { return at > w.From && (w.To == 0 || at <= w.To) }

// matches is a glob match; an empty pattern matches all.
func matches(pattern, name string) bool {
	if pattern == "" || pattern == "*" || pattern == name {
		return true
	}
	found, err := path.Match(pattern, name)
	return err == nil && found
}

// missing says whether a sample never existed, hidden whether it is not to be seen yet.
func missing(windows []Window, at int64) bool {
	for _, w := range windows {
		if w.Kind == "missing" && w.holds(at) {
			return true
		}
	}
	return false
}

func hidden(windows []Window, at int64, now time.Time) bool {
	for _, w := range windows {
		if w.Kind == "late" && w.holds(at) && now.Before(time.Unix(at+w.Seconds, 0)) {
			return true
		}
	}
	return false
}

// absentCounters are the globs of counters that read −1 at a time.
func absentAt(windows []Window, counter string, at int64) bool {
	for _, w := range windows {
		if w.Kind == "absent" && w.holds(at) && matches(w.Counter, counter) {
			return true
		}
	}
	return false
}
