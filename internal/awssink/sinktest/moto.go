package sinktest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/require"
)

// Moto is a moto server, which imitates the services without their limits. If a
// rule's target is in Firehose, its PutEvents fails.
type Moto struct{ endpoint string }

// OpenMoto skips the test if MOTO_ENDPOINT is not set; in CI, it fails the
// test.
func OpenMoto(t *testing.T) Moto {
	t.Helper()
	endpoint := os.Getenv("MOTO_ENDPOINT")
	if endpoint == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("CI needs MOTO_ENDPOINT, the address of a moto server")
		}
		t.Skip("this needs a moto server: pip install 'moto[server]', run moto_server, and set MOTO_ENDPOINT to its address")
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return Moto{strings.TrimSuffix(endpoint, "/")}
}

// Config is the configuration of a client.
func (m Moto) Config() aws.Config {
	return aws.Config{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("id", "secret", ""),
		BaseEndpoint: &m.endpoint,
		HTTPClient:   http.DefaultClient,
	}
}

// Call makes a request of another service's JSON protocol, such as
// "AmazonSQS.CreateQueue", and reads its answer into out.
func (m Moto) Call(t *testing.T, service, target string, in, out any) {
	t.Helper()
	body, err := json.Marshal(in)
	require.NoError(t, err)
	answer := m.send(t, service, http.MethodPost, "/", target, body)
	if out != nil {
		require.NoError(t, json.Unmarshal(answer, out), "%s", answer)
	}
}

// S3 makes a request of a bucket and returns the answer's body.
func (m Moto) S3(t *testing.T, method, path string) string {
	t.Helper()
	return string(m.send(t, "s3", method, path, "", nil))
}

// send names the service in a signature, which the server does not check.
func (m Moto) send(t *testing.T, service, method, path, target string, body []byte) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, m.endpoint+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=id/20260101/us-east-1/"+service+"/aws4_request, SignedHeaders=host, Signature=0")
	if target != "" {
		r.Header.Set("X-Amz-Target", target)
		r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s %s %s: %s", method, path, target, answer)
	return answer
}
