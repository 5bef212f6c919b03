package dynamotest_test

import (
	"context"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

// watched is a test that keeps its failures.
type watched struct {
	testing.TB
	failed int
	ends   []func()
}

func (w *watched) Errorf(string, ...any) { w.failed++ }
func (w *watched) Cleanup(f func())      { w.ends = append(w.ends, f) }

func TestACallMayDoWhatItsRoleMay(t *testing.T) {
	t.Parallel()
	table, other := dynamotest.Table(t, follow.Table), dynamotest.Table(t, store.Schema)
	a := row{PK: "a", SK: "b"}
	type call = func(context.Context, *dynamo.DB) error
	read := func(ctx context.Context, db *dynamo.DB) error {
		return db.Table(table).Get("pk", "a").All(ctx, &[]row{})
	}
	write := func(table string) call {
		return func(ctx context.Context, db *dynamo.DB) error { return db.Table(table).Put(a).Run(ctx) }
	}
	transact := func(ctx context.Context, db *dynamo.DB) error {
		return db.WriteTx().Put(db.Table(other).Put(a)).Put(db.Table(table).Put(a)).Run(ctx)
	}
	remove := func(ctx context.Context, db *dynamo.DB) error {
		_, err := db.Table(table).Batch("pk", "sk").Write().Delete(dynamo.Keys{"a", "b"}).Run(ctx)
		return err
	}
	for name, c := range map[string]struct {
		operation string
		do        call
		refused   bool
	}{
		"a reader reads":                        {"follow.Repository.Get", read, false},
		"a reader writes":                       {"follow.Repository.Get", write(table), true},
		"a reader writes in a transaction":      {"follow.Repository.Get", transact, true},
		"a service deletes in a batch":          {"follow.Repository.Unfollow", remove, true},
		"an operator deletes in a batch":        {"follow.Repository.Import", remove, false},
		"a call's function writes elsewhere":    {"follow.Repository.Get", write(other), false},
		"a feature without grants on the table": {"danmu.Repository.Send", write(table), false},
		"the test itself writes":                {"", write(table), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &watched{TB: t}
			err := c.do(plaza.WithOperation(t.Context(), c.operation), dynamotest.DB(w))
			for _, end := range w.ends {
				end()
			}
			if !c.refused {
				require.NoError(t, err)
				require.Zero(t, w.failed)
				return
			}
			var api smithy.APIError
			require.ErrorAs(t, err, &api)
			require.Equal(t, "AccessDeniedException", api.ErrorCode())
			require.Equal(t, 1, w.failed)
		})
	}
}
