package faults

import (
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Dates shifts the Dates of answers, as if DynamoDB's clock were wrong.
type Dates struct {
	mu    sync.Mutex
	shift time.Duration
}

// Shift shifts those of the answers from now on.
func (d *Dates) Shift(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shift = by
}

// Wrap puts d before next.
func (d *Dates) Wrap(next aws.HTTPClient) aws.HTTPClient {
	return headers{next, func(h http.Header) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			h.Set("Date", date.Add(d.shift).Format(http.TimeFormat))
		}
	}}
}

// Headers changes the header of each answer.
type Headers func(http.Header)

// Wrap puts f before next.
func (f Headers) Wrap(next aws.HTTPClient) aws.HTTPClient { return headers{next, f} }

type headers struct {
	aws.HTTPClient
	change Headers
}

func (c headers) Do(r *http.Request) (*http.Response, error) {
	res, err := c.HTTPClient.Do(r)
	if err == nil {
		c.change(res.Header)
	}
	return res, err
}
