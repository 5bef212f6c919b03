package changetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// giveUp makes the call, none of whose requests arrives yet.
func (t *trial[R]) giveUp() {
	t.Helper()
	t.mine.holds.Store(true)
	_, err := t.do()
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	t.mine.holds.Store(false)
}

// A request arrives during the last of some calls by another process, or after it.
func (t *trial[R]) late() {
	if t.Undo == nil {
		return
	}
	for name, before := range map[string]func(){
		"nothing to undo": nothing,
		"done and undone": t.doOther,
	} {
		if t.Part == "" || t.Silent && name == "nothing to undo" {
			continue
		}
		for k := 1; ; k++ {
			t.begin()
			t.giveUp()
			before()
			sent := t.other.before(k, func() { t.mine.held.Arrive(t) })
			_, err := t.Undo(t.Context(), t.o, t.name)
			require.NoError(t, err)
			t.other.calm()
			last := sent() < k
			if last {
				t.mine.held.Arrive(t)
			}
			require.Equal(t, t.after(t.Do, t.Undo), t.state(), "%s; request %d", name, k)
			if last {
				break
			}
		}
	}

	// The SDK sends the request again, and the first one comes later.
	t.begin()
	t.mine.holds.Store(true)
	t.mine.first(faults.None, func() { t.mine.holds.Store(false) })
	_, err := t.do()
	require.NoError(t, err)
	t.undo()
	t.mine.held.Arrive(t)
	require.Equal(t, t.after(t.Do, t.Undo), t.state())
}

// The item is erased and begun again before the SDK repeats a request that was applied.
func (t *trial[R]) begunAgain() {
	if t.Part == "" || t.Erase == nil || t.Begin == nil {
		return
	}
	t.begin()
	t.mine.first(faults.LostAfter, func() {
		require.NoError(t, t.Erase(t.Context(), t.o, t.name))
		t.beginAgain()
	})
	changed, err := t.do() // which a transaction knows, by its token
	t.knownOrNot(changed, err)
	require.Equal(t, t.after(), t.state())
}

// A request arrives after the item was erased, and begun again.
func (t *trial[R]) erased() {
	if t.Erase == nil {
		return
	}
	for name, before := range map[string]func(){
		"a new item": nothing,
		"a changed item": func() {
			if t.Undo != nil {
				t.doOther()
				t.undo()
			}
		},
	} {
		t.begin()
		before()
		t.giveUp()
		require.NoError(t, t.Erase(t.Context(), t.o, t.name))
		if t.Begin == nil { // the request may create the item again
			t.mine.held.Arrive(t)
			require.NoError(t, t.Erase(t.Context(), t.o, t.name))
		} else {
			t.beginAgain()
			t.mine.held.Arrive(t)
		}
		require.Equal(t, t.after(), t.state(), name)
	}
}

func (t *trial[R]) clocks() {
	for _, ahead := range []time.Duration{5 * time.Second, time.Minute} {
		t.begin()
		if t.Undo != nil {
			t.other.ahead.Store(int64(ahead))
			t.doOther()
			t.undo()
			t.other.ahead.Store(0)
		}
		t.mine.ahead.Store(int64(ahead))
		changed, err := t.do()
		require.NoError(t, err)
		require.True(t, changed || t.Part == "")
		t.mine.ahead.Store(0)
		if t.Undo != nil {
			t.undo()
			changed, err = t.do()
			require.NoError(t, err)
			require.True(t, changed || t.Part == "")
		}
		require.Equal(t, t.after(t.Do), t.state())
	}
}

// Two calls are raised above a clock that is ahead, to the same op.
func (t *trial[R]) raised() {
	if t.Undo == nil {
		return
	}
	t.begin()
	t.other.ahead.Store(int64(5 * time.Second))
	t.doOther()
	t.undo()
	t.other.ahead.Store(int64(time.Second))
	low := minted.Add(1)
	t.mine.low.Store(low)
	t.mine.each(func(n int) faults.Kind {
		if n == 1 {
			t.other.low.Store(low)
			t.doOther()
		}
		return faults.None
	})
	changed, err := t.do()
	require.NoError(t, err)
	require.False(t, changed && t.Part != "")
	require.Equal(t, t.after(t.Do), t.state())
}

// Calls whose clock is behind note the item first. A request that is later than they are is
// still under way.
func (t *trial[R]) behind() {
	if t.Part == "" || t.Undo == nil || t.Silent {
		return
	}
	t.other.ahead.Store(int64(-2 * time.Second))
	t.begin()
	t.other.ahead.Store(0)
	t.giveUp()
	t.mine.ahead.Store(int64(-time.Second))
	t.other.each(func(n int) faults.Kind {
		if n <= 2 { // the second may be the note
			_, err := t.Undo(t.Context(), t.r, t.name)
			require.NoError(t, err)
		}
		return faults.None
	})
	t.findsNothing(t.Undo)
	t.other.calm()
	t.mine.held.Arrive(t)
	require.Equal(t, t.after(), t.state())
}

// Calls that find nothing to change do not outrun each other.
func (t *trial[R]) crowd() {
	t.begin()
	t.doOther()
	t.mine.each(func(int) faults.Kind {
		t.other.ahead.Add(int64(time.Second)) // so that its op is the later one
		t.findsNothing(t.Do)
		return faults.None
	})
	changed, err := t.do()
	require.NoError(t, err)
	require.False(t, changed && t.Part != "")
	require.Equal(t, t.after(t.Do), t.state())
}
