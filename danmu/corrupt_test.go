package danmu_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// complaints collects the damaged items that were reported.
type complaints struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (c *complaints) hear(e *plaza.CorruptError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil {
		c.keys = map[string]bool{}
	}
	c.keys[e.PK+" / "+e.SK] = true
}

func (c *complaints) take() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := c.keys
	c.keys = nil
	return keys
}

// damage sets an attribute of an item.
func (w world) damage(t testing.TB, pk, sk, name string, value types.AttributeValue) {
	t.Helper()
	require.NoError(t, w.raw(t).Update("pk", pk).Range("sk", sk).Set(name, value).Run(t.Context()))
}

// reads are all that only reads, by name.
func (w world) reads(c danmu.Comment) map[string]func(context.Context) (any, error) {
	return map[string]func(context.Context) (any, error){
		"Get":      func(ctx context.Context) (any, error) { return w.Get(ctx, c.Object, c.ID) },
		"ByObject": func(ctx context.Context) (any, error) { return w.ByObject(ctx, c.Object, 0, cursor.PageRequest{}) },
		"ByUser":   func(ctx context.Context) (any, error) { return w.ByUser(ctx, c.User, cursor.PageRequest{}) },
		"Window":   func(ctx context.Context) (any, error) { return w.Window(ctx, c.Object, 0, time.Minute, consistent) },
		"Segment": func(ctx context.Context) (any, error) {
			return w.Segment(ctx, c.Object, 0, &danmu.WindowOptions{Cap: 1, Merge: 1})
		},
		"Heatmap":   func(ctx context.Context) (any, error) { return w.Heatmap(ctx, c.Object, 10) },
		"Settings":  func(ctx context.Context) (any, error) { return w.Settings(ctx, c.Object) },
		"Reactions": func(ctx context.Context) (any, error) { return w.Reactions(ctx, "zoe", c.Object, 0, time.Hour) },
		"Export": func(ctx context.Context) (any, error) {
			var all []danmu.Comment
			for c, err := range w.Export(ctx, c.Object) {
				if err != nil {
					return nil, err
				}
				all = append(all, c)
			}
			return all, nil
		},
	}
}

func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

// Every list and window leaves it out and reports it.
func TestADamagedCommentIsLeftOut(t *testing.T) {
	t.Parallel()
	heard := &complaints{}
	w := newWorld(t, &danmu.Options{Consistent: true, OnCorrupt: heard.hear})
	bad, good := w.at(t, 1), w.at(t, 2)
	key := "D#v#0#0 / " + bad.ID.String()
	for name, value := range faults.Sample(4, map[string]types.AttributeValue{
		"text":      number("1"),
		"likes":     text("many"),
		"sent":      text("yesterday"),
		"protected": text("true"),
		"extra":     text(`"\ud800"`),
		"sentMs":    number("99999999999999999"),
		"mode":      number("1.5"),
		"protect":   text("no id"),
	}, "sent", "sentMs") {
		before := w.items(t, "D#v#0#0")
		w.damage(t, "D#v#0#0", bad.ID.String(), name, value)
		for what, read := range w.reads(bad) {
			heard.take()
			got, err := read(t.Context())
			switch what {
			case "Get":
				var corrupt *plaza.CorruptError
				require.ErrorAs(t, err, &corrupt)
				require.Equal(t, key, corrupt.PK+" / "+corrupt.SK)
				continue
			case "Settings", "Reactions":
				require.NoError(t, err, what)
				continue
			}
			require.NoError(t, err, what)
			switch got := got.(type) {
			case cursor.Page[danmu.Comment]:
				require.Equal(t, []danmu.ID{good.ID}, idsOf(got.Items), what)
				require.Empty(t, got.Next)
			case danmu.Window:
				require.Equal(t, []danmu.ID{good.ID}, idsOf(got.Comments), what)
			case []danmu.Comment:
				require.Equal(t, []danmu.ID{good.ID}, idsOf(got), what)
			case []int64:
				require.Equal(t, []int64{1}, slices.DeleteFunc(got, func(n int64) bool { return n == 0 }))
			}
			if what != "ByUser" || name != "sent" { // a comment whose sent is damaged has another place in the index
				require.True(t, heard.take()[key], "%s, %s", what, name)
			}
		}
		_, _, err := w.Send(t.Context(), bad)
		require.ErrorIs(t, err, plaza.ErrCorrupt)
		for what, call := range (stage{w}).actions() {
			_, err := call(t.Context(), of(bad, "zoe"))
			require.NotErrorIs(t, err, plaza.ErrInvalid, what)
			if what == "Remove" {
				break
			}
		}
		require.NoError(t, w.raw(t).Delete("pk", before[0].PK).Range("sk", bad.ID.String()).Run(t.Context()))
		bad.ID, bad.Key = danmu.ID{}, ""
		bad = w.send(t, bad)
		key = "D#v#0#0 / " + bad.ID.String()
		require.NoError(t, w.Erase(t.Context(), "zoe"))
	}
}

// Every call that reads the object returns plaza.ErrCorrupt.
func TestADamagedObjectIsReported(t *testing.T) {
	t.Parallel()
	shards := func(n string) types.AttributeValue {
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: dynamo.Item{"n": number(n)}}}}
	}
	w := newWorld(t, nil)
	c := w.at(t, 1)
	type damage struct {
		name  string
		value types.AttributeValue
	}
	for i, d := range faults.Some(7,
		damage{"segmentMs", number("-1")},
		damage{"durationMs", number("-5")},
		damage{"shards", shards("3")},
		damage{"shards", shards("64")},
		damage{"segs", &types.AttributeValueMemberB{Value: []byte("r\xff")}},
		damage{"segs", &types.AttributeValueMemberNULL{Value: true}},
		damage{"owner", number("1")},
		damage{"segmentMs", number("9223372036854775807")},
		damage{"durationMs", text("long")},
		damage{"shards", shards("0")},
		damage{"shards", shards("-2")},
		damage{"shards", number("1")},
		damage{"segs", number("1")},
		damage{"segs", &types.AttributeValueMemberB{Value: []byte{}}},
	) {
		object := fmt.Sprint("object ", i)
		at := danmu.Comment{Object: object, ID: c.ID, User: "ann", Text: "!", Progress: c.Progress}
		require.NoError(t, w.raw(t).Put(dynamo.Item{
			"pk": text("M#" + object), "sk": text("M"), d.name: d.value,
		}).Run(t.Context()))
		calls := w.reads(at)
		delete(calls, "ByUser")
		delete(calls, "Reactions")
		calls["Send"] = func(ctx context.Context) (any, error) { _, _, err := w.Send(ctx, at); return nil, err }
		calls["Configure"] = func(ctx context.Context) (any, error) {
			return w.Configure(ctx, object, danmu.Settings{Segment: time.Minute})
		}
		calls["Import"] = func(ctx context.Context) (any, error) { return w.Import(ctx, object, sequence(at), nil) }
		calls["EraseObject"] = func(ctx context.Context) (any, error) { return nil, w.EraseObject(ctx, object) }
		calls["Like"] = func(ctx context.Context) (any, error) { return w.Like(ctx, of(at, "zoe")) }
		for what, call := range calls {
			_, err := call(t.Context())
			var corrupt *plaza.CorruptError
			require.ErrorAs(t, err, &corrupt, "%s, %s %v", what, d.name, d.value)
			require.Equal(t, "M#"+object, corrupt.PK)
			require.NotErrorIs(t, err, plaza.ErrInvalid)
		}
	}
	require.Len(t, w.window(t, 0, 10, nil), 1, "others are well")
}

func TestADamagedLikeIsLeftOutAndErased(t *testing.T) {
	t.Parallel()
	heard := &complaints{}
	w := newWorld(t, &danmu.Options{Consistent: true, OnCorrupt: heard.hear})
	bad, good := w.at(t, 1), w.at(t, 2)
	for _, d := range []dynamo.Item{
		{"id": number("1")}, {"id": text("no id")}, {"id": &types.AttributeValueMemberNULL{Value: true}},
		{"ended": text("x")}, {"id": text(""), "ended": number("1")}, {},
	} {
		for _, c := range []danmu.Comment{bad, good} {
			does(t, true)(w.Like(t.Context(), of(c, "zoe")))
		}
		sk := "v#" + bad.ID.String() + "#L"
		require.NoError(t, w.raw(t).Delete("pk", "U#zoe").Range("sk", sk).Run(t.Context()))
		d["pk"], d["sk"] = text("U#zoe"), text(sk)
		require.NoError(t, w.raw(t).Put(d).Run(t.Context()))
		require.NoError(t, w.raw(t).Put(dynamo.Item{"pk": text("U#zoe"), "sk": text("v#nonsense")}).Run(t.Context()))
		heard.take()
		got, err := w.Reactions(t.Context(), "zoe", "v", 0, time.Hour)
		require.NoError(t, err)
		require.Equal(t, map[danmu.ID]danmu.Reaction{good.ID: {Liked: true}}, got)
		require.True(t, heard.take()["U#zoe / "+sk])
		if len(d) > 2 {
			fails(t, plaza.ErrCorrupt)(w.Like(t.Context(), of(bad, "zoe")))
		}
		require.NoError(t, w.Erase(t.Context(), "zoe"))
		require.Empty(t, w.reactions(t, "zoe"))
		require.Len(t, w.items(t, "U#zoe"), 1, "of the good one")
	}

	// No op is later than this one, so that no like could ever be counted again.
	require.NoError(t, w.raw(t).Put(dynamo.Item{
		"pk": text("U#zoe"), "sk": text("v#" + bad.ID.String() + "#L"), "ended": text("7ZZZZZZZZZZZZ"),
	}).Run(t.Context()))
	fails(t, plaza.ErrCorrupt)(w.Like(t.Context(), of(bad, "zoe")))
}

// The test puts random values into attributes of every item. No read panics, fails
// because of one item of many, or returns plaza.ErrInvalid.
func TestReadsSurviveRandomItems(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			heard := &complaints{}
			w := newWorld(t, &danmu.Options{Consistent: true, OnCorrupt: heard.hear, HideAt: 2})
			w.configure(t, "v", danmu.Settings{Owner: "ann", Duration: time.Hour, Shards: 2})
			c := w.send(t, danmu.Comment{Progress: time.Second, Size: 18, Weight: 1, Pool: 1, Mode: danmu.Top, Color: danmu.RGB(1), Extra: []byte(`{"a":1}`)})
			w.at(t, 2)
			for _, call := range []func(context.Context, danmu.Action) (bool, error){w.Like, w.Report, moderating(w.Protect)} {
				_, err := call(t.Context(), of(c, "zoe"))
				require.NoError(t, err)
			}
			var items []dynamo.Item
			require.NoError(t, w.raw(t).Scan().Consistent(true).All(t.Context(), &items))
			for range faults.Size(30, 8) {
				item := items[random.IntN(len(items))]
				names := slices.Sorted(maps.Keys(item))
				name := names[random.IntN(len(names))]
				if name == "pk" || name == "sk" {
					continue
				}
				broken := maps.Clone(item)
				broken[name] = anything(random, item[name], name == "userId" || name == "sent")
				if err := w.raw(t).Put(broken).Run(t.Context()); err != nil {
					continue // DynamoDB cannot store such an item
				}
				w := w.process(t, &danmu.Options{Consistent: true, OnCorrupt: heard.hear, HideAt: 2})
				for what, read := range w.reads(c) {
					_, err := read(t.Context())
					if err == nil || what == "Get" && errors.Is(err, plaza.ErrNotFound) {
						continue
					}
					require.ErrorIs(t, err, plaza.ErrCorrupt, "%s: %s is %v", what, name, broken[name])
					require.NotErrorIs(t, err, plaza.ErrInvalid)
					pk := item["pk"].(*types.AttributeValueMemberS).Value
					require.True(t, strings.HasPrefix(pk, "M#") || what == "Get", "%s fails for %s of %s", what, name, pk)
				}
				require.NoError(t, w.raw(t).Put(item).Run(t.Context()))
			}
		})
	}
}

// anything returns a random value, of any type except for index keys.
func anything(random *rand.Rand, was types.AttributeValue, key bool) types.AttributeValue {
	word := fmt.Sprintf("%x", random.Uint32())
	if key {
		return text(word)
	}
	if b, ok := was.(*types.AttributeValueMemberB); ok && random.IntN(2) == 0 {
		changed := slices.Clone(b.Value)
		changed[random.IntN(len(changed))] ^= byte(1 + random.IntN(255))
		return &types.AttributeValueMemberB{Value: changed}
	}
	values := []types.AttributeValue{
		text(word), number(fmt.Sprint(int64(random.Uint64()))),
		number("-1"), number("0"), number("1e30"), number("0.5"), number("9223372036854775807"),
		&types.AttributeValueMemberB{Value: []byte(word)}, &types.AttributeValueMemberBOOL{Value: random.IntN(2) == 0},
		&types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberL{Value: []types.AttributeValue{number("1"), text(word)}},
		&types.AttributeValueMemberM{Value: dynamo.Item{"n": number("0"), "from": text(word)}},
		&types.AttributeValueMemberSS{Value: []string{word}}, &types.AttributeValueMemberNS{Value: []string{"1", "-7"}},
	}
	return values[random.IntN(len(values))]
}
