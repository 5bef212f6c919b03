package cursor

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"testing"
	"time"
)

// BenchmarkSealed compares one call with the AES-256-GCM call inside it, on the
// same bytes and with the key schedule made. It also reports each other part as
// a multiple of that call. Rounds are interleaved, so that a busy machine slows
// all of them alike.
func BenchmarkSealed(b *testing.B) {
	codec, err := Sealed(Keyring{Keys: map[byte][]byte{0: testKey}})
	if err != nil {
		b.Fatal(err)
	}
	scope := Scope{List: "follow.followers", Partition: "user-12345678"}
	pos := []byte("d0123456789ABC")
	text := codec.Encode(scope, pos)

	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		b.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		b.Fatal(err)
	}
	additional, nonce := make([]byte, additionalSize), make([]byte, nonceSize)
	ciphertext := aead.Seal(nil, nonce, pos, additional)
	room := make([]byte, 0, 64)
	key, err := newDayKey(make([]byte, 32), 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	raw, err := decodeText(nil, text)
	if err != nil {
		b.Fatal(err)
	}

	bareSeal := func() { aead.Seal(room, nonce, pos, additional) }
	bareOpen := func() {
		if _, err := aead.Open(room, nonce, ciphertext, additional); err != nil {
			b.Fatal(err)
		}
	}
	seal := func() { codec.Encode(scope, pos) }
	open := func() {
		got, err := codec.Decode(scope, text)
		if err != nil || !bytes.Equal(got, pos) {
			b.Fatal(err)
		}
	}
	hash := func() { scope.hash() }
	var made [nonceSize]byte
	mac := func() { key.nonce(made[:], additional, pos) }
	encode := func() { encodeText(raw) }
	decode := func() { _, _ = decodeText(make([]byte, sha256.Size, 128), text) }
	clock := func() { dayOf(time.Now()) }

	b.Run("seal", func(b *testing.B) {
		interleave(b, []part{{"bare", bareSeal}, {"seal", seal}, {"scope-hash", hash}, {"nonce-mac", mac}, {"base64", encode}, {"clock", clock}})
	})
	b.Run("open", func(b *testing.B) {
		interleave(b, []part{{"bare", bareOpen}, {"open", open}, {"scope-hash", hash}, {"base64", decode}, {"clock", clock}})
	})
	b.Run("bare-seal", func(b *testing.B) { repeat(b, bareSeal) })
	b.Run("bare-open", func(b *testing.B) { repeat(b, bareOpen) })
}

func BenchmarkPlain(b *testing.B) {
	scope := Scope{List: "follow.followers", Partition: "user-12345678"}
	pos := []byte("d0123456789ABC")
	text := Plain().Encode(scope, pos)
	b.Run("encode", func(b *testing.B) { repeat(b, func() { Plain().Encode(scope, pos) }) })
	b.Run("decode", func(b *testing.B) {
		repeat(b, func() {
			if _, err := Plain().Decode(scope, text); err != nil {
				b.Fatal(err)
			}
		})
	})
}

func repeat(b *testing.B, call func()) {
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}

type part struct {
	name string
	call func()
}

// interleave times the parts in turn and reports each as a multiple of the first.
func interleave(b *testing.B, parts []part) {
	const calls = 200
	spent := make([]time.Duration, len(parts))
	for b.Loop() {
		for i, p := range parts {
			start := time.Now()
			for range calls {
				p.call()
			}
			spent[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N*calls), "bare-ns")
	for i, p := range parts[1:] {
		b.ReportMetric(float64(spent[i+1])/float64(spent[0]), p.name+"/bare")
	}
	b.ReportMetric(0, "ns/op") // the time of a round has no meaning
}
