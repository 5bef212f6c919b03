package seed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/examples/pinboard/art"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
)

type size struct{ people, pictures, repins, likes, comments int }

// full is written within 25 s.
var full = size{people: 200, pictures: 2000, repins: 400, likes: 2400, comments: 700}

const weeks = 6 // of pictures

// known are the people of the tours. They come first in a plan.
var known = []string{"ann", "eric", "chris", "lin", "mia"}

// plan is everything that a seed writes. The anchor alone decides it: all times are before
// it, and what happens does not depend on it.
type plan struct {
	anchor time.Time
	size   size

	rand  *rand.Rand // what happens
	times *rand.Rand // when, apart, so that what happens is the same at every anchor
	used  map[ids.ID]bool

	members  []member
	follows  []follow.Edge
	pictures []picture
	repins   []repin
	likes    []like
	threads  []thread
}

type member struct {
	people.Person
	likes   [2]string // the two tags of most of the person's pictures
	chinese bool
	boards  []board
	weight  float64 // how much others follow the person
	follows []int   // indexes of members
}

type picture struct {
	ID     string
	pin    ids.ID
	owner  int
	tag    string
	title  string
	board  board
	weight float64 // how much others like it
}

// repin is a picture that somebody else pins to a board.
type repin struct {
	pin     ids.ID
	by      int
	picture int
	board   board
}

// like is of a picture or, with an object, of a comment.
type like struct {
	ID      ids.ID
	by      int
	object  string
	picture int // -1 for a comment
}

func newPlan(anchor time.Time, s size) (*plan, error) {
	p := &plan{
		anchor: anchor, size: s, used: map[ids.ID]bool{},
		rand: rand.New(rand.NewPCG(1, 2)), times: rand.New(rand.NewPCG(3, 4)),
	}
	p.choosePeople()
	for _, step := range []func() error{p.planFollows, p.planPictures, p.planRepins, p.dropEmptyBoards, p.planFurtherFollows, p.planThreads, p.planLikes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *plan) choosePeople() {
	var all []people.Person
	for _, id := range known {
		one, _ := people.Get(id)
		all = append(all, one)
	}
	others := slices.DeleteFunc(people.All(), func(o people.Person) bool { return slices.Contains(known, o.ID) })
	p.rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	all = append(all, others...)[:p.size.people]
	tags := art.Tags()
	for i, one := range all {
		m := member{Person: one, weight: math.Pow(float64(i+4), -0.62), chinese: isChinese(one.Name)}
		first := p.rand.IntN(len(tags))
		m.likes = [2]string{tags[first], tags[(first+1+p.rand.IntN(len(tags)-1))%len(tags)]}
		switch one.ID {
		case "eric", "chris":
			m.likes = [2]string{"sea", "mountains"}
		case "ann":
			m.likes = [2]string{"forest", "night"}
		case "lin":
			m.likes = [2]string{"sea", "flowers"}
		}
		m.boards = p.boardsOf(m)
		p.members = append(p.members, m)
	}
}

// planFollows lets popular people attract more followers, and more of those who like the
// same pictures.
func (p *plan) planFollows() error {
	for i := range p.members {
		m := &p.members[i]
		n := int(math.Exp(2.5 + 0.75*p.rand.NormFloat64()))
		if i < len(known) {
			n = 28 + 4*i
		}
		n = min(max(n, 4), 60, len(p.members)-1)
		weights := make([]float64, len(p.members))
		for j, o := range p.members {
			weights[j] = o.weight
			if o.likes[0] == m.likes[0] || o.likes[1] == m.likes[0] {
				weights[j] *= 5
			}
		}
		weights[i] = 0
		for j := range known {
			if i < len(known) && i != j {
				weights[j] = 1e6 // they know each other
			}
		}
		for range n {
			j := p.choose(weights)
			weights[j] = 0
			m.follows = append(m.follows, j)
			// Most follows are months old; a few are of these days.
			age := hours(24*120) * math.Pow(p.times.Float64(), 1.5)
			id, err := p.id(p.anchor.Add(-duration(age)), "follow/"+m.ID+"/"+p.members[j].ID)
			if err != nil {
				return err
			}
			p.follows = append(p.follows, follow.Edge{Follower: m.ID, Followee: p.members[j].ID, ID: id})
		}
	}
	return nil
}

// planFurtherFollows lets some follow boards that have pins, and tags.
func (p *plan) planFurtherFollows() error {
	seen := map[string]bool{}
	for range p.size.people * 3 / 4 {
		i := p.rand.IntN(len(p.members))
		m := p.members[i]
		o := p.members[m.follows[p.rand.IntN(len(m.follows))]]
		source := "board:" + o.boards[p.rand.IntN(len(o.boards))].ID()
		if p.rand.IntN(6) == 0 {
			source = "tag:" + m.likes[0]
		}
		if seen[m.ID+"/"+source] {
			continue
		}
		seen[m.ID+"/"+source] = true
		id, err := p.id(p.anchor.Add(-duration(hours(24*60)*p.times.Float64())), "follow/"+m.ID+"/"+source)
		if err != nil {
			return err
		}
		p.follows = append(p.follows, follow.Edge{Follower: m.ID, Followee: source, ID: id})
	}
	return nil
}

func (p *plan) planPictures() error {
	weights := make([]float64, len(p.members))
	for i, m := range p.members {
		weights[i] = math.Exp(0.8*p.rand.NormFloat64()) + 4*m.weight
	}
	tags := art.Tags()
	for n := range p.size.pictures {
		owner := n % len(p.members) // everybody has some
		if n >= 2*len(p.members) {
			owner = p.choose(weights)
		}
		m := p.members[owner]
		tag := tags[p.rand.IntN(len(tags))]
		switch r := p.rand.Float64(); {
		case r < 0.5:
			tag = m.likes[0]
		case r < 0.75:
			tag = m.likes[1]
		}
		pin, err := p.pictureID(p.busyTime(), m.ID, n, tag)
		if err != nil {
			return err
		}
		id := m.ID + "." + pin.String()
		p.pictures = append(p.pictures, picture{
			ID: id, pin: pin, owner: owner, tag: tag, title: art.Title(id, tag), board: m.boardFor(tag),
			weight: math.Pow(p.rand.Float64()+0.003, -0.95) * (0.4 + 3*m.weight),
		})
	}
	return nil
}

// pictureID finds an id whose picture has the tag.
func (p *plan) pictureID(at time.Time, owner string, n int, tag string) (ids.ID, error) {
	for try := 0; ; try++ {
		id, err := ids.Backdate(at, fmt.Sprintf("%s/picture/%d/%d", owner, n, try))
		if err != nil {
			return 0, err
		}
		if art.TagOf(owner+"."+id.String()) == tag && !p.used[id] {
			p.used[id] = true
			return id, nil
		}
	}
}

func (p *plan) planRepins() error {
	has := map[string]bool{}
	for range p.size.repins {
		by, at := p.rand.IntN(len(p.members)), p.choosePicture()
		pic := p.pictures[at]
		for try := 0; try < 20 && !slices.Contains(p.members[by].follows, pic.owner); try++ {
			by = p.rand.IntN(len(p.members)) // most people repin what they see at home
		}
		key := fmt.Sprintf("repin/%s/%s", p.members[by].ID, pic.ID)
		if by == pic.owner || has[key] {
			continue
		}
		has[key] = true
		id, err := p.id(p.after(pic.pin), key)
		if err != nil {
			return err
		}
		p.repins = append(p.repins, repin{pin: id, by: by, picture: at, board: p.members[by].boardFor(pic.tag)})
	}
	return nil
}

func (p *plan) planLikes() error {
	has := map[string]bool{}
	for range p.size.likes {
		at := p.choosePicture()
		pic := p.pictures[at]
		by := p.rand.IntN(len(p.members))
		for try := 0; try < 12 && (by == pic.owner || !slices.Contains(p.members[by].follows, pic.owner)); try++ {
			by = p.rand.IntN(len(p.members))
		}
		if by == pic.owner {
			continue
		}
		if err := p.like(has, by, "picture:"+pic.ID, at, pic.pin); err != nil {
			return err
		}
	}
	for _, t := range p.threads {
		for _, c := range t.comments {
			for range int(math.Pow(p.rand.Float64(), 6) * 5) {
				by := p.rand.IntN(len(p.members))
				if p.members[by].ID == c.User {
					continue
				}
				if err := p.like(has, by, commentObject(c), -1, c.ID); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *plan) like(has map[string]bool, by int, object string, picture int, since ids.ID) error {
	key := "like/" + p.members[by].ID + "/" + object
	if has[key] {
		return nil
	}
	has[key] = true
	id, err := p.id(p.after(since), key)
	p.likes = append(p.likes, like{ID: id, by: by, object: object, picture: picture})
	return err
}

// choosePicture prefers the pictures that everybody likes.
func (p *plan) choosePicture() int {
	return p.chooseBy(len(p.pictures), func(i int) float64 { return p.pictures[i].weight })
}

func (p *plan) choose(weights []float64) int {
	return p.chooseBy(len(weights), func(i int) float64 { return weights[i] })
}

func (p *plan) chooseBy(n int, weight func(int) float64) int {
	sum := 0.0
	for i := range n {
		sum += weight(i)
	}
	at := p.rand.Float64() * sum
	for i := range n {
		if at -= weight(i); at < 0 {
			return i
		}
	}
	return n - 1
}

// busyTime is a time of the last weeks, more often recent than long ago, and seldom at night.
func (p *plan) busyTime() time.Time {
	for {
		age := hours(24*7*weeks) * math.Pow(p.times.Float64(), 1.25)
		t := p.anchor.Add(-duration(age) - time.Minute)
		if p.times.Float64() < 0.55+0.45*math.Cos(float64(t.Hour()-17)*math.Pi/12) {
			return t
		}
	}
}

// after is a time between something and the anchor. Most reactions come soon.
func (p *plan) after(id ids.ID) time.Time {
	began := id.Time()
	all := p.anchor.Sub(began)
	soon := min(all, 6*24*time.Hour)
	t := began.Add(time.Minute + duration(float64(soon-time.Minute)*math.Pow(p.times.Float64(), 2.2)))
	if p.times.IntN(6) == 0 { // somebody looks back
		t = began.Add(time.Minute + duration(float64(all-time.Minute)*math.Sqrt(p.times.Float64())))
	}
	return t.Add(-time.Duration(t.Nanosecond()) % time.Millisecond)
}

// id is a new id of a time; the key alone decides which.
func (p *plan) id(at time.Time, key string) (ids.ID, error) {
	for ; ; at = at.Add(time.Millisecond) {
		id, err := ids.Backdate(at, key)
		if err != nil || !p.used[id] {
			p.used[id] = true
			return id, err
		}
	}
}

func hours(n float64) float64            { return n * float64(time.Hour) }
func duration(n float64) time.Duration   { return time.Duration(n) }
func pictureRef(id string) feed.Ref      { return feed.Ref{Kind: "picture", ID: id} }
func personRef(m people.Person) feed.Ref { return feed.Ref{ID: m.ID} }
