"use strict";
// The views. Text of the web only ever becomes text: no markup is made of strings.

const whole = (value) => (value == null ? "–" : Math.round(value).toLocaleString("en"));
const real = (value, digits = 3) => (value == null ? "–" : value.toFixed(digits).replace(/^-(?=[0.]+$)/, ""));
const percent = (value) => (value == null ? "–" : `${(100 * value).toFixed(1)} %`);

const counted = (count, name) => `${whole(count)} ${name}${count === 1 ? "" : "s"}`;
const share = (value) => `${Math.round(100 * value)} %`;

function make(name, attributes, children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...(children || []).filter((each) => each != null));
  return element;
}

function button(text, action, attributes) {
  const made = make("button", { type: "button", ...attributes }, [text]);
  made.addEventListener("click", () => act(made, () => action(made)));
  return made;
}

// Text of the web within a line of ours: its direction marks end with it.
const foreign = (text) => make("bdi", {}, [text]);

// A link to a page of the web; other schemes than http(s) stay text.
function outside(url, text) {
  if (!/^https?:\/\//i.test(url)) return foreign(text || url);
  return make("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" },
    [foreign(text || url)]);
}

const inside = (view, parameters, text) =>
  make("a", { href: `#/${view}?${new URLSearchParams(parameters)}` }, [foreign(text)]);

function facts(rows) {
  return make("dl", { class: "facts" }, rows.map(([name, value]) =>
    make("div", {}, [make("dt", {}, [name]), make("dd", {}, [String(value)])])));
}

function table(names, rows, numeric) {
  const kinds = names.map((name) => (numeric.includes(name) ? "n" : ""));
  const head = make("tr", {}, names.map((name, at) =>
    make("th", { class: kinds[at], scope: "col" }, [name])));
  const body = rows.map((cells) => make("tr", {}, cells.map((cell, at) =>
    make("td", { class: kinds[at] || (names[at] === "page" ? "wrap" : "words"),
      "data-name": ["", "page"].includes(names[at]) ? null : names[at] }, [cell]))));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "table" },
    [make("table", { class: "cards" }, [make("thead", {}, [head]), make("tbody", {}, body)])]);
}

// A relevance with its word, in the digits that keep it on its side of the threshold: scores.py.
function scored(relevance, relevantAt) {
  const isRelevant = relevance >= relevantAt;
  const digits = [2, 3, 4].find((each) =>
    (Number(relevance.toFixed(each)) >= relevantAt) === isRelevant) || 6;
  return `${relevance.toFixed(digits)} ${isRelevant ? "relevant" : "not relevant"}`;
}

const threshold = (value) => String(Number(value.toPrecision(4)));

const verdict = (row) => make("span", { class: row.relevant ? "verdict yes" : "verdict" },
  [judged(row.relevance)]);

// False for a crawl that is only read: buttons that cannot work are not shown.
const canControl = () => app.status && Object.keys(app.status.parameters).length > 0;

const views = {};

// Overview ---------------------------------------------------------------------------------------

const CURVES = [
  ["relevant", "Relevant pages"], ["harvest", "Harvest rate of the last requests"],
  ["recall", "Recall, an estimate"],
  ["agents", "Agents"], ["energy", "Energy of the agents"], ["threshold", "Threshold R"],
  ["pages_per_second", "Pages a second"],
];

views.overview = (place) => {
  const numbers = make("div"), note = make("p", { class: "soft" });
  const charts = make("div", { class: "charts" });
  place.append(make("h2", {}, ["Overview"]), numbers, note, charts);
  let drawn = [], drawnAt = 0, drawnRequests = 0, isOpen = true;
  let drawnState = app.status ? app.status.state : "";
  const dark = matchMedia("(prefers-color-scheme: dark)");

  async function draw() {
    drawnAt = Date.now();
    const { points } = await ask("curve");
    if (!isOpen || !points.length) return;
    const x = points.map((point) => point.requests);
    drawnRequests = x[x.length - 1];
    for (const chart of drawn) chart.destroy();
    charts.replaceChildren();
    drawn = [];
    for (const [key, name] of CURVES) {
      const y = points.map((point) => point[key]);
      if (y.every((value) => value == null)) continue;
      const box = make("div", { class: "chart" }, [make("h3", {}, [name])]);
      charts.append(box);
      const canvas = make("div", { role: "img", "aria-label":
        `${name} over requests; now ${real(y[y.length - 1], 2)}` });
      box.append(canvas);
      drawn.push(new uPlot(options(canvas.clientWidth), [x, y], canvas));
    }
  }

  function options(width) {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    return {
      width: Math.max(width, 200), height: 180, cursor: { y: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(low, 0), high || 1] } },
      axes: [axis, { ...axis, size: 56 }], legend: { show: false },
      series: [{}, { stroke: style.getPropertyValue("--accent"), width: 2, points: { show: false } }],
    };
  }

  const again = () => draw().catch((error) => say(error.message));
  addEventListener("resize", again);
  dark.addEventListener("change", again);
  again();
  return {
    update(status) {
      numbers.replaceChildren(facts([
        ["relevant pages", `${whole(status.relevant)} of ${whole(status.pages)}`],
        ["relevant from", threshold(status.relevant_at)],
        ["harvest rate", percent(status.harvest)],
        ...(status.left ? [
          ["relevant in the next 1\u00a0000 requests",
            `${whole(status.left.gain_low)} to ${whole(status.left.gain_high)}`],
          ["recall, an estimate", status.relevant ? `${share(status.left.recall)} ` +
            `(${share(status.left.recall_low)} to ${share(status.left.recall_high)})` : "unknown"],
        ] : []),
        ["agents", `${status.agents} alive, ${whole(status.agents_born)} in all`],
        ["energy of the agents", real(status.energy, 1)],
        ["threshold R", real(status.threshold)],
        ["hosts", whole(status.hosts)],
        ["pages a second", real(status.pages_per_second, 2)],
        ...(status.feedback ? [["harvest before and after your marks",
          `${percent(status.feedback.harvest_before)}, ${percent(status.feedback.harvest_after)}`]] : []),
      ]));
      note.textContent = status.note;
      // Drawn again where the eye would see it: when the crawl has grown by a hundredth.
      const hasGrown = status.requests > 1.01 * drawnRequests && Date.now() - drawnAt > 5000;
      if (status.state !== drawnState || (hasGrown && !document.hidden)) {
        drawnState = status.state;
        again();
      }
    },
    close() {
      isOpen = false;
      removeEventListener("resize", again);
      dark.removeEventListener("change", again);
      for (const chart of drawn) chart.destroy();
    },
  };
};

// Results ----------------------------------------------------------------------------------------

const ROWS = 50;

views.results = (place, given) => {
  const text = make("input", { type: "search", value: given.get("q") || "" });
  const host = make("input", { type: "search", value: given.get("host") || "" });
  const least = make("input", { type: "number", min: 0, max: 1, step: "any",
    value: given.get("min") || "" });
  const marked = make("input", { type: "checkbox" });
  const agent = given.get("agent");
  const form = make("form", { role: "search" }, [
    make("label", { class: "wide" }, ["Words in title, address or anchor", text]),
    make("label", {}, ["Host", host]),
    make("label", {}, ["Relevance from", least]),
    make("label", { class: "check" }, [marked, "marked only"]),
    make("button", { class: "main" }, ["Filter"]),
  ]);
  const count = make("p", { role: "status", class: "soft" }), list = make("div");
  const before = button("Previous", () => load(offset - ROWS));
  const next = button("Next", () => load(offset + ROWS));
  const more = button("Show new pages", () => load(offset), { hidden: true });
  place.append(make("h2", {}, ["Results"]), form, count, more, list,
    make("div", { class: "pages" }, [before, next]));
  let offset = 0, pages = null;

  async function load(start) {
    const asked = { offset: Math.max(start, 0), limit: ROWS };
    if (text.value) asked.q = text.value;
    if (host.value) asked.host = host.value;
    if (least.value) asked.min = least.value;
    if (marked.checked) asked.marked = true;
    if (agent) asked.agent = agent;
    const found = await ask("results", asked);
    offset = found.offset;
    pages = app.status ? app.status.pages : null;
    more.hidden = true;
    const last = Math.min(offset + ROWS, found.total);
    count.textContent = found.total
      ? `${whole(offset + 1)} to ${whole(last)} of ${counted(found.total, "page")}` +
        (agent ? `, of agent ${agent}` : "")
      : "no page";
    before.disabled = offset === 0;
    next.disabled = last >= found.total;
    list.replaceChildren(table(["relevance", "page", "anchor", "agent", ""],
      found.results.map(row), ["agent"]));
  }

  function row(each) {
    return [
      verdict(each),
      make("div", {}, [outside(each.url, each.title || each.url),
        make("span", { class: "url" }, [each.url])]),
      each.anchor || "–",
      inside("agents", { id: each.agent }, String(each.agent)),
      canControl() ? marks(each) : inside("why", { url: each.url }, "Why?"),
    ];
  }

  function marks(each) {
    const label = each.title || each.url;
    const pair = [[true, "Relevant"], [false, "Not relevant"]].map(([value, name]) =>
      button(name, async () => {
        const found = await tell("feedback", { visit: each.visit, relevant: value });
        for (const one of pair) one.setAttribute("aria-pressed", String(one === pair[value ? 0 : 1]));
        say(found.message);
      }, { "aria-pressed": String(each.mark === value), "aria-label": `${name}: ${label}` }));
    return make("div", { class: "acts" },
      [...pair, inside("why", { url: each.url }, "Why?")]);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    load(0).catch((error) => say(error.message));
  });
  load(0).catch((error) => say(error.message));
  return {
    update(status) {
      if (pages === null) pages = status.pages;  // the list came before the first status
      const fresh = status.pages - pages;
      more.hidden = fresh <= 0;
      more.textContent = `Show ${counted(fresh, "new page")}`;
    },
  };
};

// Agents -----------------------------------------------------------------------------------------

views.agents = (place, given) => {
  const tree = make("div", { class: "tree" });
  const panel = make("section", { class: "panel", "aria-label": "agent", tabindex: "-1" },
    [make("p", { class: "soft" }, ["Choose an agent to see its life."])]);
  const alive = make("input", { type: "checkbox" });
  place.append(make("h2", {}, ["Agents"]),
    make("form", {}, [make("label", { class: "check" }, [alive, "all that are alive, as a list"])]),
    make("div", { class: "split" }, [tree, panel]));

  async function branch(parameters, start = 0) {
    const found = await ask("agents", { ...parameters, offset: start, limit: 100 });
    const list = make("ul", {}, found.agents.map(leaf));
    if (start + 100 < found.total) {
      const more = button(`${whole(found.total - start - 100)} more`, async () => {
        item.replaceWith(...(await branch(parameters, start + 100)).children);
      });
      const item = make("li", {}, [more]);
      list.append(item);
    }
    return list;
  }

  function leaf(each) {
    const name = `agent ${each.id}${each.is_alive ? "" : " †"}`;
    const item = make("li", { class: each.is_alive ? "" : "dead" });
    const open = each.children && !alive.checked
      ? button("+", async () => {
        const isOpen = open.getAttribute("aria-expanded") === "true";
        open.setAttribute("aria-expanded", String(!isOpen));
        open.textContent = isOpen ? "+" : "−";
        if (isOpen) item.querySelector("ul").remove();
        else item.append(await branch({ parent: each.id }));
      }, { "aria-expanded": "false", "aria-label": `clones of agent ${each.id}` })
      : null;
    const chosen = button(name, async () => { await show(each.id); panel.focus(); });
    item.append(...[open, chosen].filter(Boolean),
      ` ${each.relevant} relevant of ${each.pages}, energy ${real(each.energy, 2)}` +
        (each.children ? `; its line ${each.relevant_in_line} relevant` : ""));
    return item;
  }

  async function show(id) {
    const one = await ask(`agents/${id}`);
    const line = one.ancestors.flatMap((each) => [" < ", inside("agents", { id: each }, String(each))]);
    panel.replaceChildren(
      make("h3", {}, [`Agent ${one.id}, ${one.species}`]),
      make("p", {}, [one.ancestors.length ? "ancestors" : "a founder", ...line]),
      facts([
        ["energy", real(one.energy, 2)], ["gained", real(one.gained, 2)], ["paid", real(one.paid, 2)],
        ["visits", one.visits], ["relevant pages", `${one.relevant} of ${one.pages}`],
        ["life in requests", `${one.born_at} to ${one.died_at == null ? "now" : one.died_at}`],
      ]),
      make("p", {}, [inside("results", { agent: one.id }, "Its pages"), " ",
        canControl() ? button("Exclude its line", () => excludeLine(one.id)) : null]),
      ...(one.traits.length ? [make("details", {}, [
        make("summary", {}, ["What it has inherited and learnt"]),
        table(["trait", "value", "average"], one.traits.map((each) =>
          [each.name, real(each.value), real(each.average)]), ["value", "average"]),
      ])] : [make("p", { class: "soft" }, [one.is_alive
        ? "It has nothing inherited or learnt that could be shown."
        : "It is dead: what it had inherited and learnt is gone."])]),
      make("h4", {}, ["Its latest acts"]),
      table(["request", "what", "page", "energy"], one.history.reverse().map((each) => [
        String(each.requests), each.what,
        each.url ? inside("why", { url: each.url }, each.title || each.url) : "",
        each.energy ? real(each.energy, 2) : "",
      ]), ["request", "energy"]));
  }

  async function load() {
    tree.replaceChildren(await branch(alive.checked ? { alive: true } : {}));
  }
  alive.addEventListener("change", () => load().catch((error) => say(error.message)));
  load().catch((error) => say(error.message));
  if (given.get("id")) show(given.get("id")).catch((error) => say(error.message));
};

// Hosts ------------------------------------------------------------------------------------------

views.hosts = (place) => {
  const list = make("div"), count = make("p", { class: "soft", role: "status" });
  const before = button("Previous", () => load(offset - 100));
  const next = button("Next", () => load(offset + 100));
  place.append(make("h2", {}, ["Hosts"]), count, list,
    make("div", { class: "pages" }, [before, next]));
  let offset = 0;
  const numeric = ["relevant", "pages", "visits", "dead", "refused", "seconds a page"];
  async function load(start) {
    const found = await ask("hosts", { offset: Math.max(start, 0), limit: 100 });
    offset = found.offset;
    count.textContent = `${counted(found.total, "host")}, those that brought most first`;
    before.disabled = offset === 0;
    next.disabled = offset + 100 >= found.total;
    list.replaceChildren(table(["host", ...numeric, "last trouble", ""], found.hosts.map((each) => [
      inside("results", { host: each.host }, each.host || "(none)"), ...[
        each.relevant, each.pages, each.visits, each.dead, each.refused].map(whole),
      real(each.mean_seconds, 2), each.trouble || "–", canControl() ? button("Exclude", () => exclude(each.host),
        { "aria-label": `Exclude ${each.host}` }) : "",
    ]), numeric));
  }
  load(0).catch((error) => say(error.message));
};

async function excludeLine(id) {
  if (!confirm(`End agent ${id} and all its living descendants? This cannot be undone in this crawl.`)) return;
  await tell("exclusions", { agent: id });
  say(`The line of agent ${id} is excluded.`);
}

async function exclude(pattern) {
  if (!confirm(`Follow no further link to ${pattern}? This cannot be undone in this crawl.`)) return;
  await tell("exclusions", { pattern });
  say(`No further link to ${pattern} is followed.`);
}

// Why --------------------------------------------------------------------------------------------

views.why = (place, given) => {
  const url = make("input", { type: "url", required: true, value: given.get("url") || "" });
  const form = make("form", {}, [make("label", { class: "wide" }, ["Address of a page or link", url]),
    make("button", { class: "main" }, ["Explain"])]);
  const answer = make("div", { "aria-live": "polite" });
  place.append(make("h2", {}, ["Why was a page fetched, or why not?"]), form, answer);

  async function load() {
    answer.replaceChildren(make("p", { class: "soft" }, ["The crawl is replayed up to the choice …"]));
    try {
      answer.replaceChildren(...explained(await ask("explain", { url: url.value })));
    } catch (error) {
      answer.replaceChildren(make("p", { class: "note" }, [error.message]));
    }
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); load(); });
  if (url.value) load();
};

// A relevance with its word, by the threshold of the crawl.
function judged(relevance) {
  if (relevance == null || !app.status) return real(relevance);
  return scored(relevance, app.status.relevant_at);
}

function explained(found) {
  const parts = [make("p", { class: "wrap" }, [outside(found.url), ` – ${found.status}`])];
  const head = (text) => parts.push(make("h2", {}, [text]));
  for (const note of found.notes) parts.push(make("p", { class: "note" }, [note]));
  if (found.path.length) {
    head("The way from the seed");
    parts.push(make("ol", { class: "way" }, found.path.map((step) => make("li", {}, [
      ...(step.anchor ? ["by “", foreign(step.anchor), "” to "] : []), outside(step.url, step.title || step.url),
      ` (${judged(step.relevance)}, agent `, inside("agents", { id: step.agent }, String(step.agent)), ")",
    ]))));
  }
  if (found.link && (found.link.source || found.link.anchor)) {
    head("The link");
    parts.push(make("p", { class: "wrap" }, ["“", foreign(found.link.anchor), "” on ",
      outside(found.link.source)]));
    if (found.link.context) {
      parts.push(make("p", { class: "soft wrap" }, ["… ", foreign(found.link.context), " …"]));
    }
  }
  if (found.agent) {
    const paid = Object.entries(found.agent.paid).map(([name, value]) => `${name} ${real(value, 2)}`);
    head(`Agent ${found.agent.id}, ${found.agent.species}`);
    parts.push(facts([
      ["energy before", real(found.agent.energy_before, 2)], ["gained", real(found.agent.gained, 2)],
      ["paid", paid.join(", ") || "0"], ["energy after", real(found.agent.energy_after, 2)],
      ["ancestors", found.agent.ancestors.join(" < ") || "none, a founder"],
    ]));
  }
  if (found.found) {
    head("Predicted and found");
    const chance = found.reason && found.reason.chance;
    parts.push(facts([
      ["predicted", chance == null ? "–" : `${percent(chance)} chance of a good page`],
      ["found", found.found.relevance == null ? `${found.found.outcome} ${found.found.reason}`
        : scored(found.found.relevance, found.found.relevant_at)],
      ["relevant from", threshold(found.found.relevant_at)],
      ["energy of the page", real(found.found.page_energy, 2)],
    ]));
  }
  if (found.place) {
    head("Its rank");
    parts.push(make("p", {}, [`${whole(found.place.rank)} of ${found.place.among} ` +
      `(${whole(found.place.waiting)}), score ${real(found.place.score)}`]));
  }
  if (found.missing.length) {
    head("What is missing");
    parts.push(make("ul", {}, found.missing.map((text) => make("li", {}, [text]))));
  }
  if (found.reason) {
    head("The reason");
    parts.push(make("p", {}, [found.reason.rule]));
    const terms = found.reason.terms.filter((each) => each.contribution);
    const numeric = ["value", "weight", "adds", "usual"];
    if (terms.length) parts.push(table(["term", ...numeric], terms.map((each) => [
      each.name, real(each.value, 2), real(each.weight, 2), real(each.contribution, 2),
      real(each.average, 2)]), numeric));
  }
  return parts;
}

// Control ----------------------------------------------------------------------------------------

const PARAMETERS = [
  ["max_requests", "Requests in all (0: no limit)", 1], ["lower_bound", "Fewest agents, LB", 1],
  ["upper_bound", "Most agents, UB", 1], ["cost", "Energy a visit costs, C", "any"],
  ["gain", "Energy of a good page, G", "any"],
];

views.control = (place) => {
  const acts = make("div", { class: "acts" }, [
    button("Pause", () => tell("pause")), button("Resume", () => tell("resume")),
    button("Stop the crawl", async () => {
      if (confirm("End this crawl now?")) await tell("stop");
    }),
  ]);
  const fields = {};
  const form = make("form", {}, PARAMETERS.map(([name, text, step]) => {
    fields[name] = make("input", { type: "number", min: 0, step, name });
    return make("label", {}, [text, fields[name]]);
  }));
  form.append(make("button", { class: "main" }, ["Change"]));
  const pattern = make("input", { required: true, placeholder: "example.org or example.org/tag/*" });
  const forbid = make("form", {}, [make("label", { class: "wide" }, ["Host or pattern", pattern]),
    make("button", { class: "main" }, ["Exclude"])]);
  const list = make("ul"), note = make("p", { class: "soft" });
  const change = make("h2", {}, ["Parameters"]), leaveOut = make("h2", {}, ["Exclude"]);
  const token = make("input", { type: "password", autocomplete: "off", value: app.token });
  const key = make("form", {}, [make("label", { class: "wide" },
    ["Token (the log of the crawl has it); without it this page only reads", token]),
    make("button", {}, ["Keep"])]);
  place.append(make("h2", {}, ["Run"]), note, acts, change, form,
    leaveOut, forbid, list, make("h2", {}, ["Token"]), key);
  let known = "";

  const on = (element, action) => element.addEventListener("submit", (event) => {
    event.preventDefault();
    act(element.querySelector("button"), action);
  });
  on(form, async () => {
    const body = {};
    for (const [name] of PARAMETERS) {
      if (fields[name].value !== "" && Number(fields[name].value) !== app.status.parameters[name]) {
        body[name] = Number(fields[name].value);
      }
    }
    await tell("parameters", body);
    say("The parameters are changed.");
  });
  on(forbid, async () => { await exclude(pattern.value); pattern.value = ""; });
  on(key, async () => { setToken(token.value); say("The token is kept until the tab is closed."); });
  return {
    update(status) {
      note.textContent = status.note;
      const [pause, resume, stop] = acts.children;
      pause.disabled = status.state !== "running";
      resume.disabled = status.state !== "paused";
      stop.disabled = !["running", "paused"].includes(status.state);
      const now = JSON.stringify(status.parameters);
      if (now !== known) {
        known = now;
        for (const [name, field] of Object.entries(fields)) {
          const value = status.parameters[name];
          field.value = value == null ? "" : value;
          field.disabled = value === undefined;
        }
      }
      change.hidden = form.hidden = forbid.hidden = !canControl();
      leaveOut.hidden = !canControl() && !status.exclusions.length;
      acts.hidden = !["running", "paused", "stopping"].includes(status.state);
      list.replaceChildren(...status.exclusions.map((each) => make("li", {}, [each])));
    },
  };
};
