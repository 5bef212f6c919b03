package plazatest_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/plazatest"
)

func TestOwnDatesAreThoseOfTheReceiver(t *testing.T) {
	t.Parallel()
	wrong := func(next aws.HTTPClient) aws.HTTPClient {
		return client(func(r *http.Request) (*http.Response, error) {
			res, err := next.Do(r)
			if err == nil {
				res.Header.Set("Date", "Thu, 01 Jan 1970 00:00:00 GMT")
			}
			return res, err
		})
	}
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow, Wrap: []wrap{wrong}})
	require.ErrorAs(t, follows(t, env.DB, env.Tables.Follow).Verify(t.Context()), new(*plaza.ClockError))
	env = plazatest.Start(t, &plazatest.Options{Tables: onlyFollow, Wrap: []wrap{wrong, plazatest.OwnDates}})
	require.NoError(t, follows(t, env.DB, env.Tables.Follow).Verify(t.Context()))
}
