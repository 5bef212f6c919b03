package seed

import (
	_ "embed" // the texts
	"encoding/json"
)

//go:embed remarks.json
var remarksFile []byte

// remarks are the texts of comments.
var remarks = parse[struct {
	Any                            []string
	Tags                           map[string][]string // about pictures with a tag
	Answers, Thanks, Quoting, Spam []string
	Chinese, ChineseAnswers        []string
}](remarksFile)

//go:embed talks.json
var talksFile []byte

// talks are conversations of two, and of groups, which have a name.
var talks = parse[[]struct {
	Group   string
	Members []string
	Hours   int // since it began
	Lines   []struct{ By, Text string }
	Unread  int // how many of the last lines the first member has not read
}](talksFile)

func parse[T any](file []byte) (v T) {
	if err := json.Unmarshal(file, &v); err != nil {
		panic(err) // it is embedded
	}
	return v
}
