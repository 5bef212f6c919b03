package faults

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// Buckets throttles each partition key of a table and of its indexes at a tenth of what
// DynamoDB gives one: 100 write units and 300 read units a second, and as much at once. A
// request is admitted while its bucket is not empty, and is charged afterwards.
//
// A second is so many requests, so that a slow machine changes nothing. What a delete, or an
// update that does not set an index's partition key, changes there is not charged.
type Buckets struct {
	// PerSecond is how many requests a second has, those that are refused too. The more,
	// the hotter the keys. Defaults to 20.
	PerSecond int

	mu     sync.Mutex
	now    int                // requests
	levels map[string]*bucket // by table or index, and key
	counts int
	busy   int
}

type bucket struct {
	level float64
	at    int
}

const (
	writesPerSecond = 100
	readsPerSecond  = 300
)

// Throttled counts the requests that were refused, in part or as a whole.
func (c *Buckets) Throttled() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// Ask is Acknowledged for a call that may fail only with plaza.ErrBusy.
func (c *Buckets) Ask(t testing.TB, call func() error) (calls int) {
	t.Helper()
	return Acknowledged(t, func() error {
		err := call()
		if err != nil && !errors.Is(err, plaza.ErrBusy) {
			t.Errorf("faults: a call on hot keys failed with %v", err)
		}
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.busy++
		}
		return err
	})
}

// Changes is Ask for a call that reports a change, which none that fails may.
func (c *Buckets) Changes(t testing.TB, call func() (changed bool, err error)) (changed bool) {
	t.Helper()
	c.Ask(t, func() (err error) {
		if changed, err = call(); changed && err != nil {
			t.Errorf("faults: a call that failed reports a change: %v", err)
		}
		return err
	})
	return changed
}

// Busy counts the calls of Ask and Changes that failed.
func (c *Buckets) Busy() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

// Wrap puts the buckets before next. They may wrap several clients.
func (c *Buckets) Wrap(next aws.HTTPClient) aws.HTTPClient { return limited{c, next} }

type limited struct {
	*Buckets
	next aws.HTTPClient
}

func (c limited) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	charges := chargesOf(req)
	if len(charges) == 0 {
		return c.next.Do(req.Again())
	}
	empty := c.empty(charges)
	switch {
	case len(empty) == 0:
	case batchSize(req) > len(empty):
		res, err := client{next: c.next}.withhold(req, empty)
		c.charge(without(charges, empty), res)
		return res, err
	default:
		return overdrawn(req, charges, empty), nil
	}
	res, err := c.next.Do(req.Again())
	if err == nil {
		c.charge(charges, res)
	}
	return res, err
}

// charge is what one part of a request takes from a bucket.
type charge struct {
	resource string // a table or index
	key      string
	write    bool
	units    float64 // of a read: for each 4 KB of its share of the answer
	part     int     // of a batch or transaction
}

func (c *Buckets) empty(charges []charge) map[int]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	empty := map[int]bool{}
	for _, part := range charges {
		if c.bucket(part).level <= 0 {
			empty[part.part] = true
		}
	}
	if len(empty) > 0 {
		c.counts++
	}
	return empty
}

func (c *Buckets) charge(charges []charge, res *http.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, part := range charges {
		units := part.units
		if !part.write && res != nil {
			units *= math.Max(1, math.Ceil(float64(res.ContentLength)/float64(4096*len(charges))))
		}
		c.bucket(part).level -= units
	}
}

// bucket returns the part's bucket as it is now.
func (c *Buckets) bucket(part charge) *bucket {
	limit := float64(readsPerSecond)
	if part.write {
		limit = writesPerSecond
	}
	name := fmt.Sprintf("%v %q %s", part.write, part.resource, part.key)
	b := c.levels[name]
	if b == nil {
		if c.levels == nil {
			c.levels = make(map[string]*bucket)
		}
		b = &bucket{level: limit, at: c.now}
		c.levels[name] = b
	}
	b.level = math.Min(limit, b.level+limit*float64(c.now-b.at)/float64(cmp.Or(c.PerSecond, 20)))
	b.at = c.now
	return b
}

// partition is the first comparison of a query.
var partition = regexp.MustCompile(`= *(:\w+)`)

// chargesOf returns what a request will be charged for. Writes are charged by the size of
// the request. A part or userId that an item has or an update sets is the key of an index.
func chargesOf(req wire.Request) (out []charge) {
	times := 1.0
	if transactionSize(req) > 0 {
		times = 2
	}
	for _, p := range parts(req) {
		c := charge{resource: p.TableName, key: string(p.key("pk")), write: operations[req.Op], part: p.index}
		switch {
		case c.write:
			c.units = times * math.Ceil(float64(p.size)/1024)
		case p.ConsistentRead:
			c.units = 1
		default:
			c.units = 0.5
		}
		if m := partition.FindStringSubmatch(p.KeyConditionExpression); m != nil {
			c.resource, c.key = p.TableName+p.IndexName, string(p.ExpressionAttributeValues[m[1]])
		}
		if c.key == "" {
			continue // a scan
		}
		out = append(out, c)
		for name, index := range map[string]string{"part": "ranking", "userId": "byUser"} {
			if of := p.written(name); of != nil {
				out = append(out, charge{p.TableName + index, string(of), true, c.units / times, p.index})
			}
		}
	}
	return out
}

func without(charges []charge, parts map[int]bool) (out []charge) {
	for _, c := range charges {
		if !parts[c.part] {
			out = append(out, c)
		}
	}
	return out
}

// overdrawn refuses a request as DynamoDB does, with the reason.
func overdrawn(req wire.Request, charges []charge, empty map[int]bool) *http.Response {
	if n := transactionSize(req); n > 0 {
		codes := reasons(n, 0, "None")
		for part := range empty {
			codes[part] = "ThrottlingError"
		}
		return cancelled(req, codes)
	}
	reason, resource := "TableReadKeyRangeThroughputExceeded", charges[0].resource
	if charges[0].write {
		reason = "TableWriteKeyRangeThroughputExceeded"
	}
	return refuse(req, map[string]any{
		"__type":  errorSpace + "ThrottlingException",
		"message": "Throughput exceeds the current capacity of one or more partitions.",
		"throttlingReasons": []map[string]string{{
			"reason": reason, "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/" + resource,
		}},
	})
}
