package feed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
)

func FuzzParseAS2(f *testing.F) {
	for _, dir := range []string{"valid", "invalid"} {
		for _, doc := range as2Files(f, dir) {
			f.Add(doc)
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if _, err := feed.ParseAS2(doc); err != nil {
			require.ErrorIs(t, err, plaza.ErrInvalid)
			return
		}
		as2ComesBack(t, doc)
	})
}
