// Draws the timelines, and lets buttons, keys, pointer and wheel move them.
const specs = JSON.parse(document.getElementById("timelines").textContent);
const options = { renderer: "svg", actions: false };

function drive(view, figure) {
  const whole = view.signal("to_ms");
  const chart = figure.querySelector(".chart");
  const output = figure.querySelector("output");
  let from = 0;
  let to = whole;

  function show(begin, end) {
    const span = Math.min(whole, Math.max(whole / 1000, end - begin));
    from = Math.min(Math.max(0, begin), whole - span);
    to = from + span;
    output.textContent = `${from.toFixed(2)} to ${to.toFixed(2)} ms`;
    return view.signal("from_ms", from).signal("to_ms", to).runAsync();
  }
  function zoom(factor, centre = (from + to) / 2) {
    return show(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }
  function move(share) {
    const step = (to - from) * share;
    return show(from + step, to + step);
  }
  const actions = {
    in: () => zoom(0.5),
    out: () => zoom(2),
    left: () => move(-0.5),
    right: () => move(0.5),
    all: () => show(0, whole),
  };
  const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "all" };

  for (const button of figure.querySelectorAll("button")) {
    button.addEventListener("click", () => actions[button.dataset.do]());
  }
  figure.addEventListener("keydown", (event) => {
    const action = actions[keys[event.key]];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  });
  chart.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    const box = chart.getBoundingClientRect();
    const share = (event.clientX - box.left - view.origin()[0]) / view.width();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, from + (to - from) * Math.min(1, Math.max(0, share)));
  }, { passive: false });

  let last = null;
  chart.addEventListener("pointerdown", (event) => {
    last = event.clientX;
    chart.setPointerCapture(event.pointerId);
  });
  chart.addEventListener("pointermove", (event) => {
    if (last === null) return;
    const step = ((last - event.clientX) / view.width()) * (to - from);
    last = event.clientX;
    show(from + step, to + step);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    chart.addEventListener(end, () => { last = null; });
  }
  return show(0, whole);
}

const drawn = Object.entries(specs).map(async ([name, spec]) => {
  const figure = document.getElementById(name);
  const { view } = await vegaEmbed(figure.querySelector(".chart"), spec, options);
  await drive(view, figure);
});
Promise.all(drawn).then(() => { document.documentElement.dataset.drawn = "yes"; });
