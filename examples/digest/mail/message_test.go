package mail_test

import (
	"fmt"
	"strings"
	"testing"

	netmail "net/mail"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/digest/internal/sendertest"
	"github.com/plaza-sdk/plaza/examples/digest/mail"
)

func TestADigestIsAMailWithTextAndHTML(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	m := w.sent(t, today)
	require.Equal(t, "digest@plaza.test", m.From)
	require.Equal(t, "ann@example.test", m.To)
	require.True(t, m.Secured)
	for name, want := range map[string]string{
		"From":                  `"Plaza" <digest@plaza.test>`,
		"To":                    `"Ann" <ann@example.test>`,
		"Subject":               "2 things happened",
		"Date":                  "Sat, 21 Nov 2026 12:00:00 +0000",
		"List-Unsubscribe":      "<https://plaza.test/unsubscribe/t0ken>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
		"List-Id":               "<digest.plaza.test>",
		"Auto-Submitted":        "auto-generated",
		"Mime-Version":          "1.0",
		"X-Mailer":              "",
	} {
		require.Equal(t, want, m.header.Get(name), name)
	}
	require.Regexp(t, `^<[0-9a-f]{32}@plaza\.test>$`, m.header.Get("Message-Id"))
	require.Equal(t, `2 things happened

- bob likes your picture 10
  https://plaza.test/pictures/10

- eve follows you

-- 
Unsubscribe: https://plaza.test/unsubscribe/t0ken
`, m.text)
	for _, want := range []string{
		`<html lang="en">`, `<a href="https://plaza.test/pictures/10">bob likes your picture 10</a>`,
		`<li dir="auto">eve follows you</li>`, `<a href="https://plaza.test/unsubscribe/t0ken">Unsubscribe</a>`,
	} {
		require.Contains(t, m.html, want)
	}
}

func TestARepeatHasTheSameMessageIDAndAnotherDigestHasAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	for _, key := range []string{today.Key, today.Key, "ann/email/2"} {
		d := today
		d.Key = key
		require.NoError(t, w.sender.Send(t.Context(), d))
	}
	mails := w.Mails()
	require.Len(t, mails, 3)
	id := func(i int) string { return parse(t, mails[i]).header.Get("Message-Id") }
	require.Equal(t, id(0), id(1))
	require.NotEqual(t, id(0), id(2))
}

func TestSubjectsAndNamesAreInAnyLanguage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Zwölf Dinge, während du schliefst", "你睡觉时发生的事", "ما حدث أثناء نومك", "寝ている間に起きたこと 🐦",
		strings.Repeat("长", 150), strings.Repeat("é ", 75),
	} {
		w := newWorld(t, nil, nil)
		text = strings.TrimSpace(text)
		w.letter.Subject = text
		w.address.Name = strings.TrimSpace(string([]rune(text)[:min(40, len([]rune(text)))]))
		w.letter.Lines = []mail.Line{{text, ""}}
		m := w.sent(t, today)
		require.Equal(t, text, m.subject(t))
		to, err := m.header.AddressList("To")
		require.NoError(t, err)
		require.Equal(t, w.address.Name, to[0].Name)
		require.Contains(t, m.text, text)
		require.Contains(t, m.html, text)
	}
}

func TestUsersTextIsNeverMarkup(t *testing.T) {
	t.Parallel()
	const header = "\r\nBcc: mallory@evil.test\r\nX-Injected: 1\r\n\r\n"
	for _, text := range []string{
		"x" + header + "y", "x\nBcc: mallory@evil.test", "x\rBcc: mallory@evil.test", "x\u2028Bcc: m@evil.test", "x\x00\x1b[31my",
		`<script>alert(1)</script><img src=x onerror=alert(1)>`, `"><a href="https://evil.test">`, "{{.Unsubscribe}}",
		"\r\n.\r\nQUIT\r\n", ".", "x\r\n--\r\nUnsubscribe: https://evil.test/", "\u202eevil\u2066", "a\xffb", `"quoted" <mallory@evil.test>`,
		"=?utf-8?q?=E2=80=AEevil=0D=0ABcc:_mallory@evil.test?=",
		strings.Repeat("x", 5000), strings.Repeat("x ", 5000), strings.Repeat("长", 5000),
	} {
		w := newWorld(t, nil, nil)
		w.address.Name, w.letter.Subject, w.letter.Unsubscribe, w.letter.Lang = text, text, text, text
		w.letter.Lines = []mail.Line{{text, "https://plaza.test/" + text}, {text, text}, {text, "javascript:alert(1)"}, {text, "https://me:secret@evil.test/"}}
		m := w.sent(t, today)
		require.Equal(t, "ann@example.test", m.To)
		to, err := m.header.AddressList("To")
		require.NoError(t, err)
		require.Len(t, to, 1)
		require.Equal(t, "ann@example.test", to[0].Address)
		require.Len(t, m.header, 11, "%v", m.header)
		for _, injected := range []string{"Bcc", "X-Injected"} {
			require.NotContains(t, m.header, injected)
		}
		for _, shown := range []string{m.subject(t), to[0].Name, m.text} {
			require.NotContains(t, strings.ReplaceAll(shown, "\n", ""), "\x1b")
			require.NotContains(t, shown, "\u202e")
			require.NotContains(t, shown, "\r")
		}
		require.LessOrEqual(t, len([]rune(m.subject(t))), 150)
		require.NotContains(t, m.subject(t), "\n")
		require.Equal(t, 1, strings.Count(m.text, "\n-- \n"))
		for _, tag := range []string{"<script", "<img", "javascript:", "secret@", `<a href="https://evil.test`} {
			require.NotContains(t, m.html, tag)
		}
		require.NotRegexp(t, "javascript:|secret@", m.text)
	}
}

func TestAnInvalidAddressGetsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	for _, address := range []string{
		"", "ann", "ann@", "ann@example.test\r\nRCPT TO:<eve@example.test>", "ann@example.test>\r\nDATA", "Ann <ann@example.test>",
		"ann@example.test, eve@example.test", " ann@example.test", strings.Repeat("a", 250) + "@example.test", "ann@exam ple.test",
		"ann@example.test SIZE=1", "ann\x00@example.test", "ann@[127.0.0.1\r\n]",
	} {
		w.address = netmail.Address{Name: "Ann", Address: address}
		err := w.sender.Send(t.Context(), today)
		invalid(t, err, "Address")
		require.True(t, sendertest.Permanent(err), address)
	}
	require.Empty(t, w.Mails())
}

func TestATokenThatMakesNoLinkIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	d := today
	d.Unsubscribe = strings.Repeat("x", 1000)
	err := w.sender.Send(t.Context(), d)
	invalid(t, err, "Unsubscribe")
	require.True(t, sendertest.Permanent(err))

	d.Unsubscribe = strings.Repeat("x", 800)
	require.Equal(t, fmt.Sprintf("<https://plaza.test/unsubscribe/%s>", d.Unsubscribe), w.sent(t, d).header.Get("List-Unsubscribe"))
}

// Users cannot unsubscribe from critical notifications.
func TestWithoutATokenThereIsNoLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	d := today
	d.Unsubscribe = ""
	m := w.sent(t, d)
	require.NotContains(t, m.header, "List-Unsubscribe")
	require.NotContains(t, m.text, "Unsubscribe")
	require.NotContains(t, m.html, "Unsubscribe")
}
