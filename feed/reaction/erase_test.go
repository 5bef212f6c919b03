package reaction_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// fans adds reactions of jack, some of which have ended, and of others to the
// same objects.
func fans(t testing.TB, w world, n int) (ofJack, others []reaction.Reaction) {
	for i := range n {
		object := fmt.Sprint("object ", i%5)
		others = append(others, w.react(t, fmt.Sprint("fan ", i), object, kinds[i%4]))
		if i < 5 {
			ofJack = append(ofJack, w.react(t, "jack", object, kinds[i%3]), w.react(t, "jack", object, "pin"))
		}
	}
	unreact(t, w, w.react(t, "jack", "object of old", "like"))
	return ofJack, others
}

// TestEraseRemovesUnknownKinds erases by a process whose options lack some of
// the stored kinds.
func TestEraseRemovesUnknownKinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(2))
	ofJack, others := fans(t, w, 8)
	narrow := w.process(t, &reaction.Options{Kinds: []string{"like"}, Consistent: true})
	narrow.requireSound(t, "jack", "object 0")
	require.NoError(t, failed(narrow.RepairUser(t.Context(), "jack")))
	require.NoError(t, failed(narrow.Repair(t.Context(), "object 0")))
	requireStored(t, w, append(ofJack, others...)...)
	require.NoError(t, narrow.EraseObject(t.Context(), "object 0"))
	require.NoError(t, narrow.Erase(t.Context(), "jack"))
	var left []reaction.Reaction
	for _, a := range others {
		if a.Object != "object 0" {
			left = append(left, a)
		}
	}
	requireErased(t, w, edge.Ends{Tail: "jack"}, left)
	requireErased(t, w, edge.Ends{Head: "object 0"}, left)
}

// TestEraseKeepsAGuardOfANewKind adds a reaction just before the guards are
// removed, of a kind that the erasing process does not know. The next attempt
// ends it.
func TestEraseKeepsAGuardOfANewKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	w.react(t, "jack", "photo", "like")
	guards := 0
	in := faults.New(t, 0, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "Query" && bytes.Contains(body, []byte(`"U#jack"`)) {
			if guards++; guards == 4 { // the reads to end edges, to compare sums, to compare rows, and to remove guards
				w.react(t, "jack", "photo", "pin")
			}
		}
		return faults.Fault{}
	})
	narrow := w.process(t, &reaction.Options{Kinds: []string{"like"}}, in.Wrap)
	require.NoError(t, narrow.Erase(t.Context(), "jack"))
	require.Greater(t, guards, 4)
	requireErased(t, w, edge.Ends{Tail: "jack"}, nil)
}

func TestEraseLeavesAGuardThatHoldsAKindItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	unreact(t, w, w.react(t, "jack", "photo", "like"))
	var pin reaction.Reaction
	in := faults.Before(t, "UpdateItem", func() { pin = w.react(t, "jack", "photo", "pin") })
	narrow := w.process(t, &reaction.Options{Kinds: []string{"like"}, Consistent: true}, in.Wrap)
	require.NoError(t, narrow.Erase(t.Context(), "jack"))
	require.NotZero(t, pin.ID)
	w.requireSound(t, "jack", "photo")
}

func TestEraseObjectExpiresAGuardWhoseOtherKindEndsMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	w.react(t, "jack", "photo", "like")
	pin := w.react(t, "jack", "photo", "pin")
	in := faults.New(t, 0, faults.Rates{})
	ended := false
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "TransactWriteItems" && !bytes.Contains(body, []byte(pin.ID.String())) && !ended {
			ended = true
			unreact(t, w, pin)
		}
		return faults.Fault{}
	})
	require.NoError(t, w.process(t, options(1), in.Wrap).EraseObject(t.Context(), "photo"))
	require.True(t, ended)
	requireErased(t, w, edge.Ends{Head: "photo"}, nil)
}
