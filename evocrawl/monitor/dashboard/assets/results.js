// The view Results: the pages by relevance, filters and marks.

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
  const pages = pager(ROWS, load);
  const more = button("Show new pages", () => load(offset), { hidden: true });
  place.append(make("h2", {}, ["Results"]), form, count, more, list, pages);
  let offset = 0, shownAt = null;  // number of pages that the crawl had when the list was made

  async function load(start) {
    const asked = { offset: start, limit: ROWS };
    if (text.value) asked.q = text.value;
    if (host.value) asked.host = host.value;
    if (least.value) asked.min = least.value;
    if (marked.checked) asked.marked = true;
    if (agent) asked.agent = agent;
    const found = await ask("results", asked);
    offset = found.offset;
    shownAt = app.status ? app.status.pages : null;
    more.hidden = true;
    const last = Math.min(offset + ROWS, found.total);
    count.textContent = found.total
      ? `${whole(offset + 1)} to ${whole(last)} of ${counted(found.total, "page")}` +
        (agent ? `, of agent ${agent}` : "")
      : agent || Object.keys(asked).length > 2 ? "No page passes this filter." : "No page yet.";
    pages.show(found);
    list.replaceChildren(...(found.total ? [table(["relevance", "page", "anchor", "agent", ""],
      found.results.map(row), ["agent"])] : []));
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
      if (shownAt === null) shownAt = status.pages;  // the list came before the first status
      const fresh = status.pages - shownAt;
      more.hidden = fresh <= 0;
      more.textContent = `Show ${counted(fresh, "new page")}`;
    },
  };
};
