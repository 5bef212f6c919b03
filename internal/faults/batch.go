package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// batch is the body of a BatchWriteItem or BatchGetItem.
type batch struct {
	fields map[string]json.RawMessage // all except RequestItems
	tables []batchTable               // sorted by name
}

type batchTable struct {
	name    string
	options map[string]json.RawMessage // all except Keys, in a BatchGetItem; otherwise nil
	entries []json.RawMessage
}

func parseBatch(req wire.Request) (batch, error) {
	var b batch
	if req.Op != "BatchWriteItem" && req.Op != "BatchGetItem" {
		return b, fmt.Errorf("faults: %s is not a batch", req.Op)
	}
	var tables map[string]json.RawMessage
	if err := json.Unmarshal(req.Body, &b.fields); err != nil {
		return b, err
	}
	if err := json.Unmarshal(b.fields["RequestItems"], &tables); err != nil {
		return b, err
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		t, entries := batchTable{name: name}, tables[name]
		if req.Op == "BatchGetItem" {
			if err := json.Unmarshal(entries, &t.options); err != nil {
				return b, err
			}
			entries = t.options["Keys"]
		}
		if err := json.Unmarshal(entries, &t.entries); err != nil {
			return b, err
		}
		b.tables = append(b.tables, t)
	}
	return b, nil
}

// batchSize returns 0 for a request that is not a batch.
func batchSize(req wire.Request) int {
	b, _ := parseBatch(req)
	return b.size()
}

func (b batch) size() int {
	n := 0
	for _, t := range b.tables {
		n += len(t.entries)
	}
	return n
}

// split divides the entries in two. Entries are numbered across all tables.
func (b batch) split(withheld map[int]bool) (in, out batch) {
	in.fields, out.fields = b.fields, b.fields
	i := 0
	for _, t := range b.tables {
		kept, cut := t, t
		kept.entries, cut.entries = nil, nil
		for _, entry := range t.entries {
			if withheld[i] {
				cut.entries = append(cut.entries, entry)
			} else {
				kept.entries = append(kept.entries, entry)
			}
			i++
		}
		if len(kept.entries) > 0 {
			in.tables = append(in.tables, kept)
		}
		if len(cut.entries) > 0 {
			out.tables = append(out.tables, cut)
		}
	}
	return in, out
}

// items returns the value of RequestItems, UnprocessedItems or UnprocessedKeys.
func (b batch) items() map[string]any {
	items := make(map[string]any, len(b.tables))
	for _, t := range b.tables {
		if t.options == nil {
			items[t.name] = t.entries
			continue
		}
		options := make(map[string]any, len(t.options))
		for name, v := range t.options {
			options[name] = v
		}
		options["Keys"] = t.entries
		items[t.name] = options
	}
	return items
}

// unprocessed withholds a part of a batch from the engine.
func (c client) unprocessed(req wire.Request, d decision) (*http.Response, error) {
	b, err := parseBatch(req)
	if err != nil {
		return nil, err
	}
	n := b.size()
	k := min(d.Entries, n)
	if k == 0 {
		k = 1 + int(d.chance%uint64(max(1, n-1)))
	}
	return c.withhold(req, chosen(n, k, d.chance))
}

// withhold keeps some entries of a batch from the engine, or all of them.
func (c client) withhold(req wire.Request, entries map[int]bool) (*http.Response, error) {
	b, err := parseBatch(req)
	if err != nil {
		return nil, err
	}
	sent, withheld := b.split(entries)
	field := "UnprocessedItems"
	if req.Op == "BatchGetItem" {
		field = "UnprocessedKeys"
	}
	if len(sent.tables) == 0 {
		body, err := json.Marshal(map[string]any{"Responses": struct{}{}, field: withheld.items()})
		return req.Answer(http.StatusOK, body), err
	}

	fields := make(map[string]any, len(b.fields))
	for name, v := range b.fields {
		fields[name] = v
	}
	fields["RequestItems"] = sent.items()
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	res, err := c.next.Do(req.As(req.Op, body))
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	return rewrite(res, func(answer map[string]json.RawMessage) error {
		answer[field], err = json.Marshal(withheld.items())
		return err
	})
}

// rewrite changes the fields of an answer.
func rewrite(res *http.Response, change func(map[string]json.RawMessage) error) (*http.Response, error) {
	body, err := wire.Body(res)
	if err != nil {
		return nil, err
	}
	answer := make(map[string]json.RawMessage)
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if err := change(answer); err != nil {
		return nil, err
	}
	if body, err = json.Marshal(answer); err != nil {
		return nil, err
	}
	wire.SetBody(res, body)
	return res, nil
}
