package videos

import (
	_ "embed" // what viewers say
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// crowdSize is how many danmu Crowd makes.
const crowdSize = 320

// CrowdOptions of Crowd. The zero value works.
type CrowdOptions struct {
	// Viewers are the names of the senders. By default danmu have no sender.
	Viewers []string

	// Until is when the last danmu was sent, some weeks after the first. By default danmu
	// have no time.
	Until time.Time
}

// Crowd makes up what viewers said at Hills or Lighthouse, whatever their IDs and Owners
// are: a few hundred danmu in English and Chinese, in playing order, with two busy
// moments. They are always the same. Any other video gets none.
func Crowd(v Video, opts *CrowdOptions) []danmu.Comment {
	said, found := talk[v.Src]
	if !found {
		return nil
	}
	o := CrowdOptions{}
	if opts != nil {
		o = *opts
	}
	random := rand.New(rand.NewPCG(uint64(v.Duration), crowdSize)) //nolint:gosec // not secret
	comments := make([]danmu.Comment, crowdSize)
	for i := range comments {
		at, text := said.remark(random, v.Duration)
		c := danmu.Comment{
			Key: fmt.Sprintf("crowd-%d", i), Text: text, Progress: at.Truncate(time.Millisecond),
			Mode: pick(random, crowdModes), Color: pick(random, crowdColors), Size: pick(random, crowdSizes),
			Likes: int64(max(0, random.ExpFloat64()*4-4)),
		}
		who, ago := random.Float64(), time.Duration(random.Float64()*float64(21*24*time.Hour))
		if len(o.Viewers) > 0 {
			c.User = o.Viewers[int(who*float64(len(o.Viewers)))]
		}
		if !o.Until.IsZero() {
			c.Sent = o.Until.Add(-ago)
		}
		comments[i] = c
	}
	slices.SortFunc(comments, func(a, b danmu.Comment) int { return int(a.Progress - b.Progress) })
	return comments
}

// Most danmu keep the default look.
var (
	crowdModes  = []danmu.Mode{danmu.Scroll, danmu.Scroll, danmu.Scroll, danmu.Scroll, danmu.Scroll, danmu.Scroll, danmu.Scroll, danmu.Scroll, danmu.Scroll, danmu.Top, danmu.Bottom, danmu.Reverse}
	crowdColors = []danmu.Color{0, 0, 0, 0, 0, 0, 0, 0, danmu.RGB(0xffd76a), danmu.RGB(0x7fe0ff), danmu.RGB(0xff9bb3), danmu.RGB(0x9df29a)}
	crowdSizes  = []int{0, 0, 0, 0, 0, 0, 0, 0, 18, 36}
)

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

//go:embed talk.json
var talkFile []byte

// talk is what viewers say, by the Src of a video.
var talk = parseTalk()

func parseTalk() (talk map[string]script) {
	if err := json.Unmarshal(talkFile, &talk); err != nil {
		panic(err) // it is embedded
	}
	return talk
}

// script is what viewers say at a video, at any time and at its busy moments.
type script struct {
	Always []string
	Busy   [2]struct {
		Second float64
		Lines  []string
	}
}

// remark returns a text and its moment: at a busy moment, or just after it, more often
// than not.
func (s script) remark(random *rand.Rand, end time.Duration) (time.Duration, string) {
	n := random.IntN(10)
	if n >= 6 {
		return time.Duration(random.Float64() * float64(end)), pick(random, s.Always)
	}
	b := s.Busy[n%2]
	at := time.Duration((b.Second + random.ExpFloat64()*2.5 - 0.5) * float64(time.Second))
	return min(at, end-time.Second), pick(random, b.Lines)
}
