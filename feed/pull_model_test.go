package feed_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestHomesOfPushedAndPulledSourcesAreAsTheModelSays makes random calls by two
// processes, under faults and with processes that die, while sources are
// switched and readers page. Each home must have what its follows promise and
// have nothing else; its options apply to that, at pages of every size.
func TestHomesOfPushedAndPulledSourcesAreAsTheModelSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(check *rapid.T) {
		h := newHistory(drawn{t, check}, check)
		for range rapid.IntRange(6, faults.Size(25, 10)).Draw(check, "steps") {
			h.next()
		}
		h.quiet()
		h.holds(true)
	})
}

// moment orders what happened in a history.
type moment int

// history is what was done, and what follows from it.
type history struct {
	drawn
	clock    clock
	injector *faults.Injector
	opts     feed.Options // of the two processes
	writers  [2]world
	clean    world // without faults

	now      moment
	posts    []*post
	episodes []*episode
	floors   map[string]ids.ID
	sources  map[string]*switched
	views    []view
	pager    pager
}

// view is a process whose options hide some of a home.
type view struct {
	world
	opts feed.Options
}

// post is a published activity.
type post struct {
	feed.Activity
	at      moment
	gone    bool
	outside map[string]bool // outboxes of To that were erased since

	// reached is when its delivery had ended, and pushed the outboxes that were
	// not Pulled from before it was published until then.
	reached moment
	pushed  map[string]bool
}

func (p *post) in(source string) bool {
	return p.Owner == source || slices.Contains(p.To, source) && !p.outside[source]
}

// switched is how a source was switched.
type switched struct {
	pulled bool   // what the last SetPulled asked for
	at     moment // of the last SetPulled
	ever   bool
	walk   moment // of a SetPulled(true) whose end nobody waited for yet
}

// episode is an edge of the graph.
type episode struct {
	reader, source string
	edge           ids.ID
	at             moment
	copies         bool // made by Follow with copies
	graph          bool // made by the graph alone
	pulled         bool // the source's switch when it was made
	since          bool // a Follow without copies may have made a pull that reads from the edge's id on

	// told is when a switch had changed the home: then it reads what was
	// published in the day before the edge.
	told moment

	ended moment // 0 while it exists
	kept  bool   // it ended with KeepHistory, otherwise by the graph alone
	ever  bool   // the source had ever been Pulled when it ended
	top   ids.ID // the outbox's newest id then

	must  map[*post]bool // what it showed when it ended
	never map[*post]bool // what it did not bring
}

// shows reports whether the home has the post by this edge now, also before
// what waits is delivered.
func (h *history) shows(e *episode, p *post) bool {
	reached := p.reached != 0 && p.at > e.at
	switch {
	case e.ended != 0:
		return e.must[p]
	case !p.in(e.source):
		return false
	case e.copies && p.at < e.at, e.told != 0 && p.at < e.told:
		return true
	case e.since:
		return reached && (p.ID >= e.edge || p.pushed[e.source])
	case e.copies, e.told != 0, !e.pulled:
		return reached
	}
	return reached && p.pushed[e.source] // the graph made it, and no switch changed the home
}

// mayShow reports whether the home may have the post by this edge.
func (h *history) mayShow(e *episode, p *post) bool {
	switch {
	case e.never[p] || !p.in(e.source) && !e.must[p] && !p.outside[e.source]:
		return false
	case e.ended == 0 || p.at < e.ended || e.must[p]:
		return true
	}
	return e.ever && (!e.kept || p.ID <= e.top)
}

// fresh reports whether the home may still show the post, and must.
func (h *history) fresh(reader string, p *post) (may, must bool) {
	if p.gone || p.ID < h.floors[reader] {
		return false, false
	}
	return h.left(p) > -time.Minute, h.left(p) > time.Minute
}

// left is how long the post stays in homes.
func (h *history) left(p *post) time.Duration {
	return p.ID.Time().Add(h.opts.Retention).Sub(h.clock.now())
}

// bounds are what the home must and may have.
func (h *history) bounds(reader string) (must, may map[feed.CacheKey]*post) {
	must, may = map[feed.CacheKey]*post{}, map[feed.CacheKey]*post{}
	for _, p := range h.posts {
		canShow, fresh := h.fresh(reader, p)
		if !canShow {
			continue
		}
		key := feed.CacheKey{Owner: p.Owner, ID: p.ID}
		if h.opts.OwnHome && p.Owner == reader {
			may[key] = p
			if fresh && p.reached != 0 {
				must[key] = p
			}
		}
		for _, e := range h.episodes {
			if e.reader != reader {
				continue
			}
			if h.mayShow(e, p) {
				may[key] = p
			}
			if fresh && h.shows(e, p) {
				must[key] = p
			}
		}
	}
	return must, may
}

func newHistory(t drawn, check *rapid.T) *history {
	h := &history{drawn: t, floors: map[string]ids.ID{}, sources: map[string]*switched{}}
	h.injector = faults.New(t, rapid.Uint64().Draw(check, "seed"), rapid.SampledFrom([]faults.Rates{{}, harsh}).Draw(check, "rates"))
	h.opts = feed.Options{
		Consistent:      true,
		InlineFollowers: rapid.SampledFrom([]int{-1, 0, 2}).Draw(check, "inline"),
		Retention:       rapid.SampledFrom([]time.Duration{90 * 24 * time.Hour, 20 * time.Minute}).Draw(check, "retention"),
		OwnHome:         rapid.Bool().Draw(check, "own home"),
		About:           aboutObject, // stored, but not used by those who read without it
		Parallel:        rapid.SampledFrom([]int{8, 1}).Draw(check, "parallel"),
	}
	w := newWorld(t, nil)
	for i := range h.writers {
		h.writers[i] = w.timed(t, &h.clock, h.opts, h.injector.Wrap)
	}
	plain := h.opts
	plain.About = nil
	h.clean = w.timed(t, &h.clock, plain)

	special := h.opts
	if special.About = nil; rapid.Bool().Draw(check, "reposts") {
		special.About, special.RepostWindow = aboutObject, 100
	}
	if rapid.Bool().Draw(check, "filter") {
		special.Filter = hideVerb("like", new(int))
	}
	if rapid.Bool().Draw(check, "cap") {
		special.HomeCap = 5
	}
	cached := special
	cached.Consistent, cached.PullCache = false, 3
	h.views = faults.Some(2, view{w.timed(t, &h.clock, special), special}, view{w.timed(t, &h.clock, cached), cached}, view{h.clean, plain})
	h.pager.world = w.timed(t, &h.clock, plain, h.injector.Wrap)
	for _, name := range people {
		h.sources[name] = &switched{}
	}
	return h
}

func (h *history) person(label string) string {
	return rapid.SampledFrom(people[:4]).Draw(h.check, label)
}

// pair draws a reader and a source.
func (h *history) pair() (reader, source string) {
	reader, source = h.person("reader"), h.person("source")
	if reader == source {
		source = people[(slices.Index(people, source)+1)%4]
	}
	return reader, source
}

// call makes a call by one of the processes until it succeeds, sometimes after
// another process has died in the middle of it. first reports that the first
// attempt succeeded.
func (h *history) call(call func(w world) error) (first bool) {
	h.Helper()
	first = true
	if rapid.IntRange(0, 5).Draw(h.check, "dies") == 5 {
		doomed := faults.New(h, 0, faults.Rates{})
		if n := rapid.IntRange(1, 5).Draw(h.check, "at write"); rapid.Bool().Draw(h.check, "before") {
			doomed.KillBefore(n)
		} else {
			doomed.KillAt(n)
		}
		err := call(h.clean.timed(h, &h.clock, h.opts, doomed.Wrap))
		h.Logf("  a process dies: %v", err)
		first = false
	}
	w := h.writers[rapid.IntRange(0, 1).Draw(h.check, "process")]
	retried(h, func() (bool, error) {
		err := call(w)
		first = first && err == nil
		return true, err
	})
	return first
}

func (h *history) next() {
	h.now++
	type action struct {
		name string
		do   func()
	}
	actions := []action{
		{"publish", h.publish}, {"publish", h.publish}, {"publish", h.publish}, {"publish", h.publish},
		{"follow", h.follow}, {"follow", h.follow}, {"follow", h.follow}, {"follow many", h.followMany},
		{"unfollow", h.unfollow}, {"unfollow", h.unfollow},
		{"switch", h.setPulled}, {"switch", h.setPulled}, {"switch", h.setPulled}, {"wait", h.wait}, {"wait", h.wait},
		{"deliver", h.deliver}, {"deliver", h.deliver}, {"deliver all", h.quiet},
		{"follow by the graph", h.graphFollow}, {"unfollow by the graph", h.graphUnfollow},
		{"edit", h.edit}, {"remove", h.remove}, {"trim", h.trim}, {"erase", h.erase},
		{"read on", h.readOn}, {"read on", h.readOn}, {"look", func() { h.holds(false) }},
	}
	step := actions[rapid.IntRange(0, len(actions)-1).Draw(h.check, "action")]
	h.Logf("%d: %s", h.now, step.name)
	step.do()
	h.narrow()
}

// wait is most often past what a process remembers of a source, and past a lease.
func (h *history) wait() {
	h.clock.advance(rapid.SampledFrom([]time.Duration{31 * time.Second, time.Second, 6 * time.Second, 5 * time.Minute}).Draw(h.check, "wait"))
}

func (h *history) publish() {
	owner := h.person("owner")
	a := activity(owner, rapid.IntRange(0, 9).Draw(h.check, "object"))
	a.Verb = rapid.SampledFrom([]string{"add", "like"}).Draw(h.check, "verb")
	var err error
	now := h.clock.now()
	back := rapid.SampledFrom([]int{0, 0, 0, 3, 40}).Draw(h.check, "seconds back")
	a.ID, err = ids.Backdate(now.Add(-time.Duration(back)*time.Second), fmt.Sprint(owner, len(h.posts)))
	require.NoError(h, err)
	if back == 0 {
		a.ID = h.clean.mint(h)
	}
	if to := h.person("to"); to != owner && rapid.Bool().Draw(h.check, "addressed") {
		a.To = []string{to}
	}
	if rapid.IntRange(0, 3).Draw(h.check, "foreign") == 3 {
		a.ForeignID = a.Object.String()
	}
	var stands feed.Activity
	h.call(func(w world) (err error) {
		stands, _, err = w.Outbox(owner).Publish(h.Context(), a)
		return err
	})
	if i := slices.IndexFunc(h.posts, func(p *post) bool {
		return !p.gone && p.Owner == owner && a.ForeignID != "" && p.ForeignID == a.ForeignID
	}); i >= 0 {
		require.Equal(h, h.posts[i].ID, stands.ID, "the foreign id is in use")
		return
	}
	require.Equal(h, a.ID, stands.ID)
	h.Logf("  %q publishes %v to %v", owner, a.ID, a.To)
	h.posts = append(h.posts, &post{Activity: stands, at: h.now, outside: map[string]bool{}})
}

// some is a post that was not removed, nil if there is none.
func (h *history) some() *post {
	var standing []*post
	for _, p := range h.posts {
		if !p.gone {
			standing = append(standing, p)
		}
	}
	if len(standing) == 0 {
		return nil
	}
	return rapid.SampledFrom(standing).Draw(h.check, "post")
}

func (h *history) edit() {
	p := h.some()
	if p == nil {
		return
	}
	a := p.Activity
	a.Data = []byte(fmt.Sprintf(`{"edit":%d}`, h.now))
	h.call(func(w world) (err error) {
		p.Activity, _, err = w.Outbox(a.Owner).Update(h.Context(), a)
		return err
	})
}

func (h *history) remove() {
	p := h.some()
	if p == nil {
		return
	}
	h.call(func(w world) error {
		_, err := w.Outbox(p.Owner).Remove(h.Context(), p.ID)
		return err
	})
	h.Logf("  %v of %q", p.ID, p.Owner)
	p.gone = true
	_, _, err := h.clean.Outbox(p.Owner).Publish(h.Context(), p.Activity)
	require.Error(h, err, "a late repeat")
}

func (h *history) trim() {
	p := h.some()
	if p == nil {
		return
	}
	reader := h.person("reader")
	h.call(func(w world) error {
		_, err := w.Home(reader).Trim(h.Context(), p.ID)
		return err
	})
	h.Logf("  %q to %v", reader, p.ID)
	h.floors[reader] = max(h.floors[reader], p.ID)
}

// standing is the episode of the pair that has not ended, nil if there is none.
func (h *history) standing(reader, source string) *episode {
	for _, e := range h.episodes {
		if e.reader == reader && e.source == source && e.ended == 0 {
			return e
		}
	}
	return nil
}

func (h *history) follow() {
	reader, source := h.pair()
	var opts *feed.FollowOptions
	copies := rapid.IntRange(0, 3).Draw(h.check, "copies") > 0
	if !copies {
		opts = &feed.FollowOptions{CopyLimit: -1}
	}
	stands := h.standing(reader, source) != nil
	created := false
	if h.call(func(w world) (err error) {
		created, err = w.Home(reader).Follow(h.Context(), source, opts)
		return err
	}) {
		require.Equal(h, !stands, created)
	}
	h.begun(reader, source, copies, false)
}

func (h *history) followMany() {
	reader := h.person("reader")
	sources := slices.DeleteFunc(slices.Clone(people[:4]), func(s string) bool { return s == reader })
	h.call(func(w world) error {
		_, err := w.Home(reader).FollowMany(h.Context(), sources, nil)
		return err
	})
	for _, source := range sources {
		h.begun(reader, source, true, false)
	}
}

func (h *history) graphFollow() {
	reader, source := h.pair()
	if rapid.Bool().Draw(h.check, "imports") {
		w := h.writers[0]
		name := fmt.Sprint("import-", h.now)
		retried(h, func() (follow.ImportResult, error) {
			return w.follows.Import(h.Context(), name, func(yield func(follow.Edge, error) bool) {
				yield(followEdge(reader, source), nil)
			}, nil)
		})
	} else {
		h.call(func(w world) error {
			_, _, err := w.follows.Follow(h.Context(), followEdge(reader, source))
			return err
		})
	}
	h.begun(reader, source, false, true)
}

// begun notes that there is an edge.
func (h *history) begun(reader, source string, copies, graph bool) {
	edge, err := h.clean.follows.Get(h.Context(), followEdge(reader, source))
	require.NoError(h, err)
	e := h.standing(reader, source)
	h.Logf("  %q follows %q, copies: %t, stood: %t, edge %v", reader, source, copies, e != nil, edge.ID)
	if e != nil {
		require.Equal(h, e.edge, edge.ID, "the edge that stands")
		if !graph {
			h.completed(e, copies)
		}
		return
	}
	s := h.sources[source]
	e = &episode{
		reader: reader, source: source, edge: edge.ID, at: h.now, copies: copies, graph: graph, pulled: s.pulled,
		must: map[*post]bool{}, never: map[*post]bool{},
	}
	e.since = s.pulled && !copies && !graph
	h.episodes = append(h.episodes, e)
	if copies {
		return
	}
	for _, p := range h.posts {
		if p.reached != 0 && p.at < e.at && (!s.ever || !graph && s.pulled && p.ID < edge.ID && h.settledPulled(source)) {
			e.never[p] = true
		}
	}
}

// settledPulled reports whether the source's last switch was to Pulled, and has
// ended.
func (h *history) settledPulled(source string) bool {
	s := h.sources[source]
	return s.pulled && s.walk == 0
}

// completed notes that a Follow found the edge standing. With copies it copies
// or makes a pull that reads everything.
func (h *history) completed(e *episode, copies bool) {
	pulled := h.sources[e.source].pulled
	switch {
	case !copies:
		e.since = e.since || pulled && e.told == 0
		return
	case pulled:
		e.told = h.now
	case !e.copies:
		e.copies, e.at = true, h.now
	}
	clear(e.never)
}

func (h *history) unfollow() {
	reader, source := h.pair()
	keep := rapid.IntRange(0, 2).Draw(h.check, "keeps") == 2
	e := h.standing(reader, source)
	h.Logf("  %q unfollows %q, keeps: %t, stands: %t", reader, source, keep, e != nil)
	ended := false
	if h.call(func(w world) (err error) {
		ended, err = w.Home(reader).Unfollow(h.Context(), source, &feed.UnfollowOptions{KeepHistory: keep})
		return err
	}) {
		require.Equal(h, e != nil, ended)
	}
	if keep {
		if e != nil {
			h.end(e, true)
		}
		return
	}
	h.episodes = slices.DeleteFunc(h.episodes, func(e *episode) bool { return e.reader == reader && e.source == source })
}

func (h *history) graphUnfollow() {
	reader, source := h.pair()
	h.call(func(w world) error {
		_, err := w.follows.Unfollow(h.Context(), followEdge(reader, source))
		return err
	})
	if e := h.standing(reader, source); e != nil {
		h.Logf("  %q of %q", reader, source)
		h.end(e, false)
	}
}

// end notes that the edge ended, but what it brought stays.
func (h *history) end(e *episode, kept bool) {
	for _, p := range h.posts {
		if h.shows(e, p) {
			e.must[p] = true
		}
		if p.in(e.source) {
			e.top = max(e.top, p.ID)
		}
	}
	e.ended, e.kept, e.ever = h.now, kept, h.sources[e.source].ever
}

func (h *history) setPulled() {
	source, pulled := h.person("source"), rapid.Bool().Draw(h.check, "pulled")
	s := h.sources[source]
	mode, err := h.clean.Outbox(source).Mode(h.Context())
	require.NoError(h, err)
	changed := false
	if h.call(func(w world) (err error) {
		changed, err = w.Outbox(source).SetPulled(h.Context(), pulled)
		return err
	}) {
		require.Equal(h, s.pulled != pulled, changed)
	}
	h.Logf("  %q, pulled: %t, was %s", source, pulled, mode)
	s.pulled, s.at = pulled, h.now
	if !pulled {
		s.walk = 0
		return
	}
	if s.ever = true; mode != feed.Opening { // otherwise the walk that runs goes on
		s.walk = h.now
	}
	for _, e := range h.episodes {
		if e.source == source && (e.graph || !e.pulled) { // a switch may tell the home of it
			clear(e.never)
		}
	}
}

func (h *history) deliver() {
	h.call(func(w world) error {
		_, err := w.Deliver(h.Context())
		return err
	})
	if len(h.clean.jobs(h)) == 0 {
		h.reached()
	}
}

// reached notes that nothing waits.
func (h *history) reached() {
	for _, p := range h.posts {
		if p.reached != 0 {
			continue
		}
		p.reached, p.pushed = h.now, map[string]bool{}
		for name, s := range h.sources {
			p.pushed[name] = !s.pulled && s.at < p.at
		}
	}
	for source, s := range h.sources {
		if s.walk == 0 {
			continue
		}
		for _, e := range h.episodes {
			if e.source == source && e.ended == 0 && e.at < s.walk && (e.graph || !e.pulled) && !e.since && e.told == 0 {
				e.told = h.now
			}
		}
		s.walk = 0
	}
}

// quiet finishes all that waits.
func (h *history) quiet() {
	h.clean.settle(h, &h.clock)
	h.reached()
}

// erase erases a user who is no longer pulled.
func (h *history) erase() {
	if rapid.IntRange(0, 2).Draw(h.check, "really") < 2 {
		return
	}
	user := h.person("user")
	if s := h.sources[user]; s.pulled {
		require.ErrorIs(h, h.clean.Erase(h.Context(), user), plaza.ErrConflict)
		_, err := h.clean.Outbox(user).SetPulled(h.Context(), false)
		require.NoError(h, err)
		s.pulled, s.at, s.walk = false, h.now, 0
		require.ErrorIs(h, h.clean.Erase(h.Context(), user), plaza.ErrConflict)
	}
	h.quiet()
	h.call(func(w world) error { return w.follows.Erase(h.Context(), user) })
	h.call(func(w world) error { return w.Erase(h.Context(), user) })
	for _, p := range h.posts {
		p.gone = p.gone || p.Owner == user
	}
	h.episodes = slices.DeleteFunc(h.episodes, func(e *episode) bool { return e.reader == user })
	for _, e := range h.episodes {
		if e.source == user && e.ended == 0 {
			h.end(e, false)
		}
		if e.source == user {
			clear(e.must)
		}
	}
	for _, p := range h.posts {
		p.outside[user] = true
	}
	delete(h.floors, user)
}

// holds compares each home with the model and, if nothing waits, with all
// options.
func (h *history) holds(quiet bool) {
	if quiet { // nothing expires meanwhile, and PullCache remembers nothing
		h.clock.advance(6 * time.Second)
		for slices.ContainsFunc(h.posts, func(p *post) bool { return h.left(p).Abs() < time.Minute }) {
			h.clock.advance(2 * time.Minute)
		}
	}
	paged := rapid.Permutation(people[:4]).Draw(h.check, "whose pages")[:faults.Size(2, 1)]
	for _, reader := range people[:4] {
		must, may := h.bounds(reader)
		got, _ := walk(h, h.clean.Home(reader).List, 50)
		h.requireOnce(reader, got)
		for _, a := range got {
			p := may[feed.CacheKey{Owner: a.Owner, ID: a.ID}]
			require.NotNil(h, p, "%v of %q is in the home of %q", a.ID, a.Owner, reader)
			require.Equal(h, p.Activity, a)
		}
		for key := range must {
			require.Contains(h, owned(got), key, "the home of %q", reader)
		}
		for _, v := range h.views {
			if quiet && slices.Contains(paged, reader) {
				h.requirePages(v.Home(reader).List, v.shown(got))
			}
		}
	}
}

// requireOnce fails unless the activities are in order, each once.
func (h *history) requireOnce(reader string, as []feed.Activity) {
	for i := range max(len(as)-1, 0) {
		require.Negative(h, newer(as[i], as[i+1]), "the home of %q: %v", reader, owned(as))
	}
}

func newer(a, b feed.Activity) int {
	return cmp.Or(cmp.Compare(b.ID, a.ID), cmp.Compare(b.Owner, a.Owner))
}

// requirePages reads pages of some sizes, down and up.
func (h *history) requirePages(list lister, want []feed.CacheKey) {
	sizes := rapid.Permutation(faults.Some(2, 3, 50, 1, 2, 7)).Draw(h.check, "sizes")
	for _, size := range sizes[:faults.Size(2, 1)] {
		down, last := walk(h, list, size)
		require.Equal(h, want, owned(down), "by %d", size)
		if last == "" {
			continue // it has no items
		}
		// The cursor is above the last page.
		up := owned(readUpFrom(h, list, last, size))
		require.GreaterOrEqual(h, len(up)+size, len(want))
		require.Equal(h, want[:len(up)], up, "up by %d", size)
	}
}

// shown applies the options of the view to a whole home.
func (v view) shown(whole []feed.Activity) []feed.CacheKey {
	hidden := func(a feed.Activity) bool { return v.opts.Filter != nil && a.Verb == "like" }
	var shown []feed.Activity
	for i, a := range whole {
		repeats := v.opts.About != nil && slices.ContainsFunc(whole[i+1:], func(b feed.Activity) bool {
			return b.Object == a.Object && !hidden(b)
		})
		if !hidden(a) && !repeats {
			shown = append(shown, a)
		}
	}
	if n := v.opts.HomeCap; n > 0 {
		shown = shown[:min(n, len(shown))]
	}
	return owned(shown)
}

// pager is a reader who turns the pages of a home while all this happens.
type pager struct {
	world
	home string // "" before the first page
	next cursor.Cursor
	seen []feed.Activity
	must map[feed.CacheKey]*post // what the home must have had since the first page
	may  map[feed.CacheKey]*post // what it may have had at some time
}

// readOn reads the next page.
func (h *history) readOn() {
	p := &h.pager
	if p.home == "" {
		p.home, p.next, p.seen = h.person("reader"), "", nil
		p.must, p.may = h.bounds(p.home)
	}
	req := cursor.PageRequest{Cursor: p.next, Limit: rapid.IntRange(1, 4).Draw(h.check, "size")}
	page := retried(h, func() (cursor.Page[feed.Activity], error) { return p.Home(p.home).List(h.Context(), req) })
	p.seen = append(p.seen, page.Items...)
	if p.next = page.Next; p.next != "" {
		return
	}
	h.requireOnce(p.home, p.seen)
	for _, key := range owned(p.seen) {
		require.Contains(h, p.may, key, "the home of %q", p.home)
	}
	for key := range p.must {
		require.Contains(h, owned(p.seen), key, "the pages of %q", p.home)
	}
	p.home = ""
}

// narrow notes what the home must and may have now.
func (h *history) narrow() {
	p := &h.pager
	if p.home == "" {
		return
	}
	must, may := h.bounds(p.home)
	maps.DeleteFunc(p.must, func(key feed.CacheKey, _ *post) bool { return must[key] == nil })
	maps.Copy(p.may, may)
}
