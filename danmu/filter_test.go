package danmu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

func TestFilterBlocksByAnyRule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules   danmu.FilterRules
		blocked danmu.Comment
		passes  danmu.Comment
	}{
		"a word inside the text": {
			danmu.FilterRules{Words: []string{"剧透"}}, danmu.Comment{Text: "前方剧透注意"}, danmu.Comment{Text: "前方高能"},
		},
		"a word in another case": {
			danmu.FilterRules{Words: []string{"SpoilÉr"}}, danmu.Comment{Text: "a SPOILéR!"}, danmu.Comment{Text: "spoil"},
		},
		"one of many words": {
			danmu.FilterRules{Words: []string{"a", "b", "c"}}, danmu.Comment{Text: "xcx"}, danmu.Comment{Text: "xyz"},
		},
		"a word is no pattern": {
			danmu.FilterRules{Words: []string{"2.3"}}, danmu.Comment{Text: "12.34"}, danmu.Comment{Text: "2333"},
		},
		"a pattern": {
			danmu.FilterRules{Patterns: []string{`^2{1,2}3+$`, `^6+$`}}, danmu.Comment{Text: "23333"}, danmu.Comment{Text: "2333!"},
		},
		"the last of the patterns": {
			danmu.FilterRules{Patterns: []string{`^2+$`, `^6+$`}}, danmu.Comment{Text: "666"}, danmu.Comment{Text: "666!"},
		},
		"a pattern that tells cases apart": {
			danmu.FilterRules{Patterns: []string{"Ab"}}, danmu.Comment{Text: "xAbx"}, danmu.Comment{Text: "xabx"},
		},
		"a user": {
			danmu.FilterRules{Users: []string{"jack"}}, danmu.Comment{User: "jack"}, danmu.Comment{User: "Jack"},
		},
		"a mode": {
			danmu.FilterRules{Modes: []danmu.Mode{danmu.Top, danmu.Code}}, danmu.Comment{Mode: danmu.Code}, danmu.Comment{Mode: danmu.Scroll},
		},
		"a colour": {
			danmu.FilterRules{Colors: []danmu.Color{danmu.RGB(0)}}, danmu.Comment{Color: danmu.RGB(0)}, danmu.Comment{},
		},
		"no colour": {
			danmu.FilterRules{Colors: []danmu.Color{0}}, danmu.Comment{}, danmu.Comment{Color: danmu.RGB(0)},
		},
	} {
		f, err := danmu.NewFilter(c.rules)
		require.NoError(t, err, name)
		require.True(t, f.Blocks(c.blocked), name)
		require.False(t, f.Blocks(c.passes), name)
	}
}

func TestNoFilterBlocksNothing(t *testing.T) {
	t.Parallel()
	empty, err := danmu.NewFilter(danmu.FilterRules{})
	require.NoError(t, err)
	for _, f := range []*danmu.Filter{nil, empty} {
		require.False(t, f.Blocks(danmu.Comment{}))
		require.False(t, f.Blocks(danmu.Comment{Text: "a", User: "jack", Mode: danmu.Top, Color: danmu.RGB(0)}))
	}
}

func TestInvalidRulesNameTheField(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1025)
	for name, rules := range map[string]danmu.FilterRules{
		"Words[1]":    {Words: []string{"a", ""}},
		"Words[0]":    {Words: []string{long}},
		"Words[2]":    {Words: []string{"a", "b", "\xff"}},
		"Patterns[1]": {Patterns: []string{"a", "secret("}},
		"Patterns[0]": {Patterns: []string{""}},
		"Patterns[2]": {Patterns: []string{"a", "b", long}},
		"Users[1]":    {Users: []string{"jack", ""}},
		"Words":       {Words: make([]string, 1001)},
		"Patterns":    {Patterns: make([]string, 1001)},
		"Users":       {Users: make([]string, 1001)},
		"Modes":       {Modes: make([]danmu.Mode, 1001)},
		"Colors":      {Colors: make([]danmu.Color, 1001)},
	} {
		f, err := danmu.NewFilter(rules)
		require.Nil(t, f)
		require.Equal(t, name, field(t, err))
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := danmu.NewFilter(danmu.FilterRules{Words: many(1000), Patterns: many(1000), Users: many(1000)})
	require.NoError(t, err)
}

func many(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	return texts
}
