package format_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/plaza-sdk/plaza/danmu/format"
)

// A damaged file is read as far as possible.
func ExampleReader_All() {
	file := strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?><i><chatid>10</chatid>
		<d p="2.99E-5,1,25,16777215,1600000000,0,a1b2c3d4,1001">first` + "\x08" + `!</d>
		<d p="NaN,1,25,16777215,1600000000,0,a1b2c3d4,1002">never</d>
		<d p="20.4,5,25,0,1600000000,0,a1b2c3d4,1003">black, at the top</d>
	</i>`)
	r, err := format.NewReader(file, format.Bilibili, nil)
	if err != nil {
		log.Fatal(err)
	}
	for c, err := range r.All() {
		var refused *format.RecordError
		switch {
		case errors.As(err, &refused):
			fmt.Println(err)
		case err != nil:
			log.Fatal(err) // the file's end
		default:
			fmt.Println(c.Key, c.Progress, c.Text)
		}
	}
	fmt.Printf("%+v %s\n", r.Stats(), r.Tags()[0].Value)
	// Output:
	// 1001 0s first!
	// danmu/format: record 2 at byte 133: plaza: Progress is not a number
	// 1003 20.4s black, at the top
	// {Read:2 Refused:1 Deleted:0 Repaired:1} 10
}

// A file is converted to another format.
func ExampleWriter() {
	r, err := format.NewReader(strings.NewReader(`[
		{"id":1,"vpos":150,"content":"うぽつ","date":1600000000,"mail":["184"]},
		{"id":2,"vpos":2040,"content":"<3","date":1600000001,"mail":["ue","red","big"]}
	]`), format.Niconico, nil)
	if err != nil {
		log.Fatal(err)
	}
	w, err := format.NewWriter(os.Stdout, format.Bilibili, &format.WriteOptions{Tags: []format.Tag{{Name: "chatid", Value: "10"}}})
	if err != nil {
		log.Fatal(err)
	}
	for c, err := range r.All() {
		if err == nil {
			err = w.Write(c)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <i>
	// <chatid>10</chatid>
	// <d p="1.5,1,25,16777215,1600000000,0,0,1">うぽつ</d>
	// <d p="20.4,5,36,16711680,1600000001,0,0,2">&lt;3</d>
	// </i>
}
