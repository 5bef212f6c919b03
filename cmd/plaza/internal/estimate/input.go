package estimate

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/plaza-sdk/plaza"
)

// Input is what the users of a service do, and how the service is configured. Its tags
// make the flags of the command. Followers, likes, comments, visits and notifications
// are spread over the users by Zipf's law, and danmu and views over the videos.
type Input struct {
	Users   int64   `json:"users" group:"Users" default:"1000000" min:"2" max:"1e12" help:"People who use the service on a day."`
	Follows float64 `json:"follows" group:"Users" default:"50" max:"1e5" help:"How many each of them follows, on average."`
	Zipf    float64 `json:"zipf" group:"Users" default:"0.8" max:"3" help:"Exponent of the law by which followers and viewers are spread; 0 is evenly."`
	Days    float64 `json:"days" group:"Users" default:"90" min:"1" max:"1e4" help:"How many days of such use fill the lists that are read."`
	Peak    float64 `json:"peak" group:"Users" default:"3" min:"1" max:"1e3" help:"How many times as busy as the average second the busiest one is."`

	NewFollows   float64 `json:"newFollows" group:"Calls of a user and day" default:"0.2" max:"1e4" help:"Follows."`
	Posts        float64 `json:"posts" group:"Calls of a user and day" default:"0.2" max:"1e4" help:"Activities published."`
	HomeReads    float64 `json:"homeReads" group:"Calls of a user and day" default:"10" max:"1e5" help:"Pages of 20 activities read in homes."`
	HomeCounts   float64 `json:"homeCounts" group:"Calls of a user and day" default:"1" max:"1" help:"Share of these with counts of likes and comments, and the reader's likes."`
	ProfileReads float64 `json:"profileReads" group:"Calls of a user and day" default:"2" max:"1e5" help:"Profiles opened: counts, relation, newest 20 activities."`

	Comments     float64 `json:"comments" group:"Calls of a user and day" default:"0.5" max:"1e4" help:"Comments on posts."`
	CommentReads float64 `json:"commentReads" group:"Calls of a user and day" default:"3" max:"1e5" help:"Pages of 20 comments read."`
	Likes        float64 `json:"likes" group:"Calls of a user and day" default:"2" max:"1e5" help:"Likes of posts."`

	Notifications float64 `json:"notifications" group:"Calls of a user and day" default:"2.5" max:"1e5" help:"Notifications, grouped by post."`
	BellChecks    float64 `json:"bellChecks" group:"Calls of a user and day" default:"10" max:"1e5" help:"Counts of unseen notifications."`
	BellOpens     float64 `json:"bellOpens" group:"Calls of a user and day" default:"2" max:"1e5" help:"Pages of 20 notifications read and marked as seen."`

	Messages      float64 `json:"messages" group:"Calls of a user and day" default:"3" max:"1e5" help:"Messages to one other user. That user then reads the conversation."`
	Conversations float64 `json:"conversations" group:"Calls of a user and day" default:"5" max:"1e5" help:"With how many others a user writes."`
	InboxReads    float64 `json:"inboxReads" group:"Calls of a user and day" default:"5" max:"1e5" help:"Pages of 20 conversations read."`

	Videos       float64 `json:"videos" group:"Calls of a user and day" default:"0.005" max:"100" help:"New videos. Danmu and viewers come on a video's first day."`
	VideoMinutes float64 `json:"videoMinutes" group:"Calls of a user and day" default:"6" min:"1" max:"1440" help:"Length of a video."`
	Danmu        float64 `json:"danmu" group:"Calls of a user and day" default:"0.2" max:"1e4" help:"Danmu sent."`
	Viewers      float64 `json:"viewers" group:"Calls of a user and day" default:"2" max:"1e4" help:"Videos watched, one read for each segment."`

	Players      float64 `json:"players" group:"Calls of a user and day" default:"0.2" max:"1" help:"Share of users who play a game with daily boards."`
	BoardSize    float64 `json:"boardSize" group:"Calls of a user and day" default:"1000" min:"1" max:"1e12" help:"Players of one board."`
	BoardSubmits float64 `json:"boardSubmits" group:"Calls of a user and day" default:"3" max:"1e5" help:"Scores that a player submits; the best counts."`
	RankReads    float64 `json:"rankReads" group:"Calls of a user and day" default:"3" max:"1e5" help:"Own ranks that a player reads."`
	TopReads     float64 `json:"topReads" group:"Calls of a user and day" default:"3" max:"1e5" help:"Pages of the top 20 that a player reads."`

	PostBytes    float64 `json:"postBytes" group:"Sizes" default:"300" min:"2" max:"250000" help:"Data of an activity, in bytes."`
	CommentBytes float64 `json:"commentBytes" group:"Sizes" default:"100" min:"1" max:"40000" help:"Text of a comment, in bytes."`
	MessageBytes float64 `json:"messageBytes" group:"Sizes" default:"100" min:"1" max:"16000" help:"Text of a message, in bytes."`

	Processes       int     `json:"processes" group:"Configuration" default:"4" min:"1" max:"10000" help:"Processes of the service, which share its calls and start each day."`
	Workers         int     `json:"workers" group:"Configuration" default:"1" min:"1" max:"10000" help:"Processes that run feed.Repository.Run."`
	Poll            float64 `json:"poll" group:"Configuration" default:"2" min:"0.001" max:"86400" help:"feed.Options.Poll, in seconds."`
	InlineFollowers int     `json:"inlineFollowers" group:"Configuration" default:"500" min:"-1" max:"1000" help:"feed.Options.InlineFollowers; -1 is none."`
	JobShards       int     `json:"jobShards" group:"Configuration" default:"4" min:"1" max:"64" help:"feed.Options.JobShards."`
	HomeCap         int     `json:"homeCap" group:"Configuration" default:"0" max:"1e9" help:"feed.Options.HomeCap; 0 is none."`
	Cached          float64 `json:"cached" group:"Configuration" default:"0" max:"1" help:"Share of a page's activities that feed.Options.Cache has."`
	FollowShards    int     `json:"followShards" group:"Configuration" default:"1" min:"1" max:"64" help:"follow.Options.Shards of the most followed."`
	LikeShards      int     `json:"likeShards" group:"Configuration" default:"1" min:"1" max:"64" help:"reaction.Options.Shards of the most liked."`
	DanmuShards     int     `json:"danmuShards" group:"Configuration" default:"1" min:"1" max:"32" help:"danmu.Settings.Shards of the most watched."`
	DanmuCache      float64 `json:"danmuCache" group:"Configuration" default:"10" max:"86400" help:"danmu.Options.Cache, in seconds."`
	Refresh         float64 `json:"refresh" group:"Configuration" default:"30" max:"60" help:"Options.Refresh of danmu and leaderboard, in seconds."`
	BoardShards     int     `json:"boardShards" group:"Configuration" default:"1" min:"1" max:"64" help:"leaderboard.Board.Shards."`
	FoldEvery       float64 `json:"foldEvery" group:"Configuration" default:"0" max:"86400" help:"leaderboard.FolderOptions.Every, in seconds, where ranks are folded; 0 counts them."`
}

// fields returns the fields of the struct and where their values are.
func (in *Input) fields(f func(reflect.StructField, reflect.Value)) {
	v := reflect.ValueOf(in).Elem()
	for i := range v.NumField() {
		f(v.Type().Field(i), v.Field(i))
	}
}

func number(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

// tagged returns a tag that is a number, 0 by default.
func tagged(f reflect.StructField, tag string) float64 {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("estimate: tag %s of %s: %v", tag, f.Name, err))
	}
	return n
}

// Defaults returns the input of a service with a million users.
func Defaults() Input {
	var in Input
	in.fields(func(f reflect.StructField, v reflect.Value) {
		if v.CanInt() {
			v.SetInt(int64(tagged(f, "default")))
		} else {
			v.SetFloat(tagged(f, "default"))
		}
	})
	return in
}

func (in *Input) check() (err error) {
	in.fields(func(f reflect.StructField, v reflect.Value) {
		n, least, most := number(v), tagged(f, "min"), tagged(f, "max")
		if err == nil && (!(n >= least) || n > most) { // NaN is neither
			err = invalid(f.Tag.Get("json"), fmt.Sprintf("is %g, %g to %g are allowed", n, least, most))
		}
	})
	switch {
	case err != nil:
		return err
	case in.Follows > float64(in.Users-1):
		return invalid("follows", "is more than there are others")
	case in.Posts == 0 && in.Comments+in.Likes+in.CommentReads+in.Notifications > 0:
		return invalid("posts", "is 0 beside comments, likes or notifications")
	case in.Follows == 0 && in.NewFollows+in.ProfileReads+in.Comments+in.Likes+in.CommentReads+in.Notifications > 0:
		return invalid("follows", "is 0 beside what is spread by followers")
	case in.Videos == 0 && in.Danmu+in.Viewers > 0:
		return invalid("videos", "is 0 beside danmu or viewers")
	case in.Conversations == 0 && in.Messages > 0:
		return invalid("conversations", "is 0 beside messages")
	}
	return nil
}

func invalid(name, reason string) error { return &plaza.InvalidError{Field: name, Reason: reason} }
