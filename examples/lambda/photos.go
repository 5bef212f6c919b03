// Command lambda is photo sharing in one file, on this machine or on Lambda: people follow
// each other, post photos, like them and comment on them, and a board has the most liked of
// the week. Copy the file for a small service, and template.yaml to deploy one.
//
//	go run ./examples/lambda
//	curl -X PUT -H 'User: ben' -d '{"data":{"title":"Sea"}}' http://127.0.0.1:8080/photos/sea
//
// Here the header User is believed: it is for trying only. On Lambda the JWT authorizer of an HTTP
// API names the user, and JOB says which of the two functions the program is.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/akrylysov/algnhsa"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/like"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/plazalog"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	run := serve
	if os.Getenv("AWS_LAMBDA_FUNCTION_NAME") != "" {
		run = serveLambda
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	env, err := plazatest.Open(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	s, err := open(env.DB, env.Tables, nil, nil, nil)
	if err == nil {
		err = s.define(ctx)
	}
	if err != nil {
		return err
	}
	go func() { _ = s.Run(ctx) }() // until ctx ends
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: s.handler(header), ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveLambda is the function api, or the function deliver, which a schedule invokes.
func serveLambda(ctx context.Context) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	db, names := dynamo.New(cfg), tables.NamesOf(os.Getenv("PREFIX"))
	sealed, err := codec(os.Getenv("CURSOR_SECRET"))
	if err != nil {
		return err
	}
	s, err := open(db, names, nil, sealed, nil)
	if err != nil {
		return err
	}
	switch job := os.Getenv("JOB"); job {
	case "api":
		if err := s.define(ctx); err != nil {
			return err
		}
		algnhsa.ListenAndServe(s.handler(claim), nil)
	case "deliver":
		lambda.Start(s.deliver)
	default:
		return fmt.Errorf("JOB is %q, neither api nor deliver", job)
	}
	return nil
}

// codec seals cursors, so that nobody makes one up.
func codec(secret string) (cursor.Codec, error) {
	const least = 32
	if len(secret) < least {
		return nil, fmt.Errorf("CURSOR_SECRET has less than %d bytes", least)
	}
	key := sha256.Sum256([]byte(secret))
	return cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: key[:]}})
}

// margin is the time that a delivery has to store how far it came.
const margin = 5 * time.Second

// deliver brings activities to the followers whom Publish did not reach, until nothing is
// left or the function's time is up. The rest, and what failed, waits for the next event.
func (s *service) deliver(ctx context.Context) error {
	if end, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, end.Add(-margin))
		defer stop()
	}
	for {
		n, err := s.Deliver(ctx)
		switch {
		case ctx.Err() != nil, err == nil && n == 0:
			return nil
		case err != nil:
			return err
		}
	}
}

func header(r *http.Request) string { return r.Header.Get("User") }

func claim(r *http.Request) string {
	event, _ := algnhsa.APIGatewayV2RequestFromContext(r.Context())
	if who := event.RequestContext.Authorizer; who != nil && who.JWT != nil {
		return who.JWT.Claims["sub"]
	}
	return ""
}

const (
	heart   = "like"  // the kind of reaction
	week    = "week"  // the board
	maxBody = 8 << 10 // so that a page of photos stays below the 6 MB that Lambda may answer
)

type service struct {
	*kit.Kit
	likes *like.Likes
}

// open leases the machine number of ids if gen is nil.
func open(db *dynamo.DB, in tables.Names, gen ids.Source, c cursor.Codec, now func() time.Time) (*service, error) {
	failures := plazalog.New(slog.Default())
	k, err := kit.New(db, gen, &kit.Options{
		Names: in, Features: []kit.Feature{kit.Follow, kit.Feed, kit.Comment, kit.Reaction, kit.Leaderboard},
		Codec: c, Now: now, OnAttempt: failures.Attempt, OnCorrupt: failures.Corrupt,
		// Between two events Lambda freezes the process, and with it what would renew the number.
		Lease: lease.Options{Renew: -1},
	})
	if err != nil {
		return nil, err
	}
	likes, err := like.New(k.Reactions, k.Boards, k.Bell, &like.Options{Point: point})
	return &service{k, likes}, err
}

// point is what a like gives to its photo this week.
func point(_ context.Context, a reaction.Reaction) (leaderboard.Submission, bool, error) {
	return leaderboard.Submission{Board: week, Player: a.Object, Score: leaderboard.Int(1)}, true, nil
}

// define makes the board, unless it is there.
func (s *service) define(ctx context.Context) error {
	zero := leaderboard.Int(0)
	_, err := s.Boards.Define(ctx, leaderboard.Board{Name: week, Operator: leaderboard.Increment, Above: &zero, Cron: "@weekly"})
	return err
}

// request is what a user asks for.
type request struct {
	*http.Request
	user  string
	photo string // the name of the photo in the path
	page  cursor.PageRequest
	body  struct {
		Data json.RawMessage // of a photo
		Text string          // of a comment
	}
}

// handler serves the users whom who names.
func (s *service) handler(who func(*http.Request) string) http.Handler {
	mux := http.NewServeMux()
	for route, f := range map[string]func(context.Context, request) (any, error){
		"PUT /following/{user}":                   s.follow,
		"GET /home":                               s.home,
		"PUT /photos/{key}":                       s.post,
		"PUT /photos/{owner}/{id}/like":           s.like,
		"DELETE /photos/{owner}/{id}/like":        s.unlike,
		"PUT /photos/{owner}/{id}/comments/{key}": s.comment,
		"GET /photos/{owner}/{id}/comments":       s.thread,
		"GET /board":                              s.board,
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			status, answer := http.StatusOK, any(nil)
			in, err := s.read(r, who(r))
			if err == nil {
				answer, err = f(r.Context(), in)
			}
			if err != nil {
				status = statusOf(err)
				answer = map[string]string{"error": http.StatusText(status)}
			}
			if status >= http.StatusInternalServerError {
				slog.ErrorContext(r.Context(), "no answer", "route", route, "error", err)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(answer) // the client has gone
		})
	}
	return mux
}

// read returns plaza.ErrNotFound if the path names a photo that nobody posted.
func (s *service) read(r *http.Request, user string) (request, error) {
	in := request{Request: r, user: user}
	if user == "" {
		return in, errNobody
	}
	var err error
	if in.page, err = cursor.ParseQuery(r.URL.Query(), nil); err != nil {
		return in, err
	}
	if err := json.NewDecoder(r.Body).Decode(&in.body); err != nil && !errors.Is(err, io.EOF) {
		return in, &plaza.InvalidError{Field: "body", Reason: "is not the JSON of a request"}
	}
	if r.PathValue("id") == "" {
		return in, nil
	}
	id, err := ids.Parse(r.PathValue("id"))
	if err != nil {
		return in, err
	}
	posted, err := s.Feeds.Outbox(r.PathValue("owner")).Get(r.Context(), id)
	in.photo = nameOf(posted)
	return in, err
}

var errNobody = errors.New("photos: nobody is logged in")

func statusOf(err error) int {
	if errors.Is(err, errNobody) {
		return http.StatusUnauthorized
	}
	status, _ := plaza.Status(err)
	return status
}

func (s *service) follow(ctx context.Context, r request) (any, error) {
	return s.Feeds.Home(r.user).Follow(ctx, r.PathValue("user"), nil)
}

// post posts a photo once, however often it comes with the same key.
func (s *service) post(ctx context.Context, r request) (any, error) {
	posted, _, err := s.Feeds.Outbox(r.user).Publish(ctx, feed.Activity{
		Actor: feed.Ref{ID: r.user}, Verb: "post", ForeignID: r.PathValue("key"), Data: r.body.Data,
	})
	return posted, err
}

// photo is what a viewer sees at /photos/{actor}/{id}.
type photo struct {
	feed.Activity
	Likes    int64 `json:"likes"`
	Comments int64 `json:"comments"`
	Liked    bool  `json:"liked"` // by the viewer
}

func nameOf(a feed.Activity) string { return a.Owner + "/" + a.ID.String() }

func (s *service) home(ctx context.Context, r request) (any, error) {
	found, err := s.Feeds.Home(r.user).List(ctx, r.page)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found.Items))
	for i, a := range found.Items {
		names[i] = nameOf(a)
	}
	likes, err1 := s.Reactions.CountsMany(ctx, names)
	comments, err2 := s.Comments.CountsMany(ctx, names)
	mine, err3 := s.Reactions.Reacted(ctx, r.user, names)
	photos := make([]photo, len(names))
	for i, name := range names {
		photos[i] = photo{found.Items[i], likes[name][heart], comments[name].All, len(mine[name]) > 0}
	}
	return cursor.Page[photo]{Items: photos, Next: found.Next, Prev: found.Prev}, errors.Join(err1, err2, err3)
}

func (s *service) like(ctx context.Context, r request) (any, error) {
	_, changed, err := s.likes.React(ctx, reaction.Reaction{User: r.user, Object: r.photo, Kind: heart})
	return changed, err
}

func (s *service) unlike(ctx context.Context, r request) (any, error) {
	return s.likes.Unreact(ctx, reaction.Reaction{User: r.user, Object: r.photo, Kind: heart})
}

func (s *service) comment(ctx context.Context, r request) (any, error) {
	added, _, err := s.Comments.Add(ctx, comment.Comment{Object: r.photo, User: r.user, Key: r.PathValue("key"), Text: r.body.Text})
	return added, err
}

func (s *service) thread(ctx context.Context, r request) (any, error) {
	return s.Comments.ByObject(ctx, r.photo, r.page, nil)
}

func (s *service) board(ctx context.Context, r request) (any, error) {
	return s.Boards.Top(ctx, leaderboard.In{Board: week}, r.page)
}
