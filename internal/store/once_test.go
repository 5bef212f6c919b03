package store_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestAWriteThatIsSentOnceIsNotRepeated(t *testing.T) {
	t.Parallel()
	for kind, want := range map[faults.Kind]error{
		faults.None: nil, faults.LostBefore: plaza.ErrUnknownOutcome, faults.LostAfter: plaza.ErrUnknownOutcome, faults.Throttled: plaza.ErrBusy,
	} {
		table, in := newTable(t)
		sent := next(in, always, faults.Fault{Kind: kind})
		put := store.Once{Write: table.Put(row{PK: "p", SK: "s"}), Limit: time.Minute}
		err := table.Run(t.Context(), put)
		require.ErrorIs(t, err, want, kind) // nil stands for no error
		require.Equal(t, 1, sent(), kind)
		require.Equal(t, want != nil, store.Again(t.Context(), 0, err))
	}
}

// Time is simulated, and requests are real.
func TestAWriteThatIsSentOnceEndsAfterItsLimit(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, store.Schema)
	in := faults.New(t, 1, faults.Rates{})
	next(in, always, faults.Fault{Kind: faults.Hung})
	synctest.Test(t, func(t *testing.T) {
		table, err := store.Open(dynamotest.DB(t, func(aws.HTTPClient) aws.HTTPClient {
			return in.Wrap(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}) // one of the bubble
		}), name, nil, true)
		require.NoError(t, err)
		began := time.Now()
		err = table.Run(t.Context(), store.Once{Write: table.Put(row{PK: "p", SK: "s"}), Limit: 3 * time.Second})
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}
