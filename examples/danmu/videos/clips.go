package videos

import "time"

// Video is a video that the page plays.
type Video struct {
	ID    string
	Owner string // the user whose danmu every viewer sees, or ""
	Title string

	// Duration is how long it is. Danmu after it are refused.
	Duration time.Duration

	// Src is its address on the same origin, relative to the page. Without one the page
	// plays a clock.
	Src string
}

// Hills is a video of a minute that comes with the page: a day over hills. Set another
// ID and Owner where they are taken.
func Hills() Video {
	return Video{ID: "1", Owner: "1", Title: "A day over the hills", Duration: time.Minute, Src: "hills.webm"}
}

// Lighthouse is another one: 48 seconds of a night at sea.
func Lighthouse() Video {
	return Video{ID: "2", Owner: "2", Title: "The lighthouse at night", Duration: 48 * time.Second, Src: "lighthouse.webm"}
}

// flaw says what is wrong with a video, or nothing.
func (v Video) flaw() string {
	switch {
	case v.ID == "":
		return "has no ID"
	case v.Duration <= 0:
		return "has no Duration"
	}
	return ""
}
