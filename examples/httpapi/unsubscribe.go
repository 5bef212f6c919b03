package main

import (
	"bytes"
	"context"
	_ "embed" // the page
	"errors"
	"html/template"
	"net/http"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

//go:embed unsubscribe.html
var unsubscribeHTML string

const maxForm = 4 << 10 // bytes

// leaving is the page of a link that unsubscribes.
type leaving struct {
	Title, Text string
	Ask         bool // has the button
}

// askToUnsubscribe answers whoever follows the link. It changes nothing, because filters
// of mail follow links too.
func (a *api) askToUnsubscribe(w http.ResponseWriter, r *http.Request) {
	a.showLeaving(w, r, http.StatusOK, leaving{Title: "Unsubscribe", Text: "No more mails of this kind?", Ask: true})
}

// unsubscribe is the one click of RFC 8058, made by a mail program or by the page's
// button. Whoever has the link may do it: its token is signed.
func (a *api) unsubscribe(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.PostFormValue("List-Unsubscribe") != "One-Click" {
		a.refuse(w, r, &guard.RefusedError{Status: http.StatusBadRequest, Field: "body", Reason: "is not List-Unsubscribe=One-Click"})
		return
	}
	_, _, err := a.prefs.Unsubscribe(ctx, r.PathValue("token"))
	switch {
	case errors.Is(err, prefs.ErrToken):
		a.showLeaving(w, r, http.StatusBadRequest, leaving{Title: "This link is not valid", Text: "Open it from the mail once more, or change your preferences."})
	case err != nil:
		a.refuse(w, r, err)
	default:
		a.showLeaving(w, r, http.StatusOK, leaving{Title: "Unsubscribed", Text: "You will get no more mails of this kind."})
	}
}

func (a *api) showLeaving(w http.ResponseWriter, r *http.Request, status int, shown leaving) {
	var page bytes.Buffer
	if err := a.leaving.Execute(&page, shown); err != nil {
		a.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // fails if the client is gone
}

// leavingPage is embedded, so it can be parsed.
func leavingPage() *template.Template {
	return template.Must(template.New("unsubscribe").Parse(unsubscribeHTML))
}
