package streamtest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// UnderFaults runs a test without faults, and then once for each fault of a write
// that the SDK or store repeats: each different write meets it once.
func UnderFaults(t *testing.T, run func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient)) {
	t.Helper()
	for _, kind := range []faults.Kind{faults.None, faults.LostBefore, faults.LostAfter, faults.Twice, faults.Throttled, faults.Conflict} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			met, last := map[string]bool{}, false
			in := faults.New(t, 1, faults.Rates{})
			in.Script(func(op string, body []byte, _ int) faults.Fault {
				switch op {
				case "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems":
				case "BatchWriteItem":
					if kind == faults.Conflict {
						return faults.Fault{}
					}
				default:
					return faults.Fault{}
				}
				// Store writes a conflict's request again, perhaps in other words.
				again := met[string(body)] || kind == faults.Conflict && last
				if met[string(body)], last = true, !again; again {
					return faults.Fault{}
				}
				return faults.Fault{Kind: kind}
			})
			run(t, in.Wrap)
		})
	}
}
