package videos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// makeCollection makes a collection of another video, whose service answers as a test
// says and whose time passes as it says.
const makeCollection = `async (answer, { duration = 1440, segment = 360 } = {}) => {
	const { Collection } = await import("/collection.js");
	const made = { reads: [], open: 0, most: 0, later: 0 };
	window.fetch = async (path) => {
		const [, n, query] = /^videos\/other\/segments\/(\d+)\?(.*)$/.exec(path), asked = new URLSearchParams(query);
		const read = { n: Number(n), sample: Number(asked.get("sample")), fresh: asked.get("fresh") === "1" };
		made.reads.push(read);
		made.most = Math.max(made.most, ++made.open);
		await new Promise((done) => setTimeout(done));
		const { status = 200, ...json } = await answer(read);
		made.open--;
		return { ok: status === 200, status, headers: new Headers(), json: async () => json };
	};
	const collection = made.collection = new Collection({ id: "other", duration, segment }, { changed: () => {}, now: () => made.later });
	made.settle = async () => {
		for (let calm = 0; calm < 3;) {
			const before = made.reads.length;
			await new Promise((done) => setTimeout(done, 5));
			calm = made.open === 0 && made.reads.length === before ? calm + 1 : 0;
		}
	};
	made.pass = async (milliseconds, open = true) => {
		made.later += milliseconds;
		collection.open(open); // as a timer does
		await made.settle();
	};
	made.start = async () => {
		collection.open(true);
		collection.join();
		await made.settle();
	};
	made.texts = () => collection.list.map((c) => c.content.text);
	return made;
}`

// commentAt makes a comment whose id sorts by its time.
const commentAt = `(time, text = "at " + time, more = {}) => ({ id: String(Math.round(time * 1000)).padStart(10, "0") + text, objectId: "other", userId: "u", content: { text, time }, ...more })`

type segmentRead struct {
	N, Sample int
	Fresh     bool
}

// collected is what a collection read and has.
type collected struct {
	Reads []segmentRead
	Most  int
	Texts []string
	Total int
	Says  string
}

// collect runs a script that makes a collection and calls it got.
func collect(t *testing.T, b browsertest.Browser, script string) collected {
	t.Helper()
	p, _ := bare(t, b)
	return browsertest.Eval[collected](p, fmt.Sprintf(`(async () => {
		const make = %s, at = %s;
		let got, says = "";
		%s
		const { reads, most, collection } = got;
		return { reads, most, texts: got.texts(), total: collection.total ?? -1, says };
	})()`, makeCollection, commentAt, script))
}

// everything answers each read of a collection.
const everything = `({ n }) => ({ data: [at(n * 360 + 10), at(n * 360 + 350)] })`

func collectionTests() pages {
	return pages{
		"it reads while it is open, first what plays, two at a time": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				got = await make(`+everything+`);
				got.collection.at(800);
				await got.pass(20_000, false);
				if (got.reads.length) throw new Error("it was closed");
				got.collection.join();
				got.collection.open(true);
				await got.settle();
				says = got.reads.map((read) => read.n + (read.fresh ? "fresh" : "")).join() + " ";
				await got.pass(5_001);
				says += got.reads.map((read) => read.n + (read.fresh ? "fresh" : "")).join();
				const before = got.reads.length;
				got.collection.join();
				got.collection.open(false);
				await got.pass(20_000, false);
				if (got.reads.length > before + 1) throw new Error("it is closed");`)
			require.Equal(t, "2fresh 2fresh,1,3,0,4", got.Says, "the others cost half, and viewers share them")
			require.Equal(t, 2, got.Most)
			require.Equal(t, []string{"at 10", "at 350", "at 370", "at 710", "at 730", "at 1070", "at 1090", "at 1430", "at 1450", "at 1790"}, got.Texts)
		},
		"of very many it reads a part, and says so": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				got = await make(`+everything+`);
				got.collection.expect([478, ...Array(99).fill(468)]);
				await got.start();
				await got.pass(6000);
				says = String(got.collection.part);`)
			for _, read := range got.Reads {
				require.Equal(t, 2, read.Sample, "a quarter of 46,810")
			}
			require.Equal(t, "true", got.Says)
			require.Equal(t, 46810, got.Total)
		},
		"a video of weeks takes few reads": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				got = await make(({ n }) => ({ data: n === 11_000 ? [at(11_000 * 360 + 5)] : [] }), { duration: 49 * 86_400 });
				got.collection.expect(Array.from({ length: 100 }, (_, i) => i === Math.floor(100 * 11_000 * 360 / (49 * 86_400)) ? 1 : 0));
				await got.start();
				await got.pass(6000);`)
			require.Len(t, got.Texts, 1)
			require.Less(t, len(got.Reads), 300, "of 11,760 segments")
		},
		"a read that failed is repeated, ever more rarely": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				let fails = 3;
				got = await make(({ n }) => n === 0 && fails-- > 0 ? { status: 429, error: { reason: "too many" } } : (`+everything+`)({ n }), { duration: 300 });
				await got.start();
				says += got.reads.length + String(got.collection.failing);
				for (const pause of [3001, 3001, 3001, 12_001]) {
					await got.pass(pause);
					says += " " + got.reads.length;
				}
				says += got.collection.failing;`)
			require.Equal(t, "1true 2 2 3 4false", got.Says)
			require.Equal(t, []string{"at 10", "at 350"}, got.Texts)
		},
		"damaged comments and those of other videos are left out": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				const bad = [null, 5, {}, { id: 7 }, at(NaN), at(3, "x", { objectId: "1" }), at(3, "x", { content: { text: 5, time: 3 } }),
					at(3, "x", { content: null }), at(3, "x", { id: null }), at(3, "x", { content: { text: "x", time: "3" } })];
				got = await make(({ n }) => ({ data: n ? null : [...bad, at(5, "good")] }), { duration: 300 });
				await got.start();
				bad.forEach((c) => got.collection.add(c));
				got.collection.add(at(6, "live"));`)
			require.Equal(t, []string{"good", "live"}, got.Texts)
		},
		"what happened live stays, whatever a read that began before has": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				let go, stored = [at(1, "kept"), at(2, "removed"), at(3, "removed elsewhere")];
				let answer = () => new Promise((done) => { const data = stored; go = () => done({ data }); });
				got = await make((read) => answer(read), { duration: 300 });
				got.collection.add(at(4, "before it was open"));
				got.collection.expect([3]);
				got.collection.open(true);
				got.collection.join();
				while (!go) await new Promise((done) => requestAnimationFrame(done));
				got.collection.add(at(5, "live"));
				got.collection.add(at(5, "live"));
				got.collection.add(at(6, "live and recalled"));
				got.collection.remove(at(6, "live and recalled").id);
				got.collection.remove(at(2, "removed").id);
				go();
				await got.settle();
				says = got.texts().join() + " ";
				const object = got.collection.get(at(1, "kept").id);
				stored = [at(1, "kept", { likes: 3 }), at(2, "removed"), at(5, "live")];
				answer = () => ({ data: stored });
				await got.pass(40_000); // the page was cut off
				got.collection.join();
				await got.settle();
				if (object !== got.collection.get(object.id) || object.likes !== 3) throw new Error("another object");`)
			require.Equal(t, "kept,removed elsewhere,before it was open,live ", got.Says)
			require.Equal(t, []string{"kept", "live"}, got.Texts)
			require.Equal(t, 3, got.Total, "three, two that came and two that went")
		},
		"an answer to a round that is over changes nothing": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				const answers = [];
				got = await make(() => new Promise((done) => answers.push(done)), { duration: 300 });
				got.collection.open(true);
				got.collection.join();
				while (answers.length < 1) await new Promise((done) => requestAnimationFrame(done));
				got.collection.join();
				while (answers.length < 2) await new Promise((done) => requestAnimationFrame(done));
				answers[1]({ data: [at(1, "new")] });
				answers[0]({ data: [at(1, "old")] });
				await got.settle();`)
			require.Equal(t, []string{"new"}, got.Texts)
		},
		"a flood stays within bounds": func(t *testing.T, b browsertest.Browser) {
			got := collect(t, b, `
				got = await make(() => ({ data: [] }), { duration: 300 });
				await got.start();
				for (let i = 0; i < 60_000; i++) got.collection.add(at(i / 1000, "x"));
				if (got.collection.list.length !== 40_000) throw new Error(got.collection.list.length + " are kept");
				await got.pass(40_000);
				got.collection.add(at(299, "last"));
				got.collection.join();
				await got.settle();
				says = String(got.reads.at(-1).sample);`)
			require.Equal(t, "5", got.Says)
			require.LessOrEqual(t, len(got.Texts), 2)
		},
	}
}
