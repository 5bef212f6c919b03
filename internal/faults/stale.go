package faults

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// answers holds the last few answers to each read, by question.
type answers map[string][][]byte

const answersKept = 4

// question returns the same text for equal reads, although the SDK writes a map's entries
// in random order.
func question(req wire.Request) string {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(req.Body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return req.Op + string(req.Body)
	}
	body, _ := json.Marshal(v)
	return req.Op + string(body)
}

func (in *Injector) record(req wire.Request, res *http.Response) (*http.Response, error) {
	if res.StatusCode != http.StatusOK {
		return res, nil
	}
	body, err := wire.Body(res)
	if err != nil {
		return nil, err
	}
	wire.SetBody(res, body)
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.rates.Stale == 0 && in.script == nil {
		return res, nil
	}
	q := question(req)
	kept := in.answers[q]
	if len(kept) == answersKept {
		kept = kept[1:]
	}
	in.answers[q] = append(kept[:len(kept):len(kept)], body)
	return res, nil
}

// earlier returns an earlier answer, or nil.
func (in *Injector) earlier(req wire.Request, chance uint64) []byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	kept := in.answers[question(req)]
	if len(kept) == 0 {
		return nil
	}
	return kept[chance%uint64(len(kept))]
}

// stale answers as a replica that lacks the latest writes, or all writes of the
// test.
func (c client) stale(req wire.Request, d decision) (*http.Response, error) {
	earlier := c.in.earlier(req, d.chance)
	if req.Op == "BatchGetItem" {
		return c.staleBatch(req, earlier)
	}
	if earlier == nil {
		earlier = []byte(`{"Items":[],"Count":0,"ScannedCount":0}`)
		if req.Op == "GetItem" {
			earlier = []byte(`{}`)
		}
	}
	return req.Answer(http.StatusOK, earlier), nil
}

// staleBatch replaces the items of tables that are read consistently by current ones.
func (c client) staleBatch(req wire.Request, earlier []byte) (*http.Response, error) {
	var in struct {
		RequestItems map[string]struct{ ConsistentRead bool }
	}
	var out struct{ Responses map[string]json.RawMessage }
	if err := json.Unmarshal(req.Body, &in); err != nil {
		return nil, err
	}
	if earlier != nil {
		if err := json.Unmarshal(earlier, &out); err != nil {
			return nil, err
		}
	}
	res, err := c.next.Do(req.Again())
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	return rewrite(res, func(answer map[string]json.RawMessage) error {
		var fresh map[string]json.RawMessage
		if err := json.Unmarshal(answer["Responses"], &fresh); err != nil {
			return err
		}
		for table, asked := range in.RequestItems {
			if asked.ConsistentRead {
				continue
			}
			fresh[table] = json.RawMessage(`[]`)
			if old, ok := out.Responses[table]; ok {
				fresh[table] = old
			}
		}
		answer["Responses"], err = json.Marshal(fresh)
		return err
	})
}
