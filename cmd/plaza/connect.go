package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
	"golang.org/x/time/rate"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/tables"
)

// naming says which tables there are.
type naming struct {
	Prefix string            `default:"plaza-" env:"PLAZA_PREFIX" help:"The prefix of all table names: ${default} by default."`
	Table  map[string]string `placeholder:"FEATURE=NAME" env:"PLAZA_TABLE" help:"The name of a table, if it is not the prefix followed by the feature. May be repeated."`
	Only   []string          `placeholder:"FEATURE" env:"PLAZA_ONLY" help:"The features that you use: machines, follow, feed, comment, reaction, leaderboard, danmu, notify, message, pollers, letters. All by default."`
}

var tableName = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

func (n naming) names() (tables.Names, error) {
	names := tables.NamesOf(n.Prefix)
	fields := map[string]*string{
		"machines": &names.Machines, "follow": &names.Follow, "feed": &names.Feed, "comment": &names.Comment,
		"reaction": &names.Reaction, "leaderboard": &names.Leaderboard, "danmu": &names.Danmu, "notify": &names.Notify,
		"message": &names.Message, "pollers": &names.Pollers, "letters": &names.Letters,
	}
	for _, feature := range slices.Concat(n.Only, slices.Sorted(maps.Keys(n.Table))) {
		if fields[feature] == nil {
			return tables.Names{}, usagef("there is no feature %q: there are %s", feature, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		}
	}
	for feature, field := range fields {
		if name, given := n.Table[feature]; given {
			*field = name
		}
		if len(n.Only) > 0 && !slices.Contains(n.Only, feature) {
			*field = ""
		} else if !tableName.MatchString(*field) {
			return tables.Names{}, usagef("%q is no table's name: 3 to 255 of a-z, A-Z, 0-9, _ . -", *field)
		}
	}
	return names, nil
}

// connecting says how to reach the tables.
type connecting struct {
	naming
	Endpoint string  `placeholder:"URL" env:"DYNAMODB_ENDPOINT" help:"The URL of another DynamoDB than the region's, such as DynamoDB Local."`
	Rate     float64 `default:"100" placeholder:"N" help:"The most requests a second: ${default} by default, 0 is no limit."`
}

// site is where a command works.
type site struct {
	names    tables.Names
	prefix   string // of the tables that have no name
	client   *dynamodb.Client
	db       *dynamo.DB
	requests *atomic.Int64 // sent so far
	page     int           // how many items are read at once

	// corrupt is called with each damaged item that an answer leaves out.
	corrupt func(*plaza.CorruptError)
}

// connect does no I/O but reading the SDK's configuration.
func (c connecting) connect(ctx context.Context, p *program) (*site, error) {
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	if c.Rate < 0 {
		return nil, usagef("--rate is negative")
	}
	cfg, err := p.config(ctx)
	if err != nil {
		return nil, err
	}
	limit := rate.Inf
	if c.Rate > 0 {
		limit = rate.Limit(c.Rate)
	}
	s := &site{names: names, prefix: c.Prefix, requests: new(atomic.Int64), page: cursor.MaxLimit}
	if p.page > 0 {
		s.page = p.page
	}
	s.client = dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
			o.DisableValidateResponseChecksum = true // DynamoDB Local sends wrong checksums with errors
		}
		var next aws.HTTPClient = http.DefaultClient
		if o.HTTPClient != nil {
			next = o.HTTPClient
		}
		if p.wrap != nil {
			next = p.wrap(next)
		}
		o.HTTPClient = &limited{next: next, limiter: rate.NewLimiter(limit, max(1, int(c.Rate/10))), sent: s.requests}
	})
	s.db = dynamo.NewFromIface(s.client)
	return s, nil
}

// limited sends requests no faster than a rate, and counts them.
type limited struct {
	next    aws.HTTPClient
	limiter *rate.Limiter
	sent    *atomic.Int64
}

func (l *limited) Do(r *http.Request) (*http.Response, error) {
	if err := l.limiter.Wait(r.Context()); err != nil {
		return nil, err
	}
	l.sent.Add(1)
	return l.next.Do(r)
}

// minting says where the ids of writes come from.
type minting struct {
	Machine *uint16 `placeholder:"N" help:"A machine number that no other process has, for ids. By default one is leased from the table of machines."`
}

var errNoMachines = usagef("use the feature machines too, or give a number with --machine: some steps make ids")

// source returns a source of ids and what gives its machine number back.
func (m minting) source(s *site) (gen ids.Source, done func(), err error) {
	if m.Machine != nil {
		g, err := ids.New(*m.Machine, nil)
		return g, func() {}, err
	}
	if s.names.Machines == "" {
		return nil, nil, errNoMachines
	}
	g, err := lease.NewSource(s.db, s.names.Machines, nil)
	if err != nil {
		return nil, nil, err
	}
	return g, func() { release(g.Close) }, nil
}

// release gives a machine number back. This must work after Ctrl-C too. If it fails, the
// number is free after a minute.
func release(closing func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = closing(ctx)
}

// noIDs is the source of ids of commands that only read.
type noIDs struct{}

var errNoIDs = fmt.Errorf("no machine number: %w", plaza.ErrUnavailable)

// Next returns an error.
func (noIDs) Next(context.Context) (ids.ID, error) { return 0, errNoIDs }
