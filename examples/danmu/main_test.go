package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/examples/sse"
	"github.com/plaza-sdk/plaza/plazatest"
)

// lines receives the output, line by line.
type lines chan string

func (l lines) Write(text []byte) (int, error) {
	l <- string(text)
	return len(text), nil
}

// program is the running command.
type program struct {
	url    string
	client *http.Client
}

// call makes a call that must succeed, and decodes its answer.
func call[T any](t *testing.T, p program, method, path, body string) (answer T) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := p.client.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.NoError(t, json.NewDecoder(res.Body).Decode(&answer))
	return answer
}

// described is a video in an answer.
type described struct {
	ID, OwnerID, Title, Src string
	Duration, Segment       float64
}

// listed are danmu in an answer.
type listed struct {
	Data []struct {
		Content struct {
			Text, Color string
			Position    int
		}
	}
}

// start runs the command until stop is called.
func start(t *testing.T, args ...string) (p program, printed string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	out, ended := make(lines, 100), make(chan error, 1)
	go func() { ended <- run(ctx, append(args, "-addr", "127.0.0.1:0"), out) }()
	for {
		select {
		case line := <-out:
			printed += line
			if found := regexp.MustCompile(`url=(http://\S+)`).FindStringSubmatch(line); found != nil {
				client := &http.Client{Transport: &http.Transport{}}
				t.Cleanup(client.CloseIdleConnections)
				return program{found[1], client}, printed, func() error {
					cancel()
					defer client.CloseIdleConnections()
					return <-ended
				}
			}
		case err := <-ended:
			t.Fatal(err, printed)
		}
	}
}

func TestStoppingEndsTheStreams(t *testing.T) {
	plazatest.Start(t, nil)                            // DynamoDB Local keeps running
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(), // except for connections to the engine
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	p, _, stop := start(t)
	res, err := p.client.Get(p.url + "/videos/1/live")
	require.NoError(t, err)
	defer res.Body.Close()
	stream := bufio.NewScanner(res.Body)
	next := func(name string) (data string) {
		for {
			e, err := sse.Next(stream)
			require.NoError(t, err)
			if e.Name == name {
				return e.Data
			}
		}
	}
	next("joined")
	call[any](t, p, "POST", "/danmu/send", `{"objectId":"1","userId":"a","content":{"text":"hello","time":1}}`)
	require.Contains(t, next("batch"), "hello")
	require.NoError(t, stop())
	_, err = p.client.Get(p.url)
	require.Error(t, err)
}

func TestThePageAndItsVideoComeOnlyFromThisServer(t *testing.T) {
	p, _, stop := start(t)
	require.Equal(t, described{ID: "1", OwnerID: "1", Title: "A day over the hills", Duration: 60, Segment: 360, Src: "hills.webm"},
		call[described](t, p, "GET", "/videos/1", ""))
	require.Equal(t, "lighthouse.webm", call[described](t, p, "GET", "/videos/2", "").Src)
	for path, kind := range map[string]string{"/": "text/html", "/main.js": "text/javascript", "/style.css": "text/css"} {
		res, err := p.client.Get(p.url + path)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.Contains(t, res.Header.Get("Content-Type"), kind)
		require.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'self'")
		require.NotContains(t, string(text), "://")
	}
	r, err := http.NewRequest(http.MethodGet, p.url+"/hills.webm", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Range", "bytes=1000-1999")
	res, err := p.client.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusPartialContent, res.StatusCode)
	require.EqualValues(t, 1000, res.ContentLength)
	require.NoError(t, stop())
}

func TestImportPlaysAFileOverAClock(t *testing.T) {
	dir := t.TempDir()
	xml := `<i><d p="1.5,1,25,16777215,1600000000,0,x,1">one</d><d p="99.25,5,25,255,1600000000,0,x,2">two</d><d p="3,1,25,0,0,0,x,3" /></i>`
	for name, text := range map[string]string{
		"a.xml":    xml,
		"a.xml.gz": xml,
		"art.json": `[{"text":"one","time":1.5,"mode":0,"color":"#FFFFFF"},{"text":"two","time":99.25,"mode":1,"color":"#0000FF"}]`,
		"d.json":   `{"code":0,"data":[[1.5,0,16777215,"x","one"],[99.25,1,255,"y","two"]]}`,
		"dan.json": `{"count":2,"comments":[{"cid":1,"p":"1.50,1,16777215,x","m":"one"},{"cid":2,"p":"99.25,5,255,y","m":"two"}]}`,
		"n.xml":    `<packet><thread thread="1"/><chat thread="1" no="1" vpos="150" user_id="x">one</chat><chat thread="1" no="2" vpos="9925" mail="ue blue" user_id="y">two</chat></packet>`,
		"live.xml": `<chat thread="1" no="1" vpos="150">one</chat><chat thread="1" no="2" vpos="9925" mail="ue blue">two</chat><chat thread="1" no="3" deleted="1"/>`,
		"n.json":   `[{"id":"1","vposMs":1500,"body":"one","commands":[],"userId":"x"},{"id":"2","vposMs":99250,"body":"two","commands":["ue","blue"],"userId":"y"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name)
			if strings.HasSuffix(name, ".gz") {
				text = zipped(t, text)
			}
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			p, printed, stop := start(t, "-import", file)
			require.Contains(t, printed, "written=2")
			require.Equal(t, described{ID: "1", OwnerID: "1", Duration: 109, Segment: 360}, call[described](t, p, "GET", "/videos/1", ""))
			got := call[listed](t, p, "GET", "/danmu/pull/1", "")
			require.Len(t, got.Data, 2)
			require.Equal(t, "one", got.Data[0].Content.Text)
			require.Equal(t, "two", got.Data[1].Content.Text)
			require.Equal(t, 1, got.Data[1].Content.Position)
			require.Equal(t, "#0000ff", got.Data[1].Content.Color)
			require.NoError(t, stop())
		})
	}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

func TestImportPlaysARealFile(t *testing.T) {
	file := filepath.Join("..", "..", "..", "shared", "data", "danmu", "bilibili-24min-10000.xml.gz")
	if _, err := os.Stat(file); os.IsNotExist(err) {
		t.Skip("no ../shared/data/danmu/bilibili-24min-10000.xml.gz beside the checkout")
	}
	p, printed, stop := start(t, "-import", file)
	require.Contains(t, printed, "written=10000 ")
	total := 0
	for n := range 5 {
		segment := call[listed](t, p, "GET", fmt.Sprintf("/videos/1/segments/%d", n), "")
		total += len(segment.Data)
	}
	require.Equal(t, 10_000, total)
	require.NoError(t, stop())
}

func TestWrongArgumentsAreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1") // starting would fail
	out := make(lines, 100)
	require.ErrorContains(t, run(t.Context(), []string{"x"}, out), `"x"`)
	require.ErrorContains(t, run(t.Context(), []string{"-port", "1"}, out), "-port")
	require.NoError(t, run(t.Context(), []string{"-h"}, out))
	require.ErrorIs(t, run(t.Context(), []string{"-import", filepath.Join(t.TempDir(), "none")}, out), os.ErrNotExist)
	empty := filepath.Join(t.TempDir(), "empty.xml")
	require.NoError(t, os.WriteFile(empty, []byte("<i></i>"), 0o600))
	require.ErrorContains(t, run(t.Context(), []string{"-import", empty}, out), "empty.xml")
}
