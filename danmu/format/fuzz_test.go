package format_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu/format"
)

// fuzz reads arbitrary bytes. The result does not depend on the chunks in which they
// arrive, and survives writing and reading again.
func fuzz(f *testing.F, of format.Format) {
	for _, kind := range []string{"valid", "repaired", "invalid", "broken"} {
		for _, text := range testFiles(f, of, kind) {
			f.Add(text)
			for i := range strings.Count(text, "\n") {
				lines := strings.SplitAfter(text, "\n")
				f.Add(lines[0] + lines[i] + lines[len(lines)-2])
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		opts := &format.ReadOptions{Senders: true, MaxRecord: 1 << 10}
		got, err := read(t, strings.NewReader(text), of, opts)
		if err != nil {
			require.ErrorIs(t, err, format.ErrBroken)
		}
		slow, slowErr := read(t, iotest.OneByteReader(strings.NewReader(text)), of, opts)
		require.Equal(t, err == nil, slowErr == nil)
		require.Equal(t, got, slow)
		requireComesBack(t, got, of)
	})
}

func FuzzBilibili(f *testing.F)    { fuzz(f, format.Bilibili) }
func FuzzDPlayer(f *testing.F)     { fuzz(f, format.DPlayer) }
func FuzzArtPlayer(f *testing.F)   { fuzz(f, format.ArtPlayer) }
func FuzzDandanplay(f *testing.F)  { fuzz(f, format.Dandanplay) }
func FuzzNiconico(f *testing.F)    { fuzz(f, format.Niconico) }
func FuzzNiconicoXML(f *testing.F) { fuzz(f, format.NiconicoXML) }
func FuzzNDJSON(f *testing.F)      { fuzz(f, format.NDJSON) }
