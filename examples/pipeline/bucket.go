package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// bucket is a bucket of a moto server, which checks no signature. The SDK's client of S3
// would take as long to compile as all features of Plaza.
type bucket struct {
	client *http.Client
	url    string
}

func (b bucket) create(ctx context.Context) error {
	_, err := b.send(ctx, http.MethodPut, "")
	return err
}

// remove empties the bucket first.
func (b bucket) remove(ctx context.Context) error {
	keys, err := b.keys(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if _, err := b.send(ctx, http.MethodDelete, path(key)); err != nil {
			return err
		}
	}
	_, err = b.send(ctx, http.MethodDelete, "")
	return err
}

// content is that of all objects, in the order of their keys.
func (b bucket) content(ctx context.Context) (all []byte, err error) {
	keys, err := b.keys(ctx)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		object, err := b.send(ctx, http.MethodGet, path(key))
		if err != nil {
			return nil, err
		}
		all = append(all, object...)
	}
	return all, nil
}

func (b bucket) keys(ctx context.Context) (keys []string, err error) {
	query := url.Values{"list-type": {"2"}}
	for {
		answer, err := b.send(ctx, http.MethodGet, "?"+query.Encode())
		if err != nil {
			return nil, err
		}
		var page struct {
			Contents []struct{ Key string }
			Next     string `xml:"NextContinuationToken"`
		}
		if err := xml.Unmarshal(answer, &page); err != nil {
			return nil, fmt.Errorf("reading a list of S3: %w", err)
		}
		for _, object := range page.Contents {
			keys = append(keys, object.Key)
		}
		if page.Next == "" {
			return keys, nil
		}
		query.Set("continuation-token", page.Next)
	}
}

func path(key string) string { return (&url.URL{Path: "/" + key}).EscapedPath() }

func (b bucket) send(ctx context.Context, method, rest string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, b.url+rest, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=plaza/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0")
	answer, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("S3 answered %s to %s", answer.Status, method)
	}
	return body, err
}
