package videos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// makeRecent makes the recent danmu of another video, whose service has what a test stores.
const makeRecent = `import("/recent.js").then(async ({ Recent }) => {
	const made = { stored: [], reads: 0, now: 0 };
	let answered;
	window.fetch = async (path) => {
		made.reads++;
		setTimeout(answered); // once it is read, which takes no tasks
		return { ok: true, json: async () => ({ data: path.includes("/0?") ? made.stored : [] }) };
	};
	const recent = made.recent = new Recent({ id: "other", duration: 720, segment: 360 }, { failed: (reason) => { throw new Error(reason); }, now: () => made.now });
	recent.choose({ cap: 0, sample: 0, merge: false, blocks: { version: 0, blocks: () => false } });
	made.danmu = (n) => ({ id: String(n).padStart(4, "0"), content: { text: "x", position: 0, time: 30 } });
	made.read = async (at = 30) => {
		const done = new Promise((done) => { answered = done; });
		recent.at(at);
		await done;
		return recent.timeline.between(0, 60).length;
	};
	await made.read();
	return made;
})`

func recentTests() pages {
	return pages{
		"a page that is gone back to goes on": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := still(t, b, w, 0)
			p.Do(`window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`)
			require.Eventually(t, func() bool { return w.service.hub.Present("1") == 0 }, 20*time.Second, 10*time.Millisecond)
			say(t, w, "a", "missed", 0)
			p.Do(`window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
			shows(p, "missed")
			say(t, w, "b", "followed", 0)
			shows(p, "followed")
		},
		// 5,000 danmu arrive live, and 3,000 of them are removed.
		"what came live stays, within bounds": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			seen := browsertest.Eval[struct{ Reads, Kept, Left, Gone int }](p, makeRecent+`.then(async (made) => {
				const all = Array.from({ length: 5000 }, (_, i) => made.danmu(i));
				all.forEach((c) => made.recent.add(c));
				made.stored = all.slice(0, 2900);
				const kept = await made.read();
				all.slice(0, 3000).forEach((c) => made.recent.remove(c.id));
				const left = await made.read(350); // of the next segment too
				made.stored = all.slice(1500);
				made.recent.reread();
				const gone = await made.read();
				return { reads: made.reads, kept, left, gone };
			})`)
			require.Equal(t, 4, seen.Reads)
			require.Equal(t, 5000, seen.Kept)
			require.Equal(t, 2000, seen.Left)
			require.Equal(t, 2000, seen.Gone)
		},
		// A danmu that came live is not stored any more when the segment is read again.
		"what was hidden while a page was cut off is gone": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			require.Equal(t, []int{2, 1}, browsertest.Eval[[]int](p, makeRecent+`.then(async (made) => {
				made.recent.add(made.danmu(1));
				made.recent.add(made.danmu(2));
				const before = made.recent.timeline.between(0, 60).length;
				made.stored = [made.danmu(2)];
				made.now = 60_000;
				made.recent.join();
				return [before, await made.read()];
			})`))
		},
	}
}
