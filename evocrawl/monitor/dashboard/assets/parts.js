"use strict";
// What the views are made of. Text of the web only ever becomes text: no markup is made of strings.

const whole = (value) => (value == null ? "–" : Math.round(value).toLocaleString("en"));
const real = (value, digits = 3) => (value == null ? "–" : value.toFixed(digits).replace(/^-(?=[0.]+$)/, "").replace("-", "−"));
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

// Names with their values, and with what a value is out of or between.
function facts(rows) {
  return make("dl", { class: "facts" }, rows.map(([name, value, detail]) =>
    make("div", {}, [make("dt", {}, [name]), make("dd", {}, [String(value)]),
      detail ? make("dd", { class: "detail" }, [detail]) : null])));
}

// Buttons for the earlier and the later rows of a list; hidden if the list is short.
function pager(rows, load) {
  let offset = 0;
  const before = button("Previous", () => load(Math.max(offset - rows, 0)));
  const next = button("Next", () => load(offset + rows));
  const pair = make("div", { class: "pages", hidden: true }, [before, next]);
  pair.show = (found) => {
    offset = found.offset;
    before.disabled = offset === 0;
    next.disabled = offset + rows >= found.total;
    pair.hidden = before.disabled && next.disabled;
  };
  return pair;
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
