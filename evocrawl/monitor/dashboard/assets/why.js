// The view Why: the explanation of an address.

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
