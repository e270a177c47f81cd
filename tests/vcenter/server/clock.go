package main

import (
	"sync"
	"time"
)

// Clock is the server's clock: the machine's, plus an offset that tests may change.
type Clock struct {
	mu     sync.RWMutex
	offset time.Duration
}

// Now is the server's time.
func (c *Clock) Now() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return time.Now().Add(c.offset)
}

// Jump moves the clock and returns its time before and after.
func (c *Clock) Jump(by time.Duration) (before, after time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = time.Now().Add(c.offset)
	c.offset += by
	return before, before.Add(by)
}

// Offset is how far the server's clock is ahead of the machine's.
func (c *Clock) Offset() time.Duration {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.offset
}

// Timeline says which tick is when: tick i is at Epoch + i × Interval (Unix seconds).
type Timeline struct {
	Epoch    int64
	Interval int64
	First    int64 // the oldest tick that ever existed: 0, or less where rollups reach further back
}

// At is a tick's time in Unix seconds.
func (t Timeline) At(tick int64) int64 { return t.Epoch + tick*t.Interval }

// Last is the newest tick at or before a time.
func (t Timeline) Last(at time.Time) int64 { return floorDiv(at.Unix()-t.Epoch, t.Interval) }

// After is the first tick later than a time.
func (t Timeline) After(at time.Time) int64 { return t.Last(at) + 1 }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
