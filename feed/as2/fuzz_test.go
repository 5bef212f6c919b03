package as2_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/as2"
)

func FuzzParse(f *testing.F) {
	for _, dir := range []string{"valid", "invalid"} {
		for _, doc := range files(f, dir) {
			f.Add(doc)
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if _, err := as2.Parse(doc); err != nil {
			require.ErrorIs(t, err, plaza.ErrInvalid)
			return
		}
		requireRoundTrip(t, doc)
	})
}
