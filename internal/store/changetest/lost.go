package changetest

import (
	"context"
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func nothing() {}

// The SDK sends a request again, or the network does.
func (t *trial[R]) repeated() {
	if t.Part == "" {
		return // a Merge may say that it changed nothing
	}
	for _, kind := range []faults.Kind{faults.LostBefore, faults.LostAfter, faults.Twice} {
		t.begin()
		t.mine.first(kind, nothing)
		changed, err := t.do()
		require.NoError(t, err, kind)
		require.True(t, changed, kind)
		require.Equal(t, t.after(t.Do), t.state(), kind)
	}
}

func (t *trial[R]) again() {
	t.begin()
	t.doOther()
	for _, kind := range []faults.Kind{faults.None, faults.LostBefore, faults.LostAfter} {
		t.mine.first(kind, nothing)
		changed, err := t.do()
		require.NoError(t, err, kind)
		require.False(t, changed && t.Part != "", kind)
		require.Equal(t, t.after(t.Do), t.state(), kind)
	}
}

// An answer is lost, and later attempts end otherwise.
func (t *trial[R]) thenRefused() {
	for _, kind := range []faults.Kind{faults.Throttled, faults.Conflict, faults.Refused} {
		t.begin()
		t.mine.each(func(n int) faults.Kind {
			if n == 1 {
				return faults.LostAfter
			}
			return kind
		})
		_, err := t.do()
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome, kind)
	}
}

// No answer was lost.
func (t *trial[R]) refused() {
	for kind, want := range map[faults.Kind]error{faults.Throttled: plaza.ErrBusy, faults.Conflict: plaza.ErrBusy, faults.Refused: plaza.ErrUnavailable} {
		t.begin()
		t.mine.each(func(int) faults.Kind { return kind })
		_, err := t.do()
		require.ErrorIs(t, err, want)
		require.NotErrorIs(t, err, plaza.ErrUnknownOutcome)
		require.Equal(t, t.after(), t.state())
	}
}

// Another call comes before the request is sent again.
func (t *trial[R]) thenOther() {
	if t.Part == "" {
		return
	}
	thens := []func(){t.doOther}
	if t.Undo != nil && !t.Silent {
		thens = append(thens, func() { t.findsNothing(t.Undo); t.doOther() })
	}
	for _, then := range thens {
		t.begin()
		t.mine.first(faults.LostBefore, then)
		changed, err := t.do()
		if !t.Unread || !errors.Is(err, plaza.ErrUnknownOutcome) {
			require.NoError(t, err)
		}
		require.False(t, changed)
		require.Equal(t, t.after(t.Do), t.state())
	}

	if t.Undo == nil {
		return
	}
	t.begin()
	t.mine.first(faults.LostAfter, t.undo)
	changed, err := t.do()
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, t.after(t.Do, t.Undo), t.state())
}

func (t *trial[R]) thenTwo() {
	if t.Part == "" || t.Undo == nil {
		return
	}
	t.begin()
	t.mine.first(faults.LostAfter, func() { t.undo(); t.doOther() })
	changed, err := t.do()
	t.knownOrNot(changed, err)
	require.Equal(t, t.after(t.Do), t.state())

	t.begin()
	t.mine.first(faults.LostBefore, func() { t.doOther(); t.undo() })
	changed, err = t.do()
	t.knownOrNot(changed, err)
	want := t.after(t.Do, t.Undo)
	if err == nil {
		want = t.after(t.Do)
	}
	require.Equal(t, want, t.state())

	if t.Erase == nil {
		return
	}
	t.begin()
	t.mine.first(faults.LostAfter, func() { require.NoError(t, t.Erase(t.Context(), t.o, t.name)) })
	changed, err = t.do()
	t.knownOrNot(changed, err)
}

// knownOrNot accepts an outcome that is unknown, but not a wrong one.
func (t *trial[R]) knownOrNot(changed bool, err error) {
	t.Helper()
	if err != nil {
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		return
	}
	require.True(t, changed)
}

// Other calls come first, and no answer is lost.
func (t *trial[R]) contended() {
	t.begin()
	t.mine.each(func(n int) faults.Kind {
		if n == 1 {
			t.doOther()
			if t.Undo != nil {
				t.undo()
			}
		}
		return faults.None
	})
	changed, err := t.do()
	require.NoError(t, err)
	if t.Part != "" {
		require.Equal(t, t.Undo != nil, changed)
	}
	require.Equal(t, t.after(t.Do), t.state())
}

// The item is erased before the request arrives.
func (t *trial[R]) removed() {
	if t.Part == "" || t.Erase == nil || t.Begin == nil {
		return
	}
	t.begin()
	t.mine.each(func(n int) faults.Kind {
		if n == 1 {
			require.NoError(t, t.Erase(t.Context(), t.o, t.name))
		}
		return faults.None
	})
	changed, err := t.do()
	require.False(t, changed)
	require.NotErrorIs(t, err, plaza.ErrBusy)
	require.NotErrorIs(t, err, plaza.ErrUnknownOutcome)
}

// Other calls always come first.
func (t *trial[R]) outrun() {
	if t.Undo == nil {
		return
	}
	t.begin()
	writes := 0
	t.mine.each(func(n int) faults.Kind {
		writes = n
		t.doOther()
		t.undo()
		return faults.None
	})
	_, err := t.do()
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.LessOrEqual(t, writes, 20)
}

// The caller gives up before the k-th request.
func (t *trial[R]) givenUp() {
	for k := 1; ; k++ {
		t.begin()
		ctx, cancel := context.WithCancel(t.Context())
		sent := t.mine.before(k, cancel)
		_, err := t.Do(ctx, t.r, t.name)
		cancel()
		if sent() < k {
			require.NoError(t, err)
			return
		}
		if err != nil {
			require.Contains(t, []any{t.after(), t.after(t.Do)}, t.state())
		}
		t.mine.calm()
		_, err = t.do()
		require.NoError(t, err)
		require.Equal(t, t.after(t.Do), t.state())
	}
}
