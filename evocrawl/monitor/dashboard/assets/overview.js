// The view Overview: numbers and curves.

const CURVES = [
  ["relevant", "Relevant pages"], ["harvest", "Harvest rate of the last requests"],
  ["recall", "Recall, an estimate"],
  ["agents", "Agents"], ["energy", "Energy of the agents"], ["threshold", "Threshold R"],
  ["pages_per_second", "Pages a second"],
];

// Loads uPlot, which no other view needs, once.
let plotting = null;
function plotter() {
  plotting ??= new Promise((done, failed) => {
    const script = make("script", { src: "uPlot.js" });
    script.addEventListener("load", done);
    script.addEventListener("error", () => {
      plotting = null;
      failed(new Error("The curves cannot be drawn: uPlot.js does not load."));
    });
    document.head.append(make("link", { rel: "stylesheet", href: "uPlot.css" }), script);
  });
  return plotting;
}

views.overview = (place) => {
  const numbers = make("div"), note = make("p", { class: "soft" });
  const charts = make("div", { class: "charts" });
  const course = make("p", { class: "soft", hidden: true },
    ["Each curve is over the number of requests."]);
  place.append(make("h2", {}, ["Overview"]), note, numbers, course, charts);
  let drawn = [], drawnAt = 0, drawnRequests = 0, isOpen = true;
  let drawnState = app.status && app.status.state;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  async function draw() {
    drawnAt = Date.now();
    const [{ points }] = await Promise.all([ask("curve"), plotter()]);
    if (!isOpen || !points.length) return;
    const x = points.map((point) => point.requests);
    drawnRequests = x[x.length - 1];
    for (const chart of drawn) chart.destroy();
    course.hidden = false;
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

  const size = (width) => ({ width: Math.max(width, 200), height: 170 });

  function fit() {
    for (const chart of drawn) chart.setSize(size(chart.root.parentNode.clientWidth));
  }

  function options(width) {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    return {
      ...size(width), cursor: { y: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(low, 0), high || 1] } },
      axes: [{ ...axis, size: 32 }, { ...axis, size: 56 }], legend: { show: false },
      series: [{}, { stroke: style.getPropertyValue("--accent"), width: 2, points: { show: false } }],
    };
  }

  const again = () => draw().catch((error) => say(error.message));
  addEventListener("resize", fit);
  dark.addEventListener("change", again);
  again();
  return {
    update(status) {
      numbers.replaceChildren(facts([
        ["relevant pages", whole(status.relevant),
          `of ${whole(status.pages)}, relevant from ${threshold(status.relevant_at)}`],
        ["harvest rate", percent(status.harvest)],
        ...(status.left ? [
          ["1\u00a0000 more requests bring", `${whole(status.left.gain)} relevant`,
            `${whole(status.left.gain_low)} to ${whole(status.left.gain_high)}`],
          ["recall, an estimate", status.relevant ? share(status.left.recall) : "unknown",
            status.relevant &&
              `${share(status.left.recall_low)} to ${share(status.left.recall_high)}`],
        ] : []),
        ["agents", whole(status.agents), `alive, of ${whole(status.agents_born)} in all`],
        ["energy of the agents", real(status.energy, 1)],
        ["threshold R", real(status.threshold)],
        ["hosts", whole(status.hosts)],
        ["pages a second", real(status.pages_per_second, 2)],
        ...(status.feedback ? [["harvest after your marks", percent(status.feedback.harvest_after),
          `before them ${percent(status.feedback.harvest_before)}`]] : []),
      ]));
      note.textContent = status.note;
      // Drawn again where the eye would see it: when the crawl has grown by a hundredth.
      const hasGrown = status.requests > 1.01 * drawnRequests && Date.now() - drawnAt > 5000;
      drawnState ??= status.state;
      if (status.state !== drawnState || (hasGrown && !document.hidden)) {
        drawnState = status.state;
        again();
      }
    },
    close() {
      isOpen = false;
      removeEventListener("resize", fit);
      dark.removeEventListener("change", again);
      for (const chart of drawn) chart.destroy();
    },
  };
};
