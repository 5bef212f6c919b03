package dynamotest

import (
	"crypto/rand"
	"net/http"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Own is a wrap for Table, DB and clients of the stream. It sends their requests to a
// database of their own, because each write to a table with a stream takes longer the
// more records the database has.
func Own() func(aws.HTTPClient) aws.HTTPClient {
	credential := "Credential=" + rand.Text() + "/"
	return func(next aws.HTTPClient) aws.HTTPClient { return own{credential, next} }
}

type own struct {
	credential string // the access key names the database
	next       aws.HTTPClient
}

var anyCredential = regexp.MustCompile(`Credential=[^/]*/`)

func (o own) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", anyCredential.ReplaceAllString(r.Header.Get("Authorization"), o.credential))
	return o.next.Do(r)
}
