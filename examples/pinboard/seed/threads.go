package seed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
)

// thread has the comments on a picture, each before its answers.
type thread struct {
	picture  int
	comments []comment.Comment
	pinned   ids.ID // by the picture's owner; zero for none
	hidden   ids.ID // by the moderator; zero for none
}

// planThreads lets about a third of the comments answer another one, and a few quote one.
func (p *plan) planThreads() error {
	count := make([]int, len(p.pictures))
	for range p.size.comments {
		count[p.choosePicture()]++
	}
	for at, n := range count {
		if n == 0 {
			continue
		}
		t := thread{picture: at}
		said := map[string]bool{} // nobody repeats another
		for i := range n {
			c, err := p.write(t, said, i)
			if err != nil {
				return err
			}
			t.comments = append(t.comments, c)
		}
		first := t.comments[0]
		switch {
		case n >= 3 && p.rand.IntN(4) == 0:
			t.pinned = first.ID
		case n >= 2 && p.rand.IntN(60) == 0:
			t.hidden = first.ID
		}
		p.threads = append(p.threads, t)
	}
	p.planSpam()
	return nil
}

func (p *plan) write(t thread, said map[string]bool, i int) (comment.Comment, error) {
	pic := p.pictures[t.picture]
	by := p.rand.IntN(len(p.members))
	for try := 0; try < 12 && (by == pic.owner || !slices.Contains(p.members[by].follows, pic.owner)); try++ {
		by = p.rand.IntN(len(p.members))
	}
	c := comment.Comment{Object: "picture:" + pic.ID}
	since := pic.pin
	texts := remarks.Tags[pic.tag]
	if i%3 == 0 {
		texts = remarks.Any
	}
	kind := p.rand.IntN(10)
	switch {
	case i > 0 && kind < 4:
		to := t.comments[p.rand.IntN(len(t.comments))]
		if to.Root == 0 {
			c.Root = to.ID
		} else {
			c.Root, c.Parent = to.Root, to.ID
		}
		since, texts = to.ID, remarks.Answers
		if kind < 2 && to.User != p.members[pic.owner].ID {
			by, texts = pic.owner, remarks.Thanks // the owner answers
		}
	case i > 0 && kind == 4:
		if to := t.comments[0]; to.Root == 0 {
			c.Quote = &comment.Quote{Address: comment.Address{ID: to.ID}}
			since, texts = to.ID, remarks.Quoting
		}
	}
	m := p.members[by]
	if m.chinese {
		switch {
		case c.Root != 0 || c.Quote != nil:
			texts = remarks.ChineseAnswers
		default:
			texts = remarks.Chinese
		}
	}
	c.User = m.ID
	for try := range 8 {
		c.Text = texts[p.rand.IntN(len(texts))]
		if !said[c.Text] || try == 7 {
			break
		}
	}
	said[c.Text] = true
	var err error
	c.ID, err = p.id(p.after(since), fmt.Sprintf("comment/%s/%d", pic.ID, i))
	return c, err
}

// planSpam makes work for the moderator.
func (p *plan) planSpam() {
	n := 0
	for i := range p.threads {
		t := &p.threads[i]
		last := len(t.comments) - 1
		c := &t.comments[last]
		if c.Root != 0 || c.Quote != nil || last == 0 || c.ID == t.pinned || c.ID == t.hidden || i%7 != 3 {
			continue
		}
		c.Text = remarks.Spam[n]
		if n++; n == len(remarks.Spam) {
			return
		}
	}
}

// commentObject names a comment in likes and reports. For a reply it names the root too.
func commentObject(c comment.Comment) string {
	object := "comment:" + strings.TrimPrefix(c.Object, "picture:") + "/"
	if c.Root != 0 {
		object += c.Root.String() + "/"
	}
	return object + c.ID.String()
}
