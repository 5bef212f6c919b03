package plazatest

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// OwnDates sets the Date of each answer by the receiver's clock. Put it last into Options.Wrap
// if that clock is not the machine's, as in a bubble of testing/synctest. Otherwise Verify,
// leases and workers report a wrong clock.
func OwnDates(next aws.HTTPClient) aws.HTTPClient { return ownDates{next} }

type ownDates struct{ aws.HTTPClient }

func (c ownDates) Do(r *http.Request) (*http.Response, error) {
	res, err := c.HTTPClient.Do(r)
	if err == nil {
		res.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return res, err
}
