// The view Hosts, and how a host or an agent's line is excluded.

views.hosts = (place) => {
  const list = make("div"), count = make("p", { class: "soft", role: "status" });
  const pages = pager(100, load);
  place.append(make("h2", {}, ["Hosts"]), count, list, pages);
  const numeric = ["relevant", "pages", "visits", "dead", "refused", "seconds a page", "delay, s"];

  async function load(start) {
    const found = await ask("hosts", { offset: start, limit: 100 });
    count.textContent = found.total
      ? `${counted(found.total, "host")}, those that brought most first` : "No host yet.";
    pages.show(found);
    list.replaceChildren(...(found.total
      ? [table(["host", ...numeric, "last trouble", ""], found.hosts.map(row), numeric)] : []));
  }

  function row(each) {
    const counts = [each.relevant, each.pages, each.visits, each.dead, each.refused];
    return [
      inside("results", { host: each.host }, each.host || "(none)"), ...counts.map(whole),
      real(each.mean_seconds, 2), real(each.delay_s || null, 2), trouble(each),
      canControl() ? button("Exclude", () => exclude(each.host),
        { "aria-label": `Exclude ${each.host}` }) : "",
    ];
  }
  load(0).catch((error) => say(error.message));
};

// The last trouble of a host, and how long the host is left alone if that is more than its delay.
function trouble(each) {
  const isWaited = each.free_in_s > each.delay_s + 1;
  return (each.trouble || "–") + (isWaited ? `, asked again in ${whole(each.free_in_s)} s` : "");
}

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
