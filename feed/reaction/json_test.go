package reaction_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	id, err := ids.Parse("3ZZZZZZZZZZZZ")
	require.NoError(t, err)
	a := reaction.Reaction{User: "anna", Object: "photo:1", Kind: "like", ID: id}
	text, err := json.Marshal(a)
	require.NoError(t, err)
	require.JSONEq(t, `{"user":"anna","object":"photo:1","kind":"like","id":"3ZZZZZZZZZZZZ"}`, string(text))
	var got reaction.Reaction
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, a, got)
}
