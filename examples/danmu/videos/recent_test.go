package videos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// 5,000 danmu arrive live, and 3,000 of them are removed.
func bounds(t *testing.T, b browsertest.Browser) {
	p := open(t, b, newWorld(t, Hills()))
	seen := browsertest.Eval[struct{ Reads, Kept, Left, Gone int }](p, `import("/recent.js").then(async ({ Recent }) => {
		const video = { id: "other", duration: 720, segment: 360 };
		let stored = [], reads = 0, answered;
		const { fetch } = window;
		window.fetch = async (path, ...rest) => {
			if (!path.startsWith("videos/other/")) return fetch(path, ...rest);
			reads++;
			setTimeout(answered); // once it is read, which takes no tasks
			return { ok: true, json: async () => ({ data: path.includes("/0?") ? stored : [] }) };
		};
		const recent = new Recent(video, { failed: (reason) => { throw new Error(reason); } });
		const read = (at) => new Promise((done) => { answered = done; recent.at(at); });
		recent.choose({ cap: 0, sample: 0, merge: false, blocks: { version: 0, blocks: () => false } });
		await read(30);
		const all = Array.from({ length: 5000 }, (_, i) => ({ id: String(i).padStart(4, "0"), content: { text: "x", time: 30 } }));
		all.forEach((c) => recent.add(c));
		stored = all.slice(0, 2900);
		await read(30);
		const kept = recent.timeline.between(0, 60).length;
		all.slice(0, 3000).forEach((c) => recent.remove(c.id));
		await read(350); // of the next segment too
		const left = recent.timeline.between(0, 60).length;
		stored = all.slice(1500);
		recent.reread();
		await read(30);
		const gone = recent.timeline.between(0, 60).length;
		window.fetch = fetch;
		return { reads, kept, left, gone };
	})`)
	require.Equal(t, 4, seen.Reads)
	require.Equal(t, 5000, seen.Kept)
	require.Equal(t, 2000, seen.Left)
	require.Equal(t, 2000, seen.Gone)
}

func goneBackTo(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	p := open(t, b, w)
	p.Do(`window.danmu.medium.pause()`)
	seek(p, 0)
	p.Do(`window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`)
	require.Eventually(t, func() bool { return w.service.hub.Present("1") == 0 }, 20*time.Second, 10*time.Millisecond)
	say(t, w, "a", "missed", 0)
	p.Do(`window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
	p.Until(count("missed") + ` === 1`)
	say(t, w, "b", "followed", 0)
	p.Until(count("followed") + ` === 1`)
}
