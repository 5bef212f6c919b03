package seed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
)

// thread is what was written about a picture, what is answered before its answers.
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
	texts := remarks[pic.tag]
	if i%3 == 0 {
		texts = anyRemarks
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
		since, texts = to.ID, answers
		if kind < 2 && to.User != p.members[pic.owner].ID {
			by, texts = pic.owner, thanks // the owner answers
		}
	case i > 0 && kind == 4:
		if to := t.comments[0]; to.Root == 0 {
			c.Quote = &comment.Quote{Address: comment.Address{ID: to.ID}}
			since, texts = to.ID, quoting
		}
	}
	m := p.members[by]
	if m.chinese {
		switch {
		case c.Root != 0 || c.Quote != nil:
			texts = chineseAnswers
		default:
			texts = chineseRemarks
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
		c.Text = spam[n]
		if n++; n == len(spam) {
			return
		}
	}
}

var anyRemarks = []string{
	"This made my morning.", "I keep coming back to this one.", "The light here!", "How long did you wait for this?", "Saved for a grey day.",
	"The colours are exactly right.", "I can almost hear it.", "Which lens was this?", "So calm.", "Would hang this in the hallway.",
	"You have such a good eye for light.", "Wonderful.", "I want to be there now.", "Everything in this is in the right place.", "My desktop has a new picture.",
	"Simple and perfect.", "Is this far from the road?", "One of your best.", "I like how little there is in it.", "This belongs on my wall of good light.",
}

var remarks = map[string][]string{
	"sea":       {"You can smell the salt.", "Look at that horizon.", "The water looks like silk.", "Was there much wind?", "I learned to sail in a place like this.", "That line of light on the water!", "Low tide is the best tide.", "I would swim there, even now."},
	"mountains": {"The layers!", "Is that fresh snow?", "My knees hurt from looking at it.", "Which hut did you start from?", "I count six ridges.", "The mist in the valley does it for me.", "Added to the list for next summer.", "You must have left before four."},
	"forest":    {"I can smell the resin.", "The fog does all the work here, and it is lovely.", "So many greens.", "Did you see any deer?", "This is how the woods behind my grandmother's house looked.", "Quietest picture of the week.", "The trunks make such a good rhythm."},
	"city":      {"All those windows, and a life in each.", "I lived three streets from there.", "The hum of it!", "Best hour of the day for this town.", "Who still works at this hour?", "The reflections make it.", "I would take the night tram just for this view."},
	"desert":    {"So much space.", "The shadow on that dune!", "How hot was it?", "The silence must have been something.", "I have sand in my shoes from looking at it.", "That line along the ridge is perfect.", "Did you sleep out there?"},
	"night":     {"How long was the exposure?", "I have never seen this many stars at home.", "Worth the cold feet.", "Is that green real? Incredible.", "We forget that this is up there every night.", "No moon, lucky you.", "Were you alone out there?"},
	"flowers":   {"Spring, finally.", "What are they called?", "I planted the same, and the snails had them.", "I want this on a tablecloth.", "The bees must love it.", "Such gentle colours.", "Mine are two weeks behind."},
	"patterns":  {"I would tile a bathroom in this.", "My eyes keep walking in circles.", "This wants to be a scarf.", "Is it drawn by hand?", "The third row is my favourite.", "What a palette.", "Now I see it everywhere."},
}

var answers = []string{
	"Exactly what I thought.", "Same here!", "I was about to ask that.", "Agreed, and the sky too.", "You should go, it is worth it.", "Ha, true.", "I see it differently, but I like it as well.",
	"Next time we all go together.", "I looked for a minute before I saw it.", "That is it, yes.", "Good question.", "Somebody please answer this one.",
}

var thanks = []string{
	"Thank you!", "Thanks, that means a lot.", "Two hours, and a thermos of tea.", "Close to home, would you believe it.", "A very early start.", "Glad that you like it!", "Come along next time.", "It was better still in real life.", "The plain 35 mm, as always.", "No wind at all that day.",
}

var quoting = []string{"This. Nothing to add.", "Said better than I could.", "I came here to write the same.", "Quoting this for those who scroll fast.", "And look at the lower left corner, too."}

var chineseRemarks = []string{"光线太美了。", "好想去这里看看。", "安静得能听见风声。", "收藏了，做壁纸。", "这个颜色我很喜欢。", "请问是什么时候拍的？", "构图真好。", "看了很久，舍不得划走。", "像小时候的夏天。", "等了多久才拍到的？"}

var chineseAnswers = []string{"同感！", "我也是这么想的。", "下次一起去吧。", "谢谢分享。", "哈哈，真的。", "说得太好了。"}

var spam = []string{
	"Earn money from home, three hours a day, ask me how!!!", "Cheap followers, best price, write to me", "WIN a new phone, only today, only here", "Your picture is ugly and so is your garden.",
}

// commentObject is what likes and reports of a comment name: a reply has its root in it.
func commentObject(c comment.Comment) string {
	object := "comment:" + strings.TrimPrefix(c.Object, "picture:") + "/"
	if c.Root != 0 {
		object += c.Root.String() + "/"
	}
	return object + c.ID.String()
}
