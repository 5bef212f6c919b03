package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
)

const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"

	version      = "v1"
	secretPrefix = "whsec_"

	// Tolerance is how old a message may be, and how far clocks may differ.
	Tolerance = 5 * time.Minute

	maxSignatures = 10 // that are compared
)

// Errors of Verify.
var (
	// ErrSignature is returned for a message that none of the secrets signed.
	ErrSignature = fmt.Errorf("webhook: signature does not match: %w", plaza.ErrForbidden)
	// ErrTime is returned for a message whose time is further away than Tolerance. It may
	// be a recorded one.
	ErrTime = fmt.Errorf("webhook: message is too old or too new: %w", plaza.ErrForbidden)
)

// Secret is shared by a sender and a receiver. It has 24 to 64 random bytes.
type Secret []byte

// ParseSecret reads the text of a Secret: whsec_ and base64.
func ParseSecret(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return nil, &plaza.InvalidError{Field: "Secret", Reason: "is not whsec_ and base64"}
	}
	return raw, Secret(raw).check()
}

func (s Secret) check() error {
	if len(s) < 24 || len(s) > 64 {
		return &plaza.InvalidError{Field: "Secret", Reason: "does not have 24 to 64 bytes"}
	}
	return nil
}

// String hides it.
func (s Secret) String() string { return secretPrefix + "…" }

// GoString hides it.
func (s Secret) GoString() string { return s.String() }

// Message is a message whose signature matches.
type Message struct {
	// ID is the same in every attempt. Handle each ID once: the sender repeats a message
	// whose answer was lost, and within Tolerance an attacker may repeat it too.
	ID   string
	Body []byte
}

// Verify reads a request's message and checks that one of the secrets signed it.
func Verify(r *http.Request, now time.Time, secrets ...Secret) (Message, error) {
	m := Message{ID: r.Header.Get(headerID)}
	seconds, err := strconv.ParseInt(r.Header.Get(headerTimestamp), 10, 64)
	if err != nil || m.ID == "" || strings.Contains(m.ID, ".") {
		return Message{}, ErrSignature
	}
	at := time.Unix(seconds, 0)
	if at.Before(now.Add(-Tolerance)) || at.After(now.Add(Tolerance)) {
		return Message{}, ErrTime
	}
	m.Body, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, MaxBody))
	if err != nil {
		return Message{}, fmt.Errorf("webhook: body: %w", err)
	}
	matches := false
	given := strings.SplitN(r.Header.Get(headerSignature), " ", maxSignatures+1)
	for _, secret := range secrets {
		want := []byte(signature(m.ID, at, m.Body, secret))
		for _, text := range given[:min(len(given), maxSignatures)] {
			matches = hmac.Equal([]byte(text), want) || matches
		}
	}
	if !matches {
		return Message{}, ErrSignature
	}
	return m, nil
}

// sign returns a header with a signature by each of the secrets.
func sign(id string, at time.Time, body []byte, secrets []Secret) string {
	var all []string
	for _, secret := range secrets {
		all = append(all, signature(id, at, body, secret))
	}
	return strings.Join(all, " ")
}

func signature(id string, at time.Time, body []byte, secret Secret) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(mac, "%s.%d.", id, at.Unix()) // never fails
	mac.Write(body)
	return version + "," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
