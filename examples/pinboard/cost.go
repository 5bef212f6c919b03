package main

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/meter"
)

const clicksEach = 50 // the latest of a person

// click is one request of a page and what it cost.
type click struct {
	N        int64     `json:"n"` // rises
	At       time.Time `json:"at"`
	Route    string    `json:"route"`
	Lost     bool      `json:"lost,omitempty"`  // its answer was cut off
	Again    bool      `json:"again,omitempty"` // it repeats one whose answer was
	Calls    []spent   `json:"calls"`
	Thousand float64   `json:"thousand"` // dollars for a thousand of them

	request string // its method and path
}

// spent is the cost of an operation of Plaza.
type spent struct {
	Operation string `json:"operation"`
	meter.Cost
	Dollars float64 `json:"dollars"`
}

func (s *spent) add(c meter.Cost) {
	s.Cost = s.Plus(c)
	s.Dollars = s.Cost.Dollars(meter.USEast1())
}

// costs counts the requests of clicks, and those of the work in the background.
type costs struct {
	since time.Time

	mu         sync.Mutex
	n          int64
	clicks     map[string][]*click // by person
	background []spent
}

func newCosts() *costs { return &costs{since: time.Now(), clicks: map[string][]*click{}} }

type (
	clickKey struct{}
	freeKey  struct{}
)

// free returns a context whose requests cost nobody anything: the seed is not part of the
// service.
func free(ctx context.Context) context.Context { return context.WithValue(ctx, freeKey{}, true) }

// priced reports whether the requests of a context cost somebody.
func priced(ctx context.Context) bool { return ctx.Value(freeKey{}) == nil }

// observe counts a request to DynamoDB, whose context says for which click it is.
func (c *costs) observe(ctx context.Context, call meter.Call) {
	if !priced(ctx) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if of, ok := ctx.Value(clickKey{}).(*click); ok {
		count(&of.Calls, call)
		of.Thousand += 1000 * call.Cost.Dollars(meter.USEast1())
		return
	}
	count(&c.background, call)
}

// count adds a request to those of its operation.
func count(all *[]spent, call meter.Call) {
	i := slices.IndexFunc(*all, func(s spent) bool { return s.Operation == call.Operation })
	if i < 0 {
		i = len(*all)
		*all = append(*all, spent{Operation: call.Operation})
	}
	(*all)[i].add(call.Cost)
}

// begin returns a request whose costs count as a click.
func (c *costs) begin(r *http.Request) (*http.Request, *click) {
	mine := &click{At: time.Now(), Route: r.Pattern, Calls: []spent{}, request: r.Method + " " + r.URL.Path}
	return r.WithContext(context.WithValue(r.Context(), clickKey{}, mine)), mine
}

// end adds a click to those of a person. It gets its number only now: a page that asks
// for the clicks after a number misses none.
func (c *costs) end(person string, mine *click, lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	mine.N, mine.Lost = c.n, lost
	all := c.clicks[person]
	for _, before := range slices.Backward(all) {
		if before.request == mine.request {
			mine.Again = before.Lost
			break
		}
	}
	all = append(all, mine)
	c.clicks[person] = all[max(0, len(all)-clicksEach):]
}

// meterAnswer is the content of the drawer.
type meterAnswer struct {
	Clicks     []click   `json:"clicks"` // newest last
	Background []spent   `json:"background"`
	Since      time.Time `json:"since"` // of the background
	Now        time.Time `json:"now"`
}

// spentBy answers with a person's clicks after the n-th.
func (c *costs) spentBy(person string, after int64) meterAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := meterAnswer{Clicks: []click{}, Background: append([]spent{}, c.background...), Since: c.since, Now: time.Now()}
	for _, k := range c.clicks[person] {
		if k.N > after {
			copied := *k
			copied.Calls = slices.Clone(k.Calls)
			answer.Clicks = append(answer.Clicks, copied)
		}
	}
	slices.SortFunc(answer.Background, func(a, b spent) int {
		return cmp.Or(b.Requests-a.Requests, strings.Compare(a.Operation, b.Operation))
	})
	return answer
}
