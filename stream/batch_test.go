package stream_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/stream"
)

// handled records what a Handler was given, by item, in order.
type handled struct {
	mu   sync.Mutex
	seqs map[string][]string
	all  []string
	fail func(stream.Record) error
}

func (h *handled) handle(_ context.Context, r stream.Record) error {
	if h.fail != nil {
		if err := h.fail(r); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seqs == nil {
		h.seqs = map[string][]string{}
	}
	id := fmt.Sprint(r.Keys["Id"])
	h.seqs[id] = append(h.seqs[id], r.Seq)
	h.all = append(h.all, r.Seq)
	return nil
}

func TestRecordsOfOneItemStayInOrder(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, lanes := range []int{-1, 1, 3, 100} {
		var records []stream.Record
		for i := range 200 {
			records = append(records, change(fmt.Sprint("item", i%7), i+1, i/7))
		}
		h := &handled{}
		for _, err := range stream.Each(h.handle, lanes)(t.Context(), records) {
			require.NoError(t, err)
		}
		require.Len(t, h.all, 200)
		for item := range 7 {
			var want []string
			for i := item; i < 200; i += 7 {
				want = append(want, fmt.Sprint(i+1))
			}
			require.Equal(t, want, h.seqs[fmt.Sprint(text(fmt.Sprint("item", item)))], "lanes %d", lanes)
		}
	}
}

func TestAsManyHandlersAsLanesRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := func(context.Context, stream.Record) error { time.Sleep(time.Second); return nil }
		start := time.Now()
		stream.Each(h, 4)(t.Context(), changes(12))
		require.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestAFailureHoldsOnlyLaterRecordsOfItsItem(t *testing.T) {
	for _, fail := range []func() error{func() error { return errors.New("broken") }, func() error { panic("broken") }} {
		records := []stream.Record{change("a", 1, 1), change("b", 2, 1), change("a", 3, 2), change("a", 4, 3), change("b", 5, 2)}
		h := &handled{fail: func(r stream.Record) error {
			if r.Seq == "3" {
				return fail()
			}
			return nil
		}}
		errs := stream.Each(h.handle, 2)(t.Context(), records)
		require.ErrorContains(t, errs[2], "broken")
		require.ErrorIs(t, errs[3], stream.ErrHeld)
		require.Equal(t, []error{nil, nil, errs[2], errs[3], nil}, errs)
		require.ElementsMatch(t, []string{"1", "2", "5"}, h.all)
	}
}

func TestItemsAreToldApartByTableAndWholeKey(t *testing.T) {
	first := change("a", 1, 1)
	otherTable := change("a", 2, 1)
	otherTable.Table = "Other"
	otherType := change("1", 3, 1)
	otherType.Keys = attributes{"Id": number("1")}
	sameText := change("1", 4, 1)
	sameText.Keys = attributes{"Id": text("1")}
	ranged := change("a", 5, 1)
	ranged.Keys = attributes{"Id": text("a"), "r": text("b")}
	h := func(context.Context, stream.Record) error { return errors.New("broken") }
	for _, err := range stream.Each(h, 1)(t.Context(), []stream.Record{first, otherTable, otherType, sameText, ranged}) {
		require.NotErrorIs(t, err, stream.ErrHeld)
	}
}

func TestACancelledBatchCallsNoHandler(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := func(context.Context, stream.Record) error { cancel(); return nil }
	errs := stream.Each(h, 1)(ctx, changes(3))
	require.NoError(t, errs[0])
	assert.ErrorIs(t, errs[1], context.Canceled)
	assert.ErrorIs(t, errs[2], context.Canceled)
}
