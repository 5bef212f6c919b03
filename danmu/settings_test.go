package danmu_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func (w world) settings(t testing.TB) danmu.Settings {
	t.Helper()
	got, err := w.Settings(t.Context(), "v")
	require.NoError(t, err)
	return got
}

func TestSettingsAreAsConfigured(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	want := danmu.Settings{Duration: danmu.MaxProgress, Segment: 6 * time.Minute, Shards: 1}
	require.Equal(t, want, w.settings(t))
	for _, c := range []struct{ given, want danmu.Settings }{
		{danmu.Settings{}, want},
		{danmu.Settings{Owner: "o", Duration: time.Hour, Segment: time.Minute, Shards: 4}, danmu.Settings{Owner: "o", Duration: time.Hour, Segment: time.Minute, Shards: 4}},
		{danmu.Settings{Duration: danmu.MaxProgress}, danmu.Settings{Duration: danmu.MaxProgress, Segment: time.Minute, Shards: 4}},
		{danmu.Settings{Owner: "p", Shards: 2}, danmu.Settings{Owner: "p", Duration: danmu.MaxProgress, Segment: time.Minute, Shards: 4}},
		{danmu.Settings{Segment: 6 * time.Minute, Shards: 16}, danmu.Settings{Duration: danmu.MaxProgress, Segment: 6 * time.Minute, Shards: 16}},
	} {
		for range 2 {
			w.configure(t, "v", c.given)
			require.Equal(t, c.want, w.settings(t))
			require.Equal(t, c.want, w.process(t, nil).settings(t))
		}
	}
}

func TestTheSegmentIsFixedByTheFirstComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.at(t, 1)
	for range 2 {
		fails(t, plaza.ErrConflict)(w.Configure(t.Context(), "v", danmu.Settings{Owner: "o", Segment: time.Hour}))
	}
	require.Empty(t, w.settings(t).Owner, "nothing was written")
	w.configure(t, "v", danmu.Settings{Segment: 6 * time.Minute, Shards: 2})

	// A process that has not read the settings before applies them too.
	w.configure(t, "w", danmu.Settings{Segment: time.Minute, Shards: 32})
	sender := w.process(t, nil)
	for range 20 {
		sender.send(t, danmu.Comment{Object: "w", Progress: 90 * time.Second})
	}
	shards := map[string]bool{}
	for _, i := range w.items(t, "D#w#") {
		require.Contains(t, i.PK, "D#w#1#")
		shards[i.PK] = true
	}
	require.Greater(t, len(shards), 5)
}

func TestConfigureReportsWhetherItChangedSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, step := range []struct {
		settings danmu.Settings
		changed  bool
	}{
		{danmu.Settings{}, false},
		{danmu.Settings{Owner: "o", Shards: 4}, true},
		{danmu.Settings{Owner: "o", Shards: 4}, false},
		{danmu.Settings{Owner: "o", Shards: 2}, false},
		{danmu.Settings{Owner: "o", Segment: time.Minute}, true},
		{danmu.Settings{Owner: "o", Duration: danmu.MaxProgress}, false},
		{danmu.Settings{}, true},
	} {
		does(t, step.changed, "%+v", step.settings)(w.Configure(t.Context(), "v", step.settings))
	}
}

// This holds even for a process that read the settings just before they grew.
func TestNewShardsAreReadBeforeTheyAreWrittenTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.at(t, 1)
	reader := w.process(t, nil)
	require.Len(t, reader.window(t, 0, 10, nil), 1)
	sender := w.process(t, nil)
	sender.at(t, 1)
	w.configure(t, "v", danmu.Settings{Shards: faults.Size(32, 8)})
	sent := 2
	for range 8 {
		w.pass(15 * time.Second)
		for _, process := range []world{w, sender} {
			for range faults.Size(4, 2) {
				process.at(t, 1)
				sent++
			}
		}
		require.Len(t, reader.window(t, 0, 10, nil), sent)
		if faults.Full() {
			require.Len(t, all(t, reader.from(0), 100), sent)
		}
	}
	require.Len(t, all(t, reader.from(0), 100), sent)
	shards := map[string]bool{}
	for _, i := range w.items(t, "D#v#") {
		shards[i.PK] = true
	}
	require.Greater(t, len(shards), faults.Size(10, 4))
}

// Somebody comments between Configure's read and its write.
func TestConfigureDuringTheFirstComment(t *testing.T) {
	t.Parallel()
	meanwhile := func(w world, act func()) world {
		in := faults.New(t, 1, faults.Rates{})
		done := false
		in.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op == "UpdateItem" && !done {
				done = true
				act()
			}
			return faults.Fault{}
		})
		return w.process(t, nil, in.Wrap)
	}
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Owner: "bob"})
	p := meanwhile(w, func() { w.at(t, 90) })
	fails(t, plaza.ErrConflict)(p.Configure(t.Context(), "v", danmu.Settings{Segment: time.Minute}))
	require.Len(t, w.process(t, nil).window(t, 0, 100, nil), 1)

	w = newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Owner: "bob"})
	sent := danmu.Comment{Key: "1", Progress: time.Second}
	p = meanwhile(w, func() { sent = w.send(t, sent) })
	p.configure(t, "v", danmu.Settings{Shards: 32})
	w.pass(time.Hour)
	w.process(t, nil).repeats(t, sent, sent)
}

func TestEveryProcessEnforcesTheDuration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Duration: time.Hour})
	late := danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Hour + time.Millisecond}
	refused, _, err := w.process(t, nil).Send(t.Context(), late)
	require.Equal(t, "Progress", field(t, err))
	require.NotZero(t, refused.ID, "beside an error too")
	require.Len(t, w.items(t, ""), 1, "the settings")
	w.configure(t, "v", danmu.Settings{Duration: time.Hour, Segment: time.Minute}) // no segment has begun
	w.at(t, 3600)
	other := w.process(t, nil)
	other.at(t, 3600)

	w.configure(t, "v", danmu.Settings{Duration: time.Minute})
	_, _, err = w.Send(t.Context(), danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Hour})
	require.Equal(t, "Progress", field(t, err), "this process has configured it")
	other.at(t, 3600) // it has the settings cached
	w.pass(-time.Hour)
	_, _, err = other.Send(t.Context(), danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Hour})
	require.Equal(t, "Progress", field(t, err), "the clock was turned back")
	w.pass(time.Hour)
	w.configure(t, "v", danmu.Settings{})
	w.send(t, late)
}

// The repeated comment would be refused by now.
func TestARepeatIsAnsweredAfterTheDurationShrank(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Minute, Key: "k"}
	first, _, err := w.Send(t.Context(), c)
	require.NoError(t, err)
	w.configure(t, "v", danmu.Settings{Duration: time.Second})
	w.process(t, nil).repeats(t, c, first)
	c.Key = "another"
	_, _, err = w.Send(t.Context(), c)
	require.Equal(t, "Progress", field(t, err))
}
