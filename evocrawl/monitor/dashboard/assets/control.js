// The view Control: pause, resume, stop, parameters, exclusions and the token.

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
