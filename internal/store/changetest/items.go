package changetest

import (
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

// stored returns the item, nil if there is none.
func (t *trial[R]) stored() (item dynamo.Item) {
	t.Helper()
	key := t.Item(t.name)
	err := dynamotest.DB(t).Table(t.f.Table).Get("pk", key.PK).Range("sk", dynamo.Equal, key.SK).Consistent(true).One(t.Context(), &item)
	if err != nil {
		require.ErrorIs(t, err, dynamo.ErrNotFound)
	}
	return item
}

// A call that finds nothing to change touches only the order of calls.
func (t *trial[R]) noted() {
	t.begin()
	t.doOther()
	want := t.stored()
	_, err := t.do()
	require.NoError(t, err)
	got := t.stored()
	delete(want, t.Part)
	delete(got, t.Part)
	require.Equal(t, want, got)
}

func (t *trial[R]) damaged() {
	if t.Part == "" {
		return
	}
	damages := []any{1}
	if t.Undo != nil { // a later op is needed, and there is none
		damages = append(damages, store.Mark{Op: store.MaxID, Call: store.MaxID})
	}
	for _, damage := range damages {
		t.begin()
		t.doOther()
		key := t.Item(t.name)
		require.NoError(t, dynamotest.DB(t).Table(t.f.Table).Update("pk", key.PK).Range("sk", key.SK).Set(t.Part, damage).Run(t.Context()))
		_, err := t.do()
		require.ErrorIs(t, err, plaza.ErrCorrupt)
	}
}

// An item that must exist is not created. A note of one that may be created expires.
func (t *trial[R]) absent() {
	t.begin()
	t.name += " that was never begun"
	switch {
	case t.Begin != nil:
		changed, _ := t.do() // which may be an error
		require.False(t, changed && t.Part != "")
		if item := t.stored(); item != nil {
			require.Contains(t, item, "ttl")
		}
	case t.Part != "" && !t.Silent:
		t.findsNothing(t.Undo)
		require.Contains(t, t.stored(), "ttl")
		t.doOther()
		require.NotContains(t, t.stored(), "ttl")
	}
}
