// The view Agents: the family tree and the life of an agent.

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
    const life = `${each.relevant} of ${each.pages} relevant` +
      (each.children ? `, ${each.relevant_in_line} in its line` : "") +
      `; energy ${real(each.energy, 2)}`;
    item.append(make("div", { class: "leaf" },
      [open || make("span", { class: "no-clones" }), chosen, make("span", {}, [life])]));
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
