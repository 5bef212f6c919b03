package ids_test

import (
	"fmt"
	"log"
	"time"

	"github.com/plaza-sdk/plaza/ids"
)

// An import gives what it brings the ids of their time: importing it again
// gives the same ones.
func ExampleBackdate() {
	posted := time.Date(2019, 5, 1, 9, 30, 0, 0, time.UTC)
	for _, key := range []string{"jack/post/10", "jack/post/11", "jack/post/10"} {
		id, err := ids.Backdate(posted, key)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, id.Time().Format(time.DateTime))
	}
	// Output:
	// 270FTR9R3RQGS 2019-05-01 09:30:00
	// 270FTR9R37CRZ 2019-05-01 09:30:00
	// 270FTR9R3RQGS 2019-05-01 09:30:00
}
