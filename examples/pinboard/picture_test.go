package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

func TestPictureIDsAreReadStrictly(t *testing.T) {
	t.Parallel()
	id, err := ids.Parse("0E2M8GR3TC07V")
	require.NoError(t, err)
	p, err := parsePicture("ann-marie2.0E2M8GR3TC07V")
	require.NoError(t, err)
	require.Equal(t, pictureID{"ann-marie2", id}, p)
	require.Equal(t, "ann-marie2.0E2M8GR3TC07V", p.String())
	require.Equal(t, "picture:ann-marie2.0E2M8GR3TC07V", p.ref().String())
	for _, text := range []string{
		"", ".", "ann", "ann.", ".0E2M8GR3TC07V", "ann.0e2m8gr3tc07v", "ann.0E2M8GR3TC07", "ann.0E2M8GR3TC07V.", "ann..0E2M8GR3TC07V",
		"Ann.0E2M8GR3TC07V", "a/b.0E2M8GR3TC07V", "board:ann.0E2M8GR3TC07V", "ann.0000000000000", "ann.80000000000000", " ann.0E2M8GR3TC07V",
		"ann.0E2M8GR3TC07V\x00", "é.0E2M8GR3TC07V",
	} {
		_, err := parsePicture(text)
		require.ErrorIs(t, err, plaza.ErrInvalid, "%q", text)
	}
}
