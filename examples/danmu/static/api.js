// The calls of the service. A refusal throws an Error with the reason.

async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body && { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const json = await answer.json();
  if (answer.ok) return json;
  const { field, reason } = json.error;
  throw Object.assign(new Error([field, reason].filter(Boolean).join(" ")), { status: answer.status });
}

const part = encodeURIComponent;

export const video = (id) => call("GET", `/videos/${part(id)}`);

// segment reads the comments of some minutes, thinned as the viewer chose. With
// fresh it misses nothing that was sent before.
export function segment(id, n, { cap, sample, merge, words }, fresh) {
  const query = new URLSearchParams({ cap, sample, merge: merge ? 5 : 0, fresh: fresh ? 1 : 0 });
  for (const word of words) query.append("without", word);
  return call("GET", `/videos/${part(id)}/segments/${n}?${query}`);
}

export const heat = (id, buckets) => call("GET", `/videos/${part(id)}/heat?buckets=${buckets}`);

export const mine = (user, cursor = "") => call("GET", `/users/${part(user)}/danmu?cursor=${part(cursor)}&size=20`);

export const recall = (id, danmu, user) => call("DELETE", `/videos/${part(id)}/danmu/${danmu}?user=${part(user)}`);

// send repeats a comment that may not have arrived. Its key keeps it one comment.
export async function send(message) {
  const keyed = { ...message, key: token() };
  for (let tries = 1; ; tries++) {
    try {
      return await call("POST", "/danmu/send", keyed);
    } catch (error) {
      if (tries === 3 || error.status < 500) throw error;
      await new Promise((done) => setTimeout(done, 500 * tries));
    }
  }
}

export function token() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

// like likes a danmu, or takes that back.
export const like = (id, danmu, user, liked) => insist(liked ? "PUT" : "DELETE", `/videos/${part(id)}/danmu/${danmu}/like?user=${part(user)}`);

export const report = (id, danmu, user) => insist("PUT", `/videos/${part(id)}/danmu/${danmu}/report?user=${part(user)}`);

export const reactions = (id, n, user) => call("GET", `/videos/${part(id)}/segments/${n}/reactions?user=${part(user)}`);

// insist repeats a call that does the same a second time.
async function insist(method, path) {
  for (let tries = 1; ; tries++) {
    try {
      return await call(method, path);
    } catch (error) {
      if (tries === 3 || error.status < 500) throw error;
      await new Promise((done) => setTimeout(done, 500 * tries));
    }
  }
}
