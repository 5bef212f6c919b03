package axe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func TestOnlyABadPageHasViolations(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/good": `<h1>A page</h1><img src="data:," alt="a dot"><button>Go</button>`,
		"/bad":  `<h1>A page</h1><img src="data:,"><button></button><p style="color: #eee; background: #fff">faint</p>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src data:; style-src 'unsafe-inline'")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,"><main>%s</main>`, pages[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	w := browsertest.New(t).Window(t)
	w.Open(server.URL + "/good")
	Check(t, w)
	w.Open(server.URL + "/bad")
	for options, want := range map[string][]string{
		`{}`: {"button-name", "color-contrast", "image-alt"}, `{ runOnly: ["color-contrast"] }`: {"color-contrast"},
	} {
		var rules []string
		for _, v := range violations(t, w, options) {
			rules = append(rules, v.ID)
		}
		require.ElementsMatch(t, want, rules)
	}
}
