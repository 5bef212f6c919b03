package videos

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBadInputIsRefusedWithAReasonAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.items(t)

	sendOf := func(member, value string) string {
		members := map[string]string{"objectId": `"9"`, "userId": `"1"`, "ownerId": `"1"`, "text": `"haha"`, "position": "1", "time": "14"}
		members[member] = value
		text := `"text":` + members["text"] + `,"position":` + members["position"] + `,"time":` + members["time"]
		for _, look := range []string{"color", "size", "other"} {
			if v := members[look]; v != "" {
				text += `,"` + look + `":` + v
			}
		}
		return `{"objectId":` + members["objectId"] + `,"userId":` + members["userId"] + `,"ownerId":` + members["ownerId"] + `,"content":{` + text + `}}`
	}
	long := strings.Repeat("x", 257)
	nested := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	const other = "0123456789ABCDEFGHJK"
	for name, c := range map[string]struct {
		method, path, body string // method and path default to POST and /danmu/send
		status             int    // defaults to 400
		field              string
	}{
		"no JSON":            {body: `{`, field: "body"},
		"a value and more":   {body: haha + "1", field: "body"},
		"no object":          {body: `[]`, field: "body"},
		"no body":            {status: 415, field: "content-type"},
		"2 MiB":              {body: sendOf("text", `"`+strings.Repeat("x", 2<<20)+`"`), status: 413, field: "body"},
		"nested 10,000 deep": {body: sendOf("text", nested), field: "body"},
		"nested 5,000 deep":  {body: sendOf("text", nested[5_000:15_000]), field: "body"},
		"no UTF-8":           {body: sendOf("text", "\"\xff\""), field: "body"},
		"an unknown field":   {body: sendOf("other", "1"), field: "body"},
		"an id":              {body: `{"id":"` + other + `"}`, field: "body"},
		"a name twice":       {body: strings.Replace(haha, `{`, `{"userId":"2",`, 1), field: "userId"},
		"a nested one twice": {body: strings.Replace(haha, `"text":"haha"`, `"text":"haha","text":"hoho"`, 1), field: "content.text"},
		"a name, otherwise":  {body: strings.Replace(haha, `{`, `{"UserId":"2",`, 1), field: "body"},
		"an answer":          {body: `{"createdAt":1}`, field: "body"},

		"no objectId":      {body: sendOf("objectId", `""`), field: "objectId"},
		"a long objectId":  {body: sendOf("objectId", `"`+long+`"`), field: "objectId"},
		"objectId 1":       {body: sendOf("objectId", `1`), field: "objectId"},
		"a long userId":    {body: sendOf("userId", `"`+long+`"`), field: "userId"},
		"a long key":       {body: strings.Replace(sendOf("time", "14"), `{`, `{"key":"`+long+`",`, 1), field: "key"},
		"no userId":        {body: sendOf("userId", `""`), field: "userId"},
		"a long ownerId":   {body: sendOf("ownerId", `"`+long+`"`), field: "ownerId"},
		"no text":          {body: sendOf("text", `""`), field: "content.text"},
		"a blank text":     {body: sendOf("text", `" "`), field: "content.text"},
		"101 runes":        {body: sendOf("text", `"`+strings.Repeat("弹", 101)+`"`), field: "content.text"},
		"a number as text": {body: sendOf("text", `1`), field: "content.text"},
		"time NaN":         {body: sendOf("time", `NaN`), field: "body"},
		"time infinite":    {body: sendOf("time", `1e999`), field: "content.time"},
		"time negative":    {body: sendOf("time", `-1`), field: "content.time"},
		"time too late":    {body: sendOf("time", `4294968`), field: "content.time"},
		"time null":        {body: sendOf("time", `null`), field: "content.time"},
		"time as text":     {body: sendOf("time", `"14"`), field: "content.time"},
		"time after 60 s":  {body: strings.Replace(haha, `"time":14`, `"time":60.001`, 1), field: "content.time"},
		"position 4":       {body: sendOf("position", `4`), field: "content.position"},
		"position -1":      {body: sendOf("position", `-1`), field: "content.position"},
		"position 7":       {body: sendOf("position", `7`), field: "content.position"},
		"position 1.5":     {body: sendOf("position", `1.5`), field: "content.position"},
		"no colour":        {body: sendOf("color", `"yellowish"`), field: "content.color"},
		"a colour #12":     {body: sendOf("color", `"#12"`), field: "content.color"},
		"a colour #gggggg": {body: sendOf("color", `"#gggggg"`), field: "content.color"},
		"a colour 123456":  {body: sendOf("color", `"123456"`), field: "content.color"},
		"a number for it":  {body: sendOf("color", `1`), field: "content.color"},
		"a size of 40":     {body: sendOf("size", `"40"`), field: "content.size"},
		"a size of 0px":    {body: sendOf("size", `"0px"`), field: "content.size"},
		"a size of 11px":   {body: sendOf("size", `"11px"`), field: "content.size"},
		"a size of 65px":   {body: sendOf("size", `"65px"`), field: "content.size"},
		"a size of 40em":   {body: sendOf("size", `"40em"`), field: "content.size"},
		"a huge size":      {body: sendOf("size", `"999px"`), field: "content.size"},
		"a huge number":    {body: sendOf("size", `"99999999999px"`), field: "content.size"},
		"another owner":    {body: strings.Replace(haha, `"ownerId":"1"`, `"ownerId":"2"`, 1), field: "ownerId"},

		"playingTime NaN":      {method: "GET", path: "/danmu/queryByTime/1?playingTime=NaN", field: "playingTime"},
		"playingTime Inf":      {method: "GET", path: "/danmu/queryByTime/1?playingTime=Inf", field: "playingTime"},
		"playingTime -1":       {method: "GET", path: "/danmu/queryByTime/1?playingTime=-1", field: "playingTime"},
		"playingTime x":        {method: "GET", path: "/danmu/queryByTime/1?playingTime=x", field: "playingTime"},
		"size x":               {method: "GET", path: "/danmu/queryByTime/1?size=x", field: "size"},
		"size -1":              {method: "GET", path: "/danmu/pull/1?size=-1", field: "size"},
		"size x at the end":    {method: "GET", path: "/danmu/pull/1?cursor=-1&size=x", field: "size"},
		"size -1 at the end":   {method: "GET", path: "/danmu/pull/1?cursor=-1&size=-1", field: "size"},
		"size -1 of mine":      {method: "GET", path: "/users/a/danmu?cursor=-1&size=-1", field: "size"},
		"a made-up cursor":     {method: "GET", path: "/danmu/pull/1?cursor=x", field: "cursor"},
		"a long object":        {method: "GET", path: "/danmu/pull/" + long, status: 404},
		"another parameter":    {method: "GET", path: "/danmu/pull/1?limit=3", field: "query"},
		"a malformed query":    {method: "GET", path: "/danmu/pull/1?cursor=%zz", field: "query"},
		"another video":        {method: "GET", path: "/videos/2", status: 404},
		"segment x":            {method: "GET", path: "/videos/1/segments/x", field: "segment"},
		"segment -1":           {method: "GET", path: "/videos/1/segments/-1", field: "n"},
		"cap -1":               {method: "GET", path: "/videos/1/segments/0?cap=-1", field: "cap"},
		"sample 6":             {method: "GET", path: "/videos/1/segments/0?sample=6", field: "sample"},
		"merge 61":             {method: "GET", path: "/videos/1/segments/0?merge=61", field: "merge"},
		"an empty word":        {method: "GET", path: "/videos/1/segments/0?without=", field: "without"},
		"no buckets":           {method: "GET", path: "/videos/1/heat", field: "buckets"},
		"too many buckets":     {method: "GET", path: "/videos/1/heat?buckets=100000", field: "buckets"},
		"recall of no id":      {method: "DELETE", path: "/videos/1/danmu/x?user=a", field: "id"},
		"recall by nobody":     {method: "DELETE", path: "/videos/1/danmu/00000000000000000000", field: "userId"},
		"a like of no id":      {method: "PUT", path: "/videos/1/danmu/x/like?user=a", field: "id"},
		"a like by nobody":     {method: "PUT", path: "/videos/1/danmu/00000000000000000000/like", field: "userId"},
		"an unlike by nobody":  {method: "DELETE", path: "/videos/1/danmu/00000000000000000000/like", field: "userId"},
		"a report by nobody":   {method: "PUT", path: "/videos/1/danmu/00000000000000000000/report", field: "userId"},
		"a report of no id":    {method: "PUT", path: "/videos/1/danmu/x/report?user=a", field: "id"},
		"a like, long user":    {method: "PUT", path: "/videos/1/danmu/00000000000000000000/like?user=" + long, field: "userId"},
		"a like elsewhere":     {method: "PUT", path: "/videos/3/danmu/00000000000000000000/like?user=a", status: 404},
		"a report, reasoned":   {method: "PUT", path: "/videos/1/danmu/00000000000000000000/report?user=a&reason=x", field: "query"},
		"reactions of nobody":  {method: "GET", path: "/videos/1/segments/0/reactions", field: "userId"},
		"reactions, -1":        {method: "GET", path: "/videos/1/segments/-1/reactions?user=a", field: "segment"},
		"reactions, x":         {method: "GET", path: "/videos/1/segments/x/reactions?user=a", field: "segment"},
		"a long user":          {method: "GET", path: "/users/" + long + "/danmu", field: "userId"},
		"cursor of no list":    {method: "GET", path: "/users/a/danmu?cursor=x", field: "cursor"},
		"live of a long video": {method: "GET", path: "/videos/" + long + "/live", status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			text := w.answer(t, cmp.Or(c.status, http.StatusBadRequest), cmp.Or(c.method, "POST"), cmp.Or(c.path, "/danmu/send"), c.body)
			var answer struct{ Field, Reason string }
			require.NoError(t, json.Unmarshal([]byte(text), &answer))
			require.Equal(t, c.field, answer.Field, text)
			require.NotEmpty(t, answer.Reason)
		})
	}
	require.Equal(t, before, w.items(t))
}

func TestACursorOfAnotherVideoIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, said{"a", "one", 1}, said{"a", "two", 2})
	first := call[list](t, w, "GET", "/danmu/queryByTime/1?size=1", "")
	w.answer(t, http.StatusBadRequest, "GET", "/danmu/pull/2?cursor="+first.Cursor, "")
	w.answer(t, http.StatusBadRequest, "GET", "/users/a/danmu?cursor="+first.Cursor, "")
}
