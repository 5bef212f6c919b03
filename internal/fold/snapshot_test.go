package fold

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// world is a set, the keys that it should have, and where it is published.
type world struct {
	set      Set
	keys     []string // sorted
	ids      uint64
	contents map[BlockID]string // of each id that was ever given
	stored   map[BlockID]bool   // what may be stored and was not deleted
}

func newWorld() *world { return &world{contents: map[BlockID]string{}, stored: map[BlockID]bool{}} }

func (w *world) add(t require.TestingT, key string) {
	i, had := slices.BinarySearch(w.keys, key)
	require.Equal(t, !had, w.set.Add([]byte(key)))
	if !had {
		w.keys = slices.Insert(w.keys, i, key)
	}
}

func (w *world) remove(t require.TestingT, key string) {
	i, had := slices.BinarySearch(w.keys, key)
	require.Equal(t, had, w.set.Remove([]byte(key)))
	if had {
		w.keys = slices.Delete(w.keys, i, i+1)
	}
}

// snapshot takes one, whose blocks may be stored from now on.
func (w *world) snapshot(t require.TestingT) *Snapshot {
	snap := w.set.Snapshot(func() BlockID {
		w.ids++
		return BlockID{Gen: 7, N: w.ids}
	})
	for _, b := range snap.Blocks {
		if content, had := w.contents[b.ID]; had {
			require.Equal(t, content, string(b.Data), "%v names two contents", b.ID)
		}
		w.contents[b.ID] = string(b.Data)
		w.stored[b.ID] = true
	}
	w.reads(t, snap)
	return snap
}

// published deletes what snap replaced: then nothing but its blocks is stored, and
// those of later snapshots.
func (w *world) published(t require.TestingT, snap *Snapshot, later ...*Snapshot) {
	for _, id := range w.set.Published(snap) {
		require.True(t, w.stored[id], "%v is replaced twice", id)
		delete(w.stored, id)
	}
	want := map[BlockID]bool{}
	for _, s := range append(later, snap) {
		root, err := ParseRoot(s.Root)
		require.NoError(t, err)
		for _, id := range root.Blocks() {
			want[id] = true
		}
	}
	require.Equal(t, want, w.stored)
}

// block reads a block back.
func (w *world) block(t require.TestingT, root *Root, i int) *Block {
	if len(root.Blocks()) == 0 {
		return nil
	}
	id := root.Blocks()[i]
	require.True(t, w.stored[id], "%v is not stored", id)
	b, err := ParseBlock([]byte(w.contents[id]))
	require.NoError(t, err)
	return b
}

// reads requires that what snap published agrees with the keys.
func (w *world) reads(t require.TestingT, snap *Snapshot) {
	root, err := ParseRoot(snap.Root)
	require.NoError(t, err)
	require.EqualValues(t, len(w.keys), root.Len())
	var leaves []Leaf
	for i := range max(len(root.Blocks()), 1) {
		b := w.block(t, root, i)
		all, err := root.Leaves(i, b)
		require.NoError(t, err)
		leaves = append(leaves, all...)
		for _, want := range all {
			for at := want.Above; at < want.Above+int64(want.N); at += max(1, int64(want.N)-1) { // its first and last keys
				key := []byte(w.keys[at])
				require.Equal(t, i, root.Block(key))
				require.Equal(t, i, root.BlockAt(at))
				found, err := root.Leaf(i, b, key)
				require.NoError(t, err)
				require.Equal(t, want, found)
				found, err = root.LeafAt(i, b, at)
				require.NoError(t, err)
				require.Equal(t, want, found)
			}
		}
		_, err = root.LeafAt(i, b, -1)
		require.NoError(t, err)
		last, err := root.LeafAt(i, b, root.Len())
		require.NoError(t, err)
		require.Equal(t, all[len(all)-1], last)
	}
	require.Zero(t, root.BlockAt(-1))
	require.Equal(t, max(len(root.Blocks())-1, 0), root.BlockAt(root.Len()))
	end := 0
	for i, l := range leaves {
		require.EqualValues(t, end, l.Above)
		require.Equal(t, i == 0, l.From == nil)
		require.Equal(t, end, sort.SearchStrings(w.keys, string(l.From)))
		end += l.N
	}
	require.Equal(t, len(w.keys), end)
}

// TestASetEqualsASortedSlice adds and removes some hundred keys at a time, of some
// kind and in some order, and publishes, which fails now and then.
func TestASetEqualsASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		kind := kinds[rapid.SampledFrom(slices.Sorted(maps.Keys(kinds))).Draw(t, "kind")]
		several := func(t *rapid.T, each func(t require.TestingT, key string)) {
			first := rapid.IntRange(0, 1<<12).Draw(t, "first")
			step := rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "step")
			order := orders[rapid.SampledFrom(slices.Sorted(maps.Keys(orders))).Draw(t, "order")]
			for _, i := range order(rapid.IntRange(1, 2000).Draw(t, "n")) {
				each(t, kind(first+step*i))
			}
		}
		key := func(t *rapid.T) string { return kind(rapid.IntRange(0, 1<<14).Draw(t, "key")) }
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				w.set.check(t)
				require.Equal(t, len(w.keys), w.set.Len())
			},
			"add":            func(t *rapid.T) { w.add(t, key(t)) },
			"add several":    func(t *rapid.T) { several(t, w.add) },
			"add more":       func(t *rapid.T) { several(t, w.add) },
			"remove":         func(t *rapid.T) { w.remove(t, key(t)) },
			"remove several": func(t *rapid.T) { several(t, w.remove) },
			"remove all": func(t *rapid.T) {
				for len(w.keys) > 0 && rapid.IntRange(0, 2000).Draw(t, "on") > 0 {
					w.remove(t, w.keys[len(w.keys)/2])
				}
			},
			"above": func(t *rapid.T) {
				k := key(t)
				require.Equal(t, sort.SearchStrings(w.keys, k), w.set.Above([]byte(k)))
			},
			"publish": func(t *rapid.T) { w.published(t, w.snapshot(t)) },
			"publish while keys move": func(t *rapid.T) {
				snap := w.snapshot(t)
				several(t, w.remove)
				several(t, w.add)
				w.published(t, snap)
			},
			"publish the one before": func(t *rapid.T) {
				snap := w.snapshot(t)
				several(t, w.add)
				w.published(t, snap, w.snapshot(t))
			},
			"lose": func(t *rapid.T) { w.snapshot(t) },
		})
	})
}

// Thousands of leaves, which rapid does not reach.
func TestBlocksArePublished(t *testing.T) {
	t.Parallel()
	w := newWorld()
	publish := func() {
		w.snapshot(t) // is lost
		w.published(t, w.snapshot(t))
		w.set.check(t)
	}
	n := faults.Size(400_000, 150_000)
	for i, k := range orders["random"](n) {
		w.set.Add(key32(k))
		w.keys = append(w.keys, string(key32(k)))
		if i%(n/10) == 0 {
			slices.Sort(w.keys)
			publish()
		}
	}
	slices.Sort(w.keys)
	publish()
	require.GreaterOrEqual(t, len(w.stored), 2)
	for len(w.keys) > 0 {
		some := (len(w.keys) + 3) / 4
		for _, key := range w.keys[:some] {
			require.True(t, w.set.Remove([]byte(key)))
		}
		w.keys = w.keys[some:]
		publish()
	}
	require.Empty(t, w.stored)
}

func TestABlockLastsWhileItsSeparatorsDo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 5_000 {
		w.add(t, kinds["scores"](i))
	}
	first := w.snapshot(t)
	require.Len(t, first.Blocks, 1)

	again := w.snapshot(t) // the first was lost
	require.Equal(t, first.Blocks, again.Blocks)
	w.published(t, again)

	for i := range 5_000 { // each leaf's first key goes and comes back too
		w.remove(t, kinds["scores"](i))
		w.add(t, kinds["scores"](i))
	}
	moved := w.snapshot(t)
	require.Empty(t, moved.Blocks)
	w.published(t, moved)

	for i := range 300 {
		w.add(t, kinds["scores"](100)+fmt.Sprint(i))
	}
	require.Len(t, w.snapshot(t).Blocks, 1, "a leaf was divided")
}

func TestASetOfOneLeafHasNoBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 512 {
		snap := w.snapshot(t)
		require.Empty(t, snap.Blocks)
		w.published(t, snap)
		w.add(t, kinds["scores"](i))
	}
	two := w.snapshot(t)
	require.Len(t, two.Blocks, 1)
	w.remove(t, kinds["scores"](0))
	one := w.snapshot(t)
	require.Empty(t, one.Blocks)
	require.Empty(t, w.set.Published(two), "it refers to the block still")
	require.Equal(t, []BlockID{two.Blocks[0].ID}, w.set.Published(one))
	require.Empty(t, w.set.Published(one))
}

func TestABlockThatChangedAfterASnapshotIsNotStoredWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 600 {
		w.add(t, kinds["scores"](i))
	}
	old := w.snapshot(t)
	for i := range 600 {
		w.add(t, kinds["scores"](600+i))
	}
	changed := w.snapshot(t)
	require.Len(t, changed.Blocks, 1)
	w.published(t, old, changed)
	require.Equal(t, changed.Blocks, w.snapshot(t).Blocks)
}

// A snapshot does not change with the set.
func TestASnapshotStaysAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 2_000 {
		w.add(t, kinds["scores"](i))
	}
	snap := w.snapshot(t)
	root, block := bytes.Clone(snap.Root), bytes.Clone(snap.Blocks[0].Data)
	for i := range 2_000 {
		w.remove(t, kinds["scores"](i))
	}
	w.snapshot(t)
	require.Equal(t, root, snap.Root)
	require.Equal(t, block, snap.Blocks[0].Data)
}
