package faults

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Headers changes the header of each answer.
type Headers func(http.Header)

// Wrap puts f before next.
func (f Headers) Wrap(next aws.HTTPClient) aws.HTTPClient { return headerClient{next, f} }

type headerClient struct {
	aws.HTTPClient
	change Headers
}

func (c headerClient) Do(r *http.Request) (*http.Response, error) {
	res, err := c.HTTPClient.Do(r)
	if err == nil {
		c.change(res.Header)
	}
	return res, err
}
