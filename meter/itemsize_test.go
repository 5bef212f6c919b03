package meter_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

// The engine and the meter agree on the size of an item. The engine's size is found at
// the bounds of kilobytes, the meter's with a transaction.
func TestItemSizes(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter().Price()
	c := m.Wrap(http.DefaultClient)
	table := dynamotest.Table(t, store.Schema)
	who, err := dynamotest.Engine(t).Config().Credentials.Retrieve(t.Context())
	require.NoError(t, err)
	send := func(op string, body any) float64 {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, dynamotest.Engine(t).Endpoint, bytes.NewReader(data))
		require.NoError(t, err)
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+op)
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
		r.Header.Set("X-Amz-Date", "20240101T000000Z")
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+who.AccessKeyID+"/20240101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
		res, err := c.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode, "%s", data)
		return m.Take().Write
	}
	for attrs, size := range map[string]int{
		`{}`:                         0,
		`{"s":{"S":"abcd"}}`:         1 + 4,
		`{"名":{"S":"é"}}`:            3 + 2,
		`{"n":{"N":"0"}}`:            1 + 1,
		`{"n":{"N":"7"}}`:            1 + 2,
		`{"n":{"N":"12345"}}`:        1 + 4,
		`{"n":{"N":"-12345"}}`:       1 + 5,
		`{"n":{"N":"0.00123"}}`:      1 + 3,
		`{"n":{"N":"1.5E+20"}}`:      1 + 3,
		`{"n":{"N":"170000000000"}}`: 1 + 2,
		`{"n":{"N":"1E-3"}}`:         1 + 2,
		`{"n":{"N":"-0.5"}}`:         1 + 3,
		`{"n":{"N":"99999999999999999999999999999999999999"}}`: 1 + 20,
		`{"n":{"N":"123456789012345678"}}`:                     1 + 10,
		`{"n":{"N":"12345678901234567"}}`:                      1 + 10,
		`{"n":{"N":"1700000000000"}}`:                          1 + 3,
		`{"b":{"B":"AAEC"}}`:                                   1 + 3,
		`{"b":{"B":"AAE="}}`:                                   1 + 2,
		`{"t":{"BOOL":false},"u":{"NULL":true}}`:               2 + 2,
		`{"s":{"SS":["a","bc"]}}`:                              1 + 3,
		`{"s":{"NS":["1","234"]}}`:                             1 + 2 + 3,
		`{"s":{"BS":["AA==","AAEC"]}}`:                         1 + 1 + 3,
		`{"l":{"L":[]}}`:                                       1 + 3,
		`{"l":{"L":[{"S":"a"},{"N":"1"}]}}`:                    1 + 3 + 2 + 1 + 2,
		`{"m":{"M":{}}}`:                                       1 + 3,
		`{"m":{"M":{"k":{"L":[{"S":"a"}]}}}}`:                  1 + 3 + 1 + 1 + 3 + 1 + 1,
	} {
		for total, want := range map[int]float64{1024: 1, 1025: 2} {
			item := func() map[string]any {
				pk := rand.Text()
				item := map[string]any{
					"pk": map[string]string{"S": pk},
					"sk": map[string]string{"S": strings.Repeat("x", total-size-len("pksk")-len(pk))},
				}
				var more map[string]any
				require.NoError(t, json.Unmarshal([]byte(attrs), &more))
				maps.Copy(item, more)
				return item
			}
			put := map[string]any{"TableName": table, "Item": item()}
			if used := send("PutItem", put); !dynamotest.Differs(t, "sizes some numbers smaller") {
				assert.Equal(t, want, used, "%s of %d, by the engine", attrs, total)
			}
			put["Item"] = item()
			tx := map[string]any{"TransactItems": []any{map[string]any{"Put": put}}}
			assert.Equal(t, 2*want, send("TransactWriteItems", tx), "%s of %d, by the meter", attrs, total)
		}
	}
}
