package main

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/ids"
)

// clock is the story's time. It also makes ids of that time; a service has ids.New.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	made ids.ID // at now
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.made = now, 0
}

func (c *clock) pass(d time.Duration) { c.set(c.Now().Add(d)) }

func (c *clock) Next(context.Context) (ids.ID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	return ids.At(c.now) + c.made, nil
}
