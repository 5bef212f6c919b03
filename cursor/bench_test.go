package cursor

import (
	"crypto/aes"
	"crypto/cipher"
	"testing"
)

// BenchmarkCodecs compares both codecs with the AES-256-GCM call that Sealed makes.
func BenchmarkCodecs(b *testing.B) {
	sealed, err := Sealed(Keyring{Keys: map[byte][]byte{0: testKey}})
	if err != nil {
		b.Fatal(err)
	}
	block, err := aes.NewCipher(testKey)
	if err != nil {
		b.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		b.Fatal(err)
	}
	scope, pos := Scope{List: "follow.followers", Partition: "user-12345678"}, []byte("d0123456789ABC")
	nonce, additional, room := make([]byte, nonceSize), make([]byte, additionalSize), make([]byte, 0, 64)
	b.Run("AES-GCM", func(b *testing.B) {
		for b.Loop() {
			aead.Seal(room, nonce, pos, additional)
		}
	})
	for name, codec := range map[string]Codec{"Plain": Plain(), "Sealed": sealed} {
		text := codec.Encode(scope, pos)
		b.Run(name+"/encode", func(b *testing.B) {
			for b.Loop() {
				codec.Encode(scope, pos)
			}
		})
		b.Run(name+"/decode", func(b *testing.B) {
			for b.Loop() {
				if _, err := codec.Decode(scope, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
