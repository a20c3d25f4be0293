// The state of the page: the token, the latest status, and the view that is shown.

const app = {
  token: "",
  status: null,
  known: null,  // a promise: the first status is there, or cannot be had
  view: null,
  name: "",
};

function takeToken() {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem("evocrawl-token", found[1]);
    history.replaceState(null, "", "#/overview");
  }
  app.token = sessionStorage.getItem("evocrawl-token") || "";
}

function headers(more) {
  return app.token ? { Authorization: `Bearer ${app.token}`, ...more } : { ...more };
}

// The answer for a view, which needs the status too: both are asked for at once.
async function ask(path, parameters) {
  const query = new URLSearchParams(parameters || {}).toString();
  const [found] = await Promise.all([got(`${path}${query ? "?" + query : ""}`), app.known]);
  return found;
}

async function got(path) {
  return decoded(await fetch(`api/v1/${path}`, { headers: headers() }));
}

async function tell(path, body) {
  const answer = await fetch(`api/v1/${path}`, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body || {}),
  });
  return decoded(answer);
}

async function decoded(answer) {
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error || `the server answered ${answer.status}`);
  return found;
}

let hideMessage = 0;
function say(text) {
  const place = document.getElementById("message");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(hideMessage);
  hideMessage = setTimeout(() => { place.hidden = true; }, 6000);
}

// Run an action of a button; the button waits for it, and an error is shown.
async function act(button, action) {
  button.disabled = true;
  try {
    await action();
  } catch (error) {
    say(error.message);
  } finally {
    button.disabled = false;
  }
}

function showStatus(status) {
  app.status = status;
  document.title = `${status.query || "evocrawl"} – ${status.state}`;
  document.getElementById("query").textContent = status.query || "A crawl without a query";
  const state = document.getElementById("state");
  if (state.textContent !== status.state) state.textContent = status.state;
  state.className = `state ${status.state}`;
  const progress = document.getElementById("progress");
  progress.hidden = !status.limit;
  progress.value = status.limit ? Math.min(status.requests / status.limit, 1) : 0;
  document.getElementById("spent").textContent =
    `${whole(status.requests)}${status.limit ? " of " + whole(status.limit) : ""} requests, ` +
    `${whole(status.relevant)} of ${whole(status.pages)} pages relevant, ` +
    `${status.agents} agents`;
  if (app.view && app.view.update) app.view.update(status);
}

// The dashboard of a crawl ends with its process.
function showLost() {
  const state = document.getElementById("state");
  if (state.textContent === "no connection") return;
  state.textContent = "no connection";
  state.className = "state";
  const store = app.status && app.status.store;
  say("The process of the crawl has ended, or it cannot be reached." +
    (store ? ` This command shows what it has stored: evocrawl dashboard ${store}` : ""));
}

// Server-sent events by fetch, since EventSource cannot send the token.
async function listen() {
  for (;;) {
    try {
      const answer = await fetch("api/v1/events", { headers: headers() });
      if (answer.status === 401) { askToken(); return; }
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      await read(answer.body.getReader());
    } catch {
      showLost();
    }
    await new Promise((done) => setTimeout(done, 3000));
  }
}

async function read(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const messages = rest.split("\n\n");
    rest = messages.pop();
    for (const message of messages) {
      const data = message.split("\n").find((line) => line.startsWith("data: "));
      if (data) showStatus(JSON.parse(data.slice(6)));
    }
  }
}

function askToken() {
  const place = document.getElementById("main");
  const field = make("input", { type: "password", autocomplete: "off", required: true });
  const form = make("form", {}, [
    make("label", { class: "wide" }, ["Token (the log of the crawl has it)", field]),
    make("button", { class: "main" }, ["Open"]),
  ]);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setToken(field.value);
    route();
    listen();
  });
  place.replaceChildren(make("h2", {}, ["This dashboard needs its token"]), form);
}

function setToken(text) {
  app.token = text.trim();
  sessionStorage.setItem("evocrawl-token", app.token);
}

function route() {
  const [, name = "overview", query = ""] = /^#\/(\w+)\??(.*)$/.exec(location.hash) || [];
  const make_view = views[name] || views.overview;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (app.view && app.view.close) app.view.close();
  const place = document.getElementById("main");
  place.replaceChildren();
  app.name = name;
  app.view = make_view(place, new URLSearchParams(query)) || {};
  if (app.status && app.view.update) app.view.update(app.status);
}

addEventListener("hashchange", () => {
  if (location.hash === "#main") return;
  route();
  document.getElementById("main").focus();
});

function start() {
  takeToken();
  app.known = got("status").then(showStatus).catch(() => {});
  route();
  listen();
}
start();
