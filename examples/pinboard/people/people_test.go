package people

import (
	"regexp"
	"slices"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEverybodyHasAnIDANameABioAndAPlace(t *testing.T) {
	everybody := All()
	require.Len(t, everybody, 200)
	id := regexp.MustCompile(`^[a-z0-9-]+$`)
	names, bios, chinese := map[string]bool{}, map[string]bool{}, 0
	for _, p := range everybody {
		assert.Regexp(t, id, p.ID)
		assert.NotEmpty(t, p.Name)
		assert.NotEmpty(t, p.Place)
		assert.Greater(t, len(p.Bio), 10)
		assert.False(t, names[p.Name], p.Name)
		assert.False(t, bios[p.Bio], p.Bio)
		names[p.Name], bios[p.Bio] = true, true
		if unicode.Is(unicode.Han, []rune(p.Name)[0]) {
			chinese++
		}
	}
	assert.GreaterOrEqual(t, chinese, 10)
	ids := make([]string, len(everybody))
	for i, p := range everybody {
		ids[i] = p.ID
	}
	assert.True(t, slices.IsSorted(ids))
	assert.Len(t, slices.Compact(ids), len(everybody))
}

func TestThePeopleOfTheToursExist(t *testing.T) {
	for _, id := range []string{"ann", "eric", "chris", "lin", "mia"} {
		p, ok := Get(id)
		assert.True(t, ok, id)
		assert.Equal(t, id, p.ID)
	}
	_, ok := Get("nobody")
	assert.False(t, ok)
	assert.True(t, Moderator("mia"))
	assert.False(t, Moderator("ann"))
}

func TestACallersChangesAffectNobodyElse(t *testing.T) {
	All()[0].Name = "changed"
	assert.NotEqual(t, "changed", All()[0].Name)
}
