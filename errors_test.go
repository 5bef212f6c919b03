package plaza_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	danmulive "github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/as2"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
	messagelive "github.com/plaza-sdk/plaza/notify/message/live"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
	"github.com/plaza-sdk/plaza/stream"
)

// exportedErrors are all sentinels and error types that any public package
// exports, by directory and name. A type has a value as its package makes it.
var exportedErrors = map[string]error{
	"plaza.ErrInvalid":        plaza.ErrInvalid,
	"plaza.ErrNotFound":       plaza.ErrNotFound,
	"plaza.ErrForbidden":      plaza.ErrForbidden,
	"plaza.ErrConflict":       plaza.ErrConflict,
	"plaza.ErrRemoved":        plaza.ErrRemoved,
	"plaza.ErrBusy":           plaza.ErrBusy,
	"plaza.ErrUnknownOutcome": plaza.ErrUnknownOutcome,
	"plaza.ErrUnavailable":    plaza.ErrUnavailable,
	"plaza.ErrTable":          plaza.ErrTable,
	"plaza.ErrCorrupt":        plaza.ErrCorrupt,
	"plaza.PartialError":      &plaza.PartialError{Errs: []error{fmt.Errorf("feed: publish: %w", plaza.ErrBusy)}},
	"plaza.InvalidError":      &plaza.InvalidError{},
	"plaza.CorruptError":      &plaza.CorruptError{},
	"plaza.ClockError":        &plaza.ClockError{},
	"plaza.OlderError":        &plaza.OlderError{},

	"cursor.ErrInvalid": cursor.ErrInvalid,
	"cursor.ErrExpired": cursor.ErrExpired,

	"ids.ErrInvalid":       ids.ErrInvalid,
	"ids.ErrClockRollback": ids.ErrClockRollback,
	"ids/lease.ErrLost":    lease.ErrLost,

	"feed.ErrFull":            feed.ErrFull,
	"feed.ErrPulled":          feed.ErrPulled,
	"feed.ErrTooManyPulled":   feed.ErrTooManyPulled,
	"feed/as2.ErrNotActivity": as2.ErrNotActivity,

	"leaderboard.ErrClosed":    leaderboard.ErrClosed,
	"leaderboard.ErrRetracted": leaderboard.ErrRetracted,
	"leaderboard.ErrOpTooOld":  leaderboard.ErrOpTooOld,

	"danmu.ErrInvalidID":       danmu.ErrInvalidID,
	"danmu.ErrTooLate":         danmu.ErrTooLate,
	"danmu.ErrBroken":          danmu.ErrBroken,
	"danmu/format.ErrBroken":   format.ErrBroken,
	"danmu/format.RecordError": &format.RecordError{Err: &plaza.InvalidError{}},
	"danmu/live.ErrClosed":     danmulive.ErrClosed,
	"live.ErrClosed":           live.ErrClosed,

	"notify/message.ErrBlocked":     message.ErrBlocked,
	"notify/message.ErrFull":        message.ErrFull,
	"notify/message.ErrNotMember":   message.ErrNotMember,
	"notify/message.ErrNotOwner":    message.ErrNotOwner,
	"notify/message/live.ErrClosed": messagelive.ErrClosed,
	"notify/prefs.ErrToken":         prefs.ErrToken,

	"ratelimit.ErrExceeded": ratelimit.ErrExceeded,
	"ratelimit.Error":       &ratelimit.Error{},

	"stream.ErrEnd":       stream.ErrEnd,
	"stream.ErrEvent":     stream.ErrEvent,
	"stream.ErrGap":       stream.ErrGap,
	"stream.ErrRecord":    stream.ErrRecord,
	"stream.ErrView":      stream.ErrView,
	"stream.ErrTruncated": stream.ErrTruncated,
	"stream.ErrTooLarge":  stream.ErrTooLarge,
	"stream.ErrHeld":      stream.ErrHeld,
	"stream.ErrOutcomes":  stream.ErrOutcomes,
}

func TestEveryExportedErrorIsListedHere(t *testing.T) {
	t.Parallel()
	require.Equal(t, declaredErrors(t), slices.Sorted(maps.Keys(exportedErrors)))
}

func TestEveryExportedErrorIsOfOneClass(t *testing.T) {
	t.Parallel()
	for name, err := range exportedErrors {
		wrapped := fmt.Errorf("follow: follow \"ann\": %w", err)
		var of []string
		for _, class := range classes() {
			if errors.Is(wrapped, exportedErrors["plaza."+class]) {
				of = append(of, class)
			}
		}
		require.Len(t, of, 1, "%s is %v", name, of)
	}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded} {
		for _, class := range classes() {
			require.NotErrorIs(t, err, exportedErrors["plaza."+class], "a context's error stays its own")
		}
	}
}

var statusLine = regexp.MustCompile(`(?m)^\t(Err.*?) {2,}(\d{3})`)

func TestThePackageCommentNamesTheStatusOfEveryClass(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "plaza.go", nil, parser.ParseComments)
	require.NoError(t, err)
	want, have := map[string]string{}, map[string]string{"ErrBusy, with a RetryAfter": "429"}
	for _, found := range statusLine.FindAllStringSubmatch(file.Doc.Text(), -1) {
		for name := range strings.SplitSeq(found[1], ", Err") {
			want["Err"+strings.TrimPrefix(name, "Err")] = found[2]
		}
	}
	for _, class := range classes() {
		status, _ := plaza.Status(exportedErrors["plaza."+class])
		have[class] = strconv.Itoa(status)
	}
	require.Equal(t, want, have)
}

// classes are the sentinels of package plaza.
func classes() []string {
	var names []string
	for name := range exportedErrors {
		if class, ok := strings.CutPrefix(name, "plaza.Err"); ok {
			names = append(names, "Err"+class)
		}
	}
	return names
}

// declaredErrors are what public packages declare, as exportedErrors names it.
func declaredErrors(t *testing.T) []string {
	t.Helper()
	return declared(t, errorsOf)
}

// declared reads the syntax of every public package, those of nested modules too, and
// returns the names that of finds in their files, after the package's directory.
func declared(t *testing.T, of func(*ast.File) []string) []string {
	t.Helper()
	var declared []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (slices.Contains([]string{"internal", "examples", "testdata"}, name) || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		prefix := filepath.ToSlash(filepath.Dir(path)) + "."
		if prefix == ".." {
			prefix = "plaza."
		}
		for _, name := range of(file) {
			declared = append(declared, prefix+name)
		}
		return nil
	})
	require.NoError(t, err)
	slices.Sort(declared)
	return declared
}

// errorsOf are the sentinels and error types that a file exports.
func errorsOf(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if group.Tok == token.VAR && name.IsExported() && strings.HasPrefix(name.Name, "Err") {
						names = append(names, name.Name)
					}
				}
			case *ast.TypeSpec:
				if spec.Name.IsExported() && strings.HasSuffix(spec.Name.Name, "Error") {
					names = append(names, spec.Name.Name)
				}
			}
		}
	}
	return names
}
