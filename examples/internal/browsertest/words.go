package browsertest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var dictionary = regexp.MustCompile(`\bwords\(\{`)

// CheckWords fails if the dictionary of a script, words({ en: …, zh: … }), does not have
// each word in both languages, with the same arguments.
func CheckWords(t *testing.T, w Window, files fs.FS) {
	t.Helper()
	found := 0
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		for _, at := range dictionary.FindAllIndex(text, -1) {
			found++
			flaws := Eval[[]string](w, fmt.Sprintf(`(({ en, zh }) => [...new Set([...Object.keys(en), ...Object.keys(zh)])].filter((name) =>
				typeof en[name] !== typeof zh[name] || en[name]?.length === undefined && JSON.stringify(Object.keys(en[name])) !== JSON.stringify(Object.keys(zh[name])) ||
				(typeof en[name] === "function" || Array.isArray(en[name])) && en[name].length !== zh[name].length))(%s)`, block(string(text[at[1]-1:]))))
			assert.Empty(t, flaws, name)
		}
		return nil
	})
	require.NoError(t, err)
	require.Positive(t, found)
}

// block returns a text up to where its first brace is closed.
func block(text string) string {
	depth := 0
	end := strings.IndexFunc(text, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth == 0
	})
	return text[:end+1]
}

// Latin starts to note every word in Latin letters that the page shows or says, now or
// later, outside some selectors. It returns an expression for those that are not allowed.
func Latin(w Window, outside string, allowed ...string) string {
	w.t.Helper()
	w.Do(fmt.Sprintf(`{
		const seen = window.latin = new Set();
		const note = (e, text) => {
			if (e?.closest(%[1]q)) return;
			for (const [word] of (text ?? "").matchAll(/\p{Script=Latin}{2,}/gu)) if (!%[2]s.includes(word)) seen.add(word + " in " + text.trim());
		};
		const look = (node) => {
			if (node.nodeType === Node.TEXT_NODE) note(node.parentElement, node.data);
			if (node.nodeType !== Node.ELEMENT_NODE || node.matches("script, style")) return;
			for (const name of ["aria-label", "aria-valuetext", "title", "placeholder", "alt"]) note(node, node.getAttribute(name));
			node.childNodes.forEach(look);
			if (node.shadowRoot) watch(node.shadowRoot);
		};
		const watch = (root) => {
			root.childNodes.forEach(look);
			new MutationObserver((all) => {
				for (const m of all) if (m.type === "childList") m.addedNodes.forEach(look); else look(m.target);
			}).observe(root, { childList: true, subtree: true, characterData: true, attributes: true });
		};
		watch(document.documentElement);
	}`, outside, list(allowed)))
	return `[...window.latin]`
}

func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
