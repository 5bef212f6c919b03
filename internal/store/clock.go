package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

const (
	// maxOffset is how far this process's clock may be from DynamoDB's. So two processes
	// differ by twice that at most.
	maxOffset = keys.MaxAhead / 2

	// dateAge is how much older than its answer a Date may be: it has whole seconds, and
	// may have been taken a second before.
	dateAge = 2 * time.Second

	slowAnswer = time.Second // an answer that took longer says too little
	maxParted  = time.Second // how far wall and monotonic clock may part unnoticed
	askEvery   = time.Second
)

// clock compares this process's clock with the Dates of DynamoDB's answers.
type clock struct {
	table string
	now   func() Reading
	turn  chan struct{} // allows one question at a time

	mu    sync.Mutex
	base  Reading       // of the last answer that agreed with this clock
	off   *offset       // of the last answer, if it did not agree
	wrong error         // a *plaza.ClockError, once two answers in a row agreed
	heard int           // how many answers had a Date
	asked time.Duration // when a question ended, by the monotonic clock; 0 if the clock is right since
	reply error         // what CheckClock returned then
}

// Reading is what the clocks of this process read.
type Reading struct {
	Wall time.Time
	Mono time.Duration // since before the process began
}

func (r Reading) parted(from Reading) bool {
	return (r.Wall.Sub(from.Wall) - (r.Mono - from.Mono)).Abs() > maxParted
}

// offset bounds how far this process's clock is ahead of DynamoDB's.
type offset struct{ least, most time.Duration }

func newClock(table string, now func() Reading) *clock {
	return &clock{table: table, now: now, turn: make(chan struct{}, 1), base: now()}
}

func systemClock() func() Reading {
	began := time.Now().Add(-time.Hour) // nothing is asked at 0
	return func() Reading {
		now := time.Now()
		return Reading{now.Round(0), now.Sub(began)}
	}
}

// SetClock replaces this process's clocks, for tests.
func (t *Table) SetClock(now func() Reading) { t.clock.now, t.clock.base = now, now() }

// Dated is t, but compares the Dates of its answers with this process's clock.
func (t *Table) Dated() *Table {
	if t.clock == nil {
		return t
	}
	dated := *t
	dated.dates = t.clock
	return &dated
}

// CheckClock returns a *plaza.ClockError once two answers in a row to requests of Dated say
// that this process's clock may be more than 5 s from DynamoDB's, and until an answer agrees
// with the clock.
//
// It asks DynamoDB, at most once a second, if the last answer did not agree, or if the wall
// clock and the monotonic clock have parted.
//
// Cost: none; 1 request, 0.5 RCU if it asks; twice that before it first returns the error.
func (t *Table) CheckClock(ctx context.Context) error {
	c := t.clock
	if c == nil {
		return nil
	}
	if known, err := c.known(); known {
		return err
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if known, err := c.known(); known {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, 2*slowAnswer) // others wait for the turn
	defer cancel()
	heard := c.dates()
	err := t.askClock(asking)
	if c.doubtful(heard) {
		err = t.askClock(asking)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.settle(heard, err)
}

// askClock asks once: the SDK does not repeat it.
func (t *Table) askClock(ctx context.Context) error {
	once := func(ctx context.Context, in *dynamodb.GetItemInput, o ...option) (*dynamodb.GetItemOutput, error) {
		return t.db.Client().GetItem(ctx, in, append(o, func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })...)
	}
	_, err := ask(ctx, t.Dated(), once, &dynamodb.GetItemInput{TableName: &t.name, Key: markerKey.item()})
	return err
}

// known reports whether there is nothing to ask now, and what CheckClock returns then.
func (c *clock) known() (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if c.off == nil && !now.parted(c.base) {
		return true, nil
	}
	return c.asked > 0 && now.Mono-c.asked < askEvery, c.reply
}

func (c *clock) dates() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard
}

// doubtful reports whether the last of the answers since then was the first one that did
// not agree with the clock.
func (c *clock) doubtful(heard int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard > heard && c.off != nil && c.wrong == nil
}

// errNoDate is returned for an answer that was slow, or had no Date although others had.
var errNoDate = errors.New("no answer with a Date in time")

// settle ends a question that began after that many answers.
func (c *clock) settle(heard int, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	answered := c.heard > heard
	if answered && c.off == nil {
		return nil
	}
	c.asked, c.reply = c.now().Mono, c.wrong
	if !answered && err == nil && c.heard > 0 && c.off == nil {
		err = errNoDate
	}
	if c.wrong == nil && err != nil {
		c.reply = fmt.Errorf("compare clocks: %w: %w", plaza.ErrUnavailable, err)
	}
	return c.reply
}

// note compares the Date of an answer with the readings before and after it.
func (c *clock) note(sent, received Reading, header http.Header) {
	date, err := http.ParseTime(header.Get("Date"))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		if c.heard == 0 { // nothing to compare
			c.base = received
		}
		return
	case header.Get("Age") != "", received.Mono-sent.Mono > slowAnswer:
		return
	}
	c.heard++
	o := offset{sent.Wall.Sub(date) - dateAge, received.Wall.Sub(date)}
	if o.least.Abs() <= maxOffset && o.most.Abs() <= maxOffset { // least is above most if the clock went back meanwhile
		c.base, c.off, c.wrong, c.asked, c.reply = received, nil, nil, 0, nil
		return
	}
	if last := c.off; c.wrong != nil || last != nil && o.least <= last.most && last.least <= o.most {
		c.wrong = &plaza.ClockError{Table: c.table, Ahead: o.least/2 + o.most/2}
		c.asked, c.reply = received.Mono, c.wrong
	}
	c.off = &o
}

// listener passes the header of each answer to note.
type listener struct {
	aws.HTTPClient
	clock *clock
}

func (l listener) Do(r *http.Request) (*http.Response, error) {
	sent := l.clock.now()
	res, err := l.HTTPClient.Do(r)
	if err == nil {
		l.clock.note(sent, l.clock.now(), res.Header)
	}
	return res, err
}
