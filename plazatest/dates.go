package plazatest

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// OwnDates gives answers Dates by the clock of whoever receives them. Put it last into
// Options.Wrap where that clock is not the machine's, as in a bubble of testing/synctest:
// otherwise Verify, leases and workers find it wrong.
func OwnDates(next aws.HTTPClient) aws.HTTPClient { return ownDates{next} }

type ownDates struct{ aws.HTTPClient }

func (c ownDates) Do(r *http.Request) (*http.Response, error) {
	res, err := c.HTTPClient.Do(r)
	if err == nil {
		res.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return res, err
}
