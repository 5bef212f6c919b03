package pagetest

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

func others(b bug) []Other {
	var others []Other
	for _, name := range []string{"another partition", "a second one"} {
		m := newMemory(b, name)
		m.add(context.Background(), 2)
		others = append(others, Foreign(name, m.page))
	}
	return others
}

func TestExactListPasses(t *testing.T) {
	Run(t, func(*testing.T) List[uint64] {
		return newMemory(none, "mine").list(others(none)...)
	})
}

func TestExactListPassesSealed(t *testing.T) {
	codec, err := cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: []byte("0123456789abcdef0123456789abcdef")}, Now: func() time.Time { return time.Unix(0, 0) }})
	require.NoError(t, err)
	Run(t, func(*testing.T) List[uint64] {
		m := newMemory(none, "mine")
		m.codec = codec
		return m.list(others(none)...)
	})
}

func TestListWithoutOptionalFieldsPasses(t *testing.T) {
	Run(t, func(*testing.T) List[uint64] {
		m := newMemory(none, "mine")
		m.max = 1000
		l := m.list(others(none)...)
		l.Hide, l.Requests = nil, nil
		return l
	})
}

// If removing hides items, pages are short and empty afterwards.
func TestListThatKeepsTombstonesPasses(t *testing.T) {
	Run(t, func(*testing.T) List[uint64] {
		m := newMemory(none, "mine")
		l := m.list(others(none)...)
		l.Remove = m.hide
		return l
	})
}

// recorder is a T that records whether a check failed.
type recorder struct {
	failed  bool
	message string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed, r.message = true, fmt.Sprintf(format, args...)
}

func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// failing returns the message of each check that fails on a list with this bug.
func failing(t *testing.T, b bug) map[string]string {
	t.Helper()
	messages := map[string]string{}
	for _, c := range checks[uint64]() {
		r := &recorder{}
		var panicked any
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { panicked = recover() }()
			c.run(newProbe(t.Context(), r, newMemory(b, "mine").list(others(b)...), new([]string)))
		}()
		<-done
		require.Nil(t, panicked, c.name)
		if r.failed {
			messages[c.name] = r.message
		}
	}
	return messages
}

func TestEveryBugIsCaughtAndEveryCheckCatchesOne(t *testing.T) {
	require.Empty(t, failing(t, none))
	caught := map[string]bool{}
	for _, b := range bugs {
		messages := failing(t, b)
		assert.NotEmpty(t, messages, b)
		for name := range messages {
			caught[name] = true
		}
	}
	for _, c := range checks[uint64]() {
		assert.True(t, caught[c.name], c.name)
	}
}

func TestIncompleteListIsRefused(t *testing.T) {
	whole := newMemory(none, "mine").list(others(none)...)
	require.NoError(t, whole.validate())
	for name, spoil := range map[string]func(*List[uint64]){
		"Page":   func(l *List[uint64]) { l.Page = nil },
		"ID":     func(l *List[uint64]) { l.ID = nil },
		"Add":    func(l *List[uint64]) { l.Add = nil },
		"Remove": func(l *List[uint64]) { l.Remove = nil },
		"Others": func(l *List[uint64]) { l.Others = nil },
	} {
		l := whole
		spoil(&l)
		assert.Error(t, l.validate(), name)
	}
}

func TestRequestsStayModerate(t *testing.T) {
	requests, items := 0, uint64(0)
	for _, c := range checks[uint64]() {
		m := newMemory(none, "mine")
		c.run(newProbe(t.Context(), t, m.list(others(none)...), new([]string)))
		requests += m.requests
		items += m.last / 10
	}
	t.Logf("%d requests, %d items", requests, items)
	assert.Less(t, requests, 600)
	assert.Less(t, items, uint64(500))
}
