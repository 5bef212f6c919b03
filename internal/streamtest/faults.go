package streamtest

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// every is how many writes there are from one fault to the next: a call that a fault
// refused may write again with another request, which must then pass.
const every = 3

// UnderFaults runs a test without faults and, if faults.Full, for each fault of a write
// that the SDK or store repeats. One write in three meets it, each in one of three runs.
func UnderFaults(t *testing.T, run func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient)) {
	t.Helper()
	for _, kind := range faults.Some(1, faults.None, faults.LostAfter, faults.Conflict, faults.LostBefore, faults.Twice, faults.Throttled) {
		for phase := range every {
			if phase > 0 && kind == faults.None {
				break
			}
			t.Run(fmt.Sprint(kind, " ", phase), func(t *testing.T) {
				t.Parallel()
				n := phase
				in := faults.New(t, 1, faults.Rates{})
				in.Script(func(op string, _ []byte, _ int) faults.Fault {
					switch op {
					case "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems":
					case "BatchWriteItem":
						if kind == faults.Conflict {
							return faults.Fault{}
						}
					default:
						return faults.Fault{}
					}
					if n++; n%every != 0 {
						return faults.Fault{}
					}
					return faults.Fault{Kind: kind}
				})
				run(t, in.Wrap)
			})
		}
	}
}
