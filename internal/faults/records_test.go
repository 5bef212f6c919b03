package faults_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestAStreamDeliversLateAndTwiceInOrder reads a stream that has one record a page.
func TestAStreamDeliversLateAndTwiceInOrder(t *testing.T) {
	t.Parallel()
	type page struct {
		Records           []int
		NextShardIterator string
	}
	source := clientFunc(func(r *http.Request) (*http.Response, error) {
		var in struct{ ShardIterator string }
		require.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		n, err := strconv.Atoi(in.ShardIterator)
		require.NoError(t, err)
		body, err := json.Marshal(page{[]int{n}, strconv.Itoa(n + 1)})
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body)))}, err
	})
	records := faults.NewRecords(1)
	c := records.Wrap(source)
	iterator, last, repeated, empty := "0", -1, 0, 0
	for last < 30 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://stream", strings.NewReader(fmt.Sprintf(`{"ShardIterator":%q}`, iterator)))
		require.NoError(t, err)
		r.Header.Set("X-Amz-Target", "DynamoDBStreams_20120810.GetRecords")
		res, err := c.Do(r)
		require.NoError(t, err)
		var p page
		require.NoError(t, json.NewDecoder(res.Body).Decode(&p))
		require.NoError(t, res.Body.Close())
		iterator = p.NextShardIterator
		switch {
		case len(p.Records) == 0:
			empty++
		case p.Records[0] == last:
			repeated++
		default:
			require.Equal(t, last+1, p.Records[0])
			last = p.Records[0]
		}
	}
	require.Positive(t, repeated)
	require.Equal(t, repeated, records.Twice())
	require.Positive(t, empty)
	require.Equal(t, empty, records.Late())
}
