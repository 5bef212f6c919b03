// The calls of the service. A refusal throws an Error with the reason.

export const part = encodeURIComponent;

export async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body && { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const json = await answer.json();
  if (answer.ok) return json;
  throw Object.assign(new Error([json.field, json.reason ?? json.error].filter(Boolean).join(" ")), json, { status: answer.status, after: answer.headers.get("Retry-After") });
}

// repeated repeats a write that may have been applied although its answer is lost.
export async function repeated(write) {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (tries === 3 || error.status < 500) throw error;
      await new Promise((done) => setTimeout(done, 500 * tries));
    }
  }
}

export const put = (path, body) => repeated(() => call("PUT", path, body));
export const remove = (path) => repeated(() => call("DELETE", path));

export const to = (user) => `/users/${part(user)}`;
