package reaction_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// fans have jack's reactions, some of which ended, among those of others to
// the same objects.
func fans(t testing.TB, w world, n int) (ofJack, others []reaction.Reaction) {
	for i := range n {
		object := fmt.Sprint("object ", i%5)
		others = append(others, w.react(t, fmt.Sprint("fan ", i), object, kinds[i%4]))
		if i < 5 {
			ofJack = append(ofJack, w.react(t, "jack", object, kinds[i%3]), w.react(t, "jack", object, "pin"))
		}
	}
	gone := w.react(t, "jack", "object of old", "like")
	_, err := w.Unreact(t.Context(), gone)
	require.NoError(t, err)
	return ofJack, others
}

// requireErased finds nothing of name but which ids have ended, in the guards
// of name, which expire, and in those of others, who keep them.
func requireErased(t testing.TB, w world, name string, left []reaction.Reaction) (ended []place) {
	t.Helper()
	requireStored(t, w, standing(left...))
	for key, item := range scan(t, w) {
		user, ok := strings.CutPrefix(key[0], "U#")
		if !ok || user != name && key[1] != name {
			require.NotContains(t, key[0]+"#", "#"+name+"#")
			require.NotEqual(t, name, key[1])
			for attribute, value := range item {
				require.NotEqual(t, name, value, attribute)
			}
			continue
		}
		if user == name {
			require.Contains(t, item, "ttl")
		}
		for attribute := range item {
			kind, ok := strings.CutPrefix(attribute, "ended#")
			if ok {
				ended = append(ended, place{user, key[1], kind})
			} else {
				require.Contains(t, []string{"pk", "sk", "ver", "ttl"}, attribute)
			}
		}
	}
	return ended
}

func placesOf(all ...reaction.Reaction) (places []place) {
	for _, a := range all {
		places = append(places, placeOf(a))
	}
	return places
}

func TestEraseEndsEverythingOfAUser(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	w := newWorld(t, options(2), m.Wrap)
	ofJack, others := fans(t, w, 12)
	m.AtMost(t, "Erase", dynamotest.Cost{Requests: 10 + 6 + 30, Write: 10*8 + 6, Read: 30}, func() {
		require.NoError(t, w.Erase(t.Context(), "jack"))
	})
	ended := append(placesOf(ofJack...), place{"jack", "object of old", "like"})
	require.ElementsMatch(t, ended, requireErased(t, w, "jack", others))
	before := scan(t, w)
	require.NoError(t, w.Erase(t.Context(), "jack"))
	require.Equal(t, before, scan(t, w))
	for _, a := range ofJack {
		_, _, err := w.React(t.Context(), a)
		require.ErrorIs(t, err, plaza.ErrRemoved)
	}

	others = append(others, w.react(t, "jack", "object 0", "like")) // the user may come back
	requireStored(t, w, standing(others...))
}

func TestEraseObjectEndsEverythingOnIt(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 8} {
		w := newWorld(t, options(shards))
		ofJack, others := fans(t, w, 12)
		var left, gone []reaction.Reaction
		for _, a := range append(ofJack, others...) {
			if a.Object != "object 0" {
				left = append(left, a)
			} else {
				gone = append(gone, a)
			}
		}
		for range 2 {
			require.NoError(t, w.EraseObject(t.Context(), "object 0"))
			require.ElementsMatch(t, placesOf(gone...), requireErased(t, w, "object 0", left))
		}
		left = append(left, w.react(t, "jack", "object 0", "like"))
		requireStored(t, w, standing(left...))
	}
}

// TestEraseMeetsKindsThatItDoesNotKnow is by a process whose options have
// fewer kinds than are stored.
func TestEraseMeetsKindsThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(2))
	ofJack, others := fans(t, w, 8)
	narrow := w.process(t, &reaction.Options{Kinds: []string{"like"}, Consistent: true})
	for _, s := range []side{{"jack", narrow.CheckUser, narrow.RepairUser}, {"object 0", narrow.Check, narrow.Repair}} {
		requireSound(t, s)
		drift, err := s.repair(t.Context(), s.name)
		require.NoError(t, err)
		require.Zero(t, drift)
	}
	requireStored(t, w, standing(append(ofJack, others...)...))
	require.NoError(t, narrow.EraseObject(t.Context(), "object 0"))
	require.NoError(t, narrow.Erase(t.Context(), "jack"))
	var left []reaction.Reaction
	for _, a := range others {
		if a.Object != "object 0" {
			left = append(left, a)
		}
	}
	requireErased(t, w, "jack", left)
	requireErased(t, w, "object 0", left)
}

// TestEraseKeepsAGuardOfANewKind lets a kind that the erasing process does not
// know arrive before the guards are dropped: it ends with the next try.
func TestEraseKeepsAGuardOfANewKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	w.react(t, "jack", "photo", "like")
	guards := 0
	in := faults.New(t, 0, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "Query" && bytes.Contains(body, []byte(`"U#jack"`)) {
			if guards++; guards == 4 { // to end, to pair, to look for their rows, to drop
				w.react(t, "jack", "photo", "pin")
			}
		}
		return faults.Fault{}
	})
	narrow := w.process(t, &reaction.Options{Kinds: []string{"like"}}, in.Wrap)
	require.NoError(t, narrow.Erase(t.Context(), "jack"))
	require.Greater(t, guards, 4)
	requireErased(t, w, "jack", nil)
}

func TestEraseUnderFaultsAndKills(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options(1+int(seed)%3))
			ofJack, left := fans(t, w, 8)
			name, erase := "jack", func(w world) error { return w.Erase(t.Context(), "jack") }
			if seed%2 == 1 {
				name, erase = "object 0", func(w world) error { return w.EraseObject(t.Context(), "object 0") }
				all := append(ofJack, left...)
				left = nil
				for _, a := range all {
					if a.Object != "object 0" {
						left = append(left, a)
					}
				}
			}
			w.persist(t, rand.New(rand.NewPCG(seed, 2)), erase)
			requireErased(t, w, name, left)
		})
	}
}

// TestEraseKilledAtEachWrite resumes after every one of them.
func TestEraseKilledAtEachWrite(t *testing.T) {
	t.Parallel()
	erases := map[string]func(world) error{
		"jack":     func(w world) error { return w.Erase(t.Context(), "jack") },
		"object 0": func(w world) error { return w.EraseObject(t.Context(), "object 0") },
	}
	for name, erase := range erases {
		for k := 1; ; k++ {
			w := newWorld(t, options(1))
			like := w.react(t, "jack", "object 0", "like")
			left := []reaction.Reaction{w.react(t, "fan", "film", "pin")}
			_, err := w.Unreact(t.Context(), like)
			require.NoError(t, err)
			w.react(t, "jack", "object 0", "pin")
			in := faults.New(t, 0, faults.Rates{})
			in.KillAt(k)
			if err := erase(w.process(t, options(1), in.Wrap)); err == nil {
				require.Greater(t, k, 2)
				break
			}
			require.NoError(t, erase(w))
			requireErased(t, w, name, left)
		}
	}
}

func TestEraseMeetsNewReactions(t *testing.T) {
	t.Parallel()
	reads := 0
	for name, c := range map[string]struct {
		of     string
		erase  func(world) error
		before func(op string, body []byte) bool
	}{
		"guards are to expire": {
			"jack", func(w world) error { return w.Erase(t.Context(), "jack") },
			func(op string, _ []byte) bool { return op == "UpdateItem" },
		},
		"counters are read to be dropped": {
			"photo", func(w world) error { return w.EraseObject(t.Context(), "photo") },
			func(op string, body []byte) bool {
				if op != "BatchGetItem" || !bytes.Contains(body, []byte(`"C#photo#63"`)) {
					return false
				}
				reads++
				return reads%5 == 0 // a try reads them to end, mend, count, look again, and drop
			},
		},
		"counters are dropped": {
			"photo", func(w world) error { return w.EraseObject(t.Context(), "photo") },
			func(op string, body []byte) bool {
				return op == "TransactWriteItems" && !bytes.Contains(body, []byte(`"U#`))
			},
		},
	} {
		w := newWorld(t, options(1))
		w.react(t, "jack", "photo", "pin")
		arrivals, most := 0, 3
		busy := w.watched(t, 0, func(op string, body []byte) faults.Fault {
			if arrivals < most && c.before(op, body) {
				arrivals++
				w.react(t, "jack", "photo", kinds[arrivals%3])
			}
			return faults.Fault{}
		})
		require.NoError(t, c.erase(busy), name)
		require.Equal(t, most, arrivals, name)
		requireErased(t, w, c.of, nil)

		w.react(t, "jack", "photo", "pin")
		arrivals, most, reads = 0, 100, 0
		require.ErrorIs(t, c.erase(busy), plaza.ErrBusy, name)
		require.NoError(t, c.erase(w), name)
		requireErased(t, w, c.of, nil)
	}
}

func TestEraseEndsTornReactions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"guard gone", "the user's gone", "the object's gone", "only the user's left", "a second of the user"} {
		w, _, others := damaged(t, 1, damages[name].do)
		require.NoError(t, w.Erase(t.Context(), "ann"), name)
		_, err := w.Repair(t.Context(), "photo")
		require.NoError(t, err)
		requireErased(t, w, "ann", others[1:2])
	}
	for _, name := range []string{"guard gone", "the user's gone", "only the object's left", "count gone astray", "counter gone"} {
		w, _, others := damaged(t, 1, damages[name].do)
		require.NoError(t, w.EraseObject(t.Context(), "photo"), name)
		requireErased(t, w, "photo", others[2:])
	}
}

func TestEraseLeavesAGuardThatHoldsAKindItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	old := w.react(t, "jack", "photo", "like")
	_, err := w.Unreact(t.Context(), old)
	require.NoError(t, err)
	in := faults.New(t, 0, faults.Rates{})
	var pin reaction.Reaction
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" && pin.ID == 0 {
			pin = w.react(t, "jack", "photo", "pin")
		}
		return faults.Fault{}
	})
	narrow := w.process(t, &reaction.Options{Kinds: []string{"like"}, Consistent: true}, in.Wrap)
	require.NoError(t, narrow.Erase(t.Context(), "jack"))
	require.NotZero(t, pin.ID)
	d, err := w.CheckUser(t.Context(), "jack")
	require.NoError(t, err)
	require.Zero(t, d)
}

func TestEraseOfATornReactionDoesNotCountBelowZero(t *testing.T) {
	t.Parallel()
	w, _, _ := damaged(t, 1, damages["the object's gone"].do)
	_, err := w.Repair(t.Context(), "photo")
	require.NoError(t, err)
	require.NoError(t, w.Erase(t.Context(), "ann"))
	c, err := w.Counts(t.Context(), "photo")
	require.NoError(t, err)
	require.Zero(t, c["like"])
}
