package mail

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the parts
	"encoding/hex"
	"fmt"
	htmltemplate "html/template"
	"net/mail"
	"net/url"
	"strings"
	texttemplate "text/template"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// What fits, in characters; links in bytes, because a header's line ends at 998.
const (
	maxName    = 100
	maxSubject = 150
	maxLine    = 500
	maxLink    = 900
	maxAddress = 254 // bytes, as in RFC 5321
)

//go:embed mail.html
var htmlText string

//go:embed mail.txt
var plainText string

// Both are embedded, so they can be parsed.

func htmlPart() *htmltemplate.Template {
	return htmltemplate.Must(htmltemplate.New("html").Parse(htmlText))
}

func textPart() *texttemplate.Template {
	return texttemplate.Must(texttemplate.New("text").Parse(plainText))
}

// message composes the mail.
func (s *Sender) message(to mail.Address, l Letter, d digest.Digest) (*gomail.Msg, error) {
	shown := struct {
		Letter
		Leave string // the link
	}{Letter: Letter{Lang: clean(l.Lang, maxName), Subject: clean(l.Subject, maxSubject), Unsubscribe: clean(l.Unsubscribe, maxSubject)}}
	for _, line := range l.Lines {
		shown.Lines = append(shown.Lines, Line{clean(line.Text, maxLine), link(line.Link)})
	}

	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&mail.Address{Name: s.from.Name, Address: s.from.Address})
	m.ToMailAddress(&mail.Address{Name: header(to.Name, maxName), Address: to.Address})
	m.Subject(header(l.Subject, maxSubject))
	m.SetMessageIDWithValue(s.messageID(d.Key))
	m.SetDateWithValue(s.opts.Now())
	m.SetGenHeader("List-Id", "<"+s.opts.ListID+">")
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	if d.Unsubscribe != "" {
		shown.Leave = s.unsubscribe.JoinPath(d.Unsubscribe).String()
		if len(shown.Leave) > maxLink {
			return nil, digest.Permanent(&plaza.InvalidError{Field: "Unsubscribe", Reason: fmt.Sprintf("makes a link longer than %d bytes", maxLink)})
		}
		if err := m.SetListUnsubscribeOneClick(shown.Leave); err != nil {
			return nil, err
		}
	}
	var text, html bytes.Buffer
	if err := s.text.Execute(&text, shown); err != nil {
		return nil, err
	}
	if err := s.html.Execute(&html, shown); err != nil {
		return nil, err
	}
	m.SetBodyString(gomail.TypeTextPlain, text.String())
	m.AddAlternativeString(gomail.TypeTextHTML, html.String())
	return m, nil
}

// messageID is the same in every attempt. It is a hash, because a key may contain any
// characters.
func (s *Sender) messageID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16]) + "@" + s.domain
}

func checkAddress(field, address string) error {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || len(address) > maxAddress {
		return &plaza.InvalidError{Field: field, Reason: "is not the address of a mailbox"}
	}
	return nil
}

// clean puts a text on one line of at most n characters. It removes control characters,
// including those that change the direction of the text around them.
func clean(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// header cleans a text, and breaks up encoded words, which a mail program would decode.
func header(text string, n int) string {
	return strings.ReplaceAll(clean(text, n), "=?", "= ?")
}

// link returns an https URL, or nothing.
func link(text string) string {
	u, err := url.Parse(text)
	if err != nil || !secure(u) || len(u.String()) > maxLink {
		return ""
	}
	return u.String()
}

func secure(u *url.URL) bool { return u.Scheme == "https" && u.Host != "" && u.User == nil }
