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

func TestExactListsPass(t *testing.T) {
	codec, err := cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: []byte("0123456789abcdef0123456789abcdef")}, Now: func() time.Time { return time.Unix(0, 0) }})
	require.NoError(t, err)
	for name, change := range map[string]func(*memory, *List[uint64]){
		"plain":                   func(*memory, *List[uint64]) {},
		"sealed":                  func(m *memory, _ *List[uint64]) { m.codec = codec },
		"without optional fields": func(_ *memory, l *List[uint64]) { l.Hide, l.Requests = nil, nil },
		"with another maximum":    func(m *memory, l *List[uint64]) { m.max, l.MaxLimit = 1000, 1000 },
		"with tombstones":         func(m *memory, l *List[uint64]) { l.Remove = m.hide }, // pages are short and empty afterwards
	} {
		t.Run(name, func(t *testing.T) {
			Run(t, func(*testing.T) List[uint64] {
				m := newMemory(none, "mine")
				l := m.list(others(none)...)
				change(m, &l)
				return l
			})
		})
	}
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
