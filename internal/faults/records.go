package faults

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// Records lets a stream deliver late and twice: now and then a page is empty though there
// are records, and now and then the next page is the last one again.
type Records struct {
	mu     sync.Mutex
	random *rand.Rand
	again  map[string][]byte // the answer, by the iterator that follows it
	late   int
	twice  int
}

// NewRecords returns Records of a seed.
func NewRecords(seed uint64) *Records {
	return &Records{random: rand.New(rand.NewPCG(seed, 0)), again: make(map[string][]byte)}
}

// Twice counts the records that were delivered again.
func (s *Records) Twice() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.twice
}

// Late counts the pages that were held back.
func (s *Records) Late() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}

// Wrap puts s before next, which may be a client of the table too.
func (s *Records) Wrap(next aws.HTTPClient) aws.HTTPClient { return repeating{s, next} }

type repeating struct {
	*Records
	next aws.HTTPClient
}

func (c repeating) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	if req.Op != "GetRecords" {
		return c.next.Do(req.Again())
	}
	var in struct{ ShardIterator string }
	if err := json.Unmarshal(req.Body, &in); err != nil {
		return nil, err
	}
	if page := c.instead(in.ShardIterator); page != nil {
		return req.Answer(http.StatusOK, page), nil
	}
	res, err := c.next.Do(req.Again())
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	page, err := wire.Body(res)
	if err != nil {
		return nil, err
	}
	wire.SetBody(res, page)
	return res, c.keep(page)
}

// page is an answer of GetRecords.
type page struct {
	Records           []json.RawMessage
	NextShardIterator string
}

// instead returns an empty page, the last one again, or nil.
func (c repeating) instead(iterator string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, ok := c.again[iterator]
	delete(c.again, iterator)
	switch c.random.IntN(3) {
	case 0:
		c.late++
		empty, _ := json.Marshal(page{Records: []json.RawMessage{}, NextShardIterator: iterator})
		return empty
	case 1:
		var p page
		if ok && json.Unmarshal(last, &p) == nil {
			c.twice += len(p.Records)
			return last
		}
	}
	return nil
}

// keep remembers a page that has records.
func (c repeating) keep(answer []byte) error {
	var p page
	if err := json.Unmarshal(answer, &p); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(p.Records) > 0 && p.NextShardIterator != "" {
		c.again[p.NextShardIterator] = answer
	}
	return nil
}
