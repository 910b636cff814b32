// The page's part: what is chosen, what is dragged, the history, and showing what the server says.
// Every change goes to the server as an edit, one after the other; figures are shown only if they
// are of the revision that is shown.
const start = JSON.parse(document.getElementById("start").textContent);
const at = (id) => document.getElementById(id);

const past = []; // what can be undone: {now, seen}
const future = [];
let now = { text: start.text, struck: [], opened: "" }; // opened: what changes are compared with
let seen = null; // what the server says of it
let layout = [];
let revision = 0;
let chosen = null; // {link, rdev} or {link, fibre}
let judging = new AbortController();
let queue = Promise.resolve();

// ---- asking

function lost(error) { // the server is gone, unless it is the page that wants no answer
  throw error.name === "AbortError" ? error : new Error("isfc studio does not answer: it has "
    + "ended. The layout is kept in the address: put what follows the # behind the address of a "
    + "new one.");
}

async function ask(name, body, signal) {
  const sent = fetch(name, { method: "POST", body: JSON.stringify(body), signal });
  const answer = await sent.catch(lost);
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({ error: answer.statusText }));
  throw new Error(error);
}

async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch(lost);
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part);
  }
}

function tell(error) {
  at("error").textContent = error ? error.message : "";
  at("error").hidden = !error;
}

function say(text) { // what was done, in the bar that is always in sight
  at("said").textContent = text;
}

function reveal(answer) { // scroll to the section of an answer that is not whole in sight
  const { top, bottom } = answer.getBoundingClientRect();
  if (top < at("bar").getBoundingClientRect().bottom || bottom > innerHeight) {
    (answer.closest("section") ?? answer).scrollIntoView();
  }
}

// ---- changing

let changes = 0; // that are to come
function change(step) { // one after the other, each upon what the one before has made
  changes += 1;
  judging.abort(); // nobody will see it
  underWay(1);
  queue = queue.then(step).then(() => tell(null), tell).finally(() => {
    changes -= 1;
    if (!changes && seen) judge();
    underWay(-1);
  });
  return queue;
}

function attempt(step) { // what changes nothing, after the changes that are to come
  return queue.then(step).then(() => tell(null), tell);
}

let waiting = 0; // changes and judgements that are to come
function underWay(more) {
  waiting += more;
  at("judgement").setAttribute("aria-busy", String(waiting > 0));
}

function edit(edited) {
  return change(async () => {
    const before = { now, seen };
    await look({ ...now, edit: edited });
    if (now.text === before.now.text) return say("Nothing has changed.");
    remember(before);
    if (edited.link) openLink(edited.link);
    say(DONE[edited.do](edited));
  });
}

const DONE = {
  move: ({ rdev, fibre }) => `CTC ${rdev} is on fibre ${fibre}.`,
  renumber: ({ rdevs }) => `The CTC is ${rdevs.join(" to ")}.`,
  swap: ({ rdev, other }) => `CTCs ${rdev} and ${other} are swapped.`,
  remove: ({ rdev }) => `CTC ${rdev} is removed.`,
  set: ({ fibre }) => `Fibre ${fibre} is changed.`,
  add: ({ fibre }) => `Fibre ${fibre} has one CTC more.`,
  "add-fibre": ({ chpids }) => `A fibre from chpid ${chpids.join(" to ")} is added.`,
  advise: ({ finding }) => `Done as ${finding} advises.`,
};

function strike(names, out) { // out or back; one fibre the other way than it is
  return change(async () => {
    const before = { now, seen };
    const goes = out ?? !now.struck.includes(names[0]);
    const others = now.struck.filter((each) => !names.includes(each));
    await look({ ...now, struck: goes ? [...others, ...names] : others });
    if (String(now.struck) !== String(before.now.struck)) remember(before);
    say(`Fibre ${names.join(", ")} is ${goes ? "struck out" : "taken back"}.`);
  });
}

function remember(before) {
  past.push(before);
  if (past.length > 500) past.shift();
  future.length = 0;
  buttons();
}

function turn(from, to) { // undo and redo
  return change(async () => {
    if (!from.length) return;
    to.push({ now, seen });
    const one = from.pop();
    revision += 1;
    now = one.now;
    show(one.seen);
    buttons();
    say(from === past ? "Undone." : "Done again.");
  });
}

function buttons() {
  at("undo").disabled = !past.length;
  at("redo").disabled = !future.length;
}

async function look(wanted) {
  const answer = await ask("look", { revision: revision + 1, pairs: pairs(), ...wanted });
  const said = await answer.json();
  revision = said.revision;
  now = { text: said.text, struck: said.struck, opened: wanted.opened || said.text };
  show(said);
}

// ---- showing

function show(said) {
  seen = said;
  layout = seen.layout;
  document.querySelector("main").hidden = false;
  const focused = document.activeElement?.closest?.("#drawing") ? keyOf(document.activeElement) : null;
  for (const name of ["answer", "drawing", "capacity", "orders", "findings", "changes"]) {
    at(name).innerHTML = seen[name];
  }
  unfold();
  at("capacity").dataset.revision = revision;
  at("text").value = seen.text;
  document.title = `${layout.map((link) => link.name).join(", ")} - isfc studio`;
  if (chosen && !find(chosen)) chosen = null;
  at("hint-cluster").hidden = !at("drawing").querySelector(".channel");
  hintWide();
  showChosen();
  fillNewFibre();
  fillParts();
  fillPanels();
  if (focused) elementOf(focused)?.focus();
  keep();
}

const folded = new Map(); // links of a cluster, and whether somebody has folded them
function unfold() { // the first, and those that somebody has opened, or works on
  const links = [...at("drawing").querySelectorAll(".link")];
  links.forEach((link, place) => {
    link.open = folded.get(link.dataset.name) ?? place === 0;
    link.querySelector("summary").onclick = () => folded.set(link.dataset.name, !link.open);
  });
}

function openLink(name) {
  folded.set(name, true);
  unfold();
}

async function judge() {
  judging.abort();
  const mine = judging = new AbortController();
  underWay(1);
  try {
    const body = { revision, pairs: pairs(), ...now };
    for await (const record of lines(await ask("judge", body, mine.signal))) {
      if (record.error) throw new Error(record.error);
      if (record.revision !== revision || mine.signal.aborted) return;
      if (record.capacity) at("capacity").innerHTML = record.capacity;
      hintWide();
      if (record.answer) at("answer").innerHTML = record.answer;
    }
  } catch (error) {
    if (error.name !== "AbortError") tell(error);
  } finally {
    underWay(-1);
  }
}

// ---- what is chosen

function keyOf(element) {
  const link = element.closest("svg[data-link]").dataset.link;
  const ctc = element.closest(".ctc");
  return ctc ? { link, rdev: ctc.dataset.rdev }
    : { link, fibre: element.closest(".fibre").dataset.fibre };
}

function elementOf(key) {
  const svg = at("drawing").querySelector(`svg[data-link="${CSS.escape(key.link)}"]`);
  return svg?.querySelector(key.rdev ? `.ctc[data-rdev="${key.rdev}"]`
    : `.fibre[data-fibre="${CSS.escape(key.fibre)}"] > .heading`);
}

function find(key) {
  const link = layout.find((each) => each.name === key.link);
  if (!link) return null;
  const item = key.rdev ? link.ctcs.find((ctc) => ctc.rdevs[0] === key.rdev)
    : link.fibres.find((fibre) => fibre.name === key.fibre);
  return item ? { link, item } : null;
}

function choose(key) {
  chosen = key;
  showChosen();
  const form = [at("ctc-form"), at("fibre-form")].find((each) => !each.hidden);
  form?.scrollIntoView({ block: "nearest" });
}

function options(select, values, value) {
  select.replaceChildren(...values.map(([each, text]) => new Option(text ?? each, each)));
  if (value !== undefined) select.value = value;
}

function showChosen() {
  for (const one of document.querySelectorAll(".chosen-one")) one.classList.remove("chosen-one");
  const found = chosen && find(chosen);
  at("ctc-form").hidden = !(found && chosen.rdev);
  at("fibre-form").hidden = !(found && chosen.fibre);
  if (!found) return;
  elementOf(chosen)?.classList.add("chosen-one");
  if (chosen.rdev) showCtc(found.link, found.item);
  else showFibre(found.link, found.item);
}

function name(link, fibre) {
  return `${fibre.name}: chpid ${fibre.chpids.join(" to ")}`;
}

function showCtc(link, ctc) {
  const form = at("ctc-form");
  form.querySelector("h3").textContent = `CTC ${ctc.rdevs.join(" to ")}`;
  options(form.fibre, link.fibres.map((fibre) => [fibre.name, name(link, fibre)]), ctc.fibre);
  nodes(form, link);
  form.first.value = ctc.rdevs[0];
  form.second.value = ctc.rdevs[1];
  const others = link.ctcs.filter((each) => each !== ctc);
  options(form.other, others.map((each) => [each.rdevs[0], each.rdevs.join(" to ")]));
  options(form.node, [["", "both"], ...link.nodes.map((node) => [node])], "");
  form.swap.disabled = form.remove.disabled = !others.length;
}

function showFibre(link, fibre) {
  const form = at("fibre-form");
  form.querySelector("h3").textContent = `Fibre ${name(link, fibre)}`;
  options(form.feature, start.features.map((each) => [each]), fibre.feature);
  form.gbps.value = fibre.link_gbps;
  form.km.value = fibre.km;
  form.km.disabled = Boolean(fibre.path);
  form.strike.textContent = now.struck.includes(fibre.name) ? "Take back" : "Strike out";
}

function nodes(form, link) {
  link.nodes.forEach((node, end) => {
    for (const each of form.querySelectorAll(`.node-${end}`)) each.textContent = node;
  });
}

function fillNewFibre() {
  const form = at("new-fibre").querySelector("form");
  const link = layout.find((each) => each.name === form.link.value) ?? layout[0];
  options(form.link, layout.map((each) => [each.name]), link.name);
  form.link.parentElement.hidden = layout.length === 1;
  nodes(form, link);
  if (!form.feature.length) options(form.feature, start.features.map((each) => [each]));
  form.feature.value = link.fibres.at(-1).feature;
  [form.first, form.second].forEach((input, end) => { // such as the next one
    const used = link.fibres.map((fibre) => parseInt(fibre.chpids[end], 16));
    input.placeholder = (Math.max(...used) + 1).toString(16).toUpperCase().slice(-2);
  });
}

function fillParts() {
  const { part } = at("parts").querySelector("form");
  const names = Object.keys(seen.pieces).filter((each) => seen.pieces[each].length);
  options(part, names.map((each) => [each]), names.includes(part.value) ? part.value : names[0]);
  options(at("pieces"), Object.keys(seen.pieces).map((each) => [each]));
}

// ---- forms

for (const name of ["out", "back"]) {
  at("parts").querySelector("form")[name].addEventListener("click", ({ target }) => {
    strike(seen.pieces[target.form.part.value], name === "out");
  });
}

at("ctc-form").addEventListener("change", ({ target }) => {
  const { link, rdev } = chosen;
  const form = at("ctc-form");
  if (target.name === "fibre") edit({ do: "move", link, rdev, fibre: target.value });
  if (target.name === "first" || target.name === "second") {
    const rdevs = [form.first.value, form.second.value];
    edit({ do: "renumber", link, rdev, rdevs }).then(() => {
      choose({ link, rdev: rdevs[0].toUpperCase().padStart(4, "0") });
    });
  }
});
at("ctc-form").swap.addEventListener("click", () => {
  const { other, node } = at("ctc-form");
  edit({ do: "swap", ...chosen, other: other.value, node: node.value || null });
});
at("ctc-form").remove.addEventListener("click", () => edit({ do: "remove", ...chosen }));

at("fibre-form").addEventListener("change", ({ target }) => {
  const form = at("fibre-form");
  const gbps = target.name === "gbps" ? Number(form.gbps.value) : null;
  const same = target.name !== "feature" && target.name !== "gbps";
  edit({
    do: "set",
    fibre: chosen.fibre,
    feature: form.feature.value,
    link_gbps: same ? find(chosen).item.link_gbps : gbps || null,
    km: form.km.disabled ? null : Number(form.km.value),
  });
});
at("fibre-form").add.addEventListener("click", () => edit({ do: "add", fibre: chosen.fibre }));
at("fibre-form").strike.addEventListener("click", () => strike([chosen.fibre]));

at("new-fibre").addEventListener("submit", (event) => {
  event.preventDefault();
  const { link, first, second, feature } = event.target;
  edit({
    do: "add-fibre", link: link.value, chpids: [first.value, second.value], feature: feature.value,
  });
});
at("new-fibre").addEventListener("change", ({ target }) => target.name === "link" && fillNewFibre());

for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", (event) => event.preventDefault());
}
const pairs = () => Math.min(10_000, Math.max(1, Math.round(Number(at("pairs").value)) || 50));
at("pairs").addEventListener("change", () => change(() => look(now)));

// ---- what is brought in

at("text-form").addEventListener("submit", () => {
  bring([{ name: "the pasted text", text: at("text").value }]).then(() => {
    const asks = !at("asked").hidden;
    if (at("error").hidden && !asks) at("edit-heading").focus(); // where the answer is
  });
});
at("open").addEventListener("change", async ({ target }) => {
  await bringFiles(target.files);
  target.value = "";
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", () => document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  bringFiles(event.dataTransfer.files);
});
async function bringFiles(files) {
  const texts = [...files].map(async (file) => ({ name: file.name, text: await file.text() }));
  return bring(await Promise.all(texts));
}

let brought = null; // files that more is to be told of, and what has been told
function bring(files, told = {}) { // what is opened anew is what changes are compared with
  return change(async () => {
    at("asked").hidden = true;
    const answer = await ask("import", { files, layout: now.text, ...told });
    const record = (await Array.fromAsync(lines(answer))).at(-1);
    if (record.error) throw new Error(record.error);
    if (record.ask) return more({ files, told }, record);
    const before = { now, seen };
    await look({ text: record.out, struck: [], opened: "", source: files[0].name });
    if (before.seen) remember(before);
    at("source").textContent = files.map((file) => file.name).join(", ");
    say(`${at("source").textContent} is opened: ${inWords()}.`);
    folded.clear();
    scrollTo(0, 0);
    remark(record);
  });
}

function inWords() {
  const counted = (name, count) => `${count} ${name}${count === 1 ? "" : "s"}`;
  const of = (name) => layout.reduce((sum, link) => sum + link[name].length, 0);
  const links = layout.length > 1 ? `${layout.length} links, ` : "";
  return `${links}${counted("CTC", of("ctcs"))} on ${counted("fibre", of("fibres"))}`;
}

function remark({ out, err }) { // what matters is open: devices left out, and what is assumed
  const assumed = /^feature = "(.*)" +# assumed/m.exec(out)?.[1];
  const told = assumed ? `No file says which feature the chpids have: ${assumed} is assumed. Choose `
    + "a fibre below, and its own.\n" : "";
  at("remarks").hidden = !(told + err);
  at("remarks").querySelector("pre").textContent = told + err;
  const unpaired = err.split(/\n(?= {2}\S)/).slice(1);
  at("remarks").open = Boolean(told) || /left out/i.test(err)
    || unpaired.some((row) => !/as\s+it\s+should/.test(row));
}

const QUESTIONS = {
  partitions: "Which partitions are to be joined? Tick two or more.",
  ports: "How are the channels cabled? The deck does not say, and each of these fits. "
    + "40=C1 means that chpid 40 sits on port C1 of its director.",
  system: "Of which system is this console log?",
};
function more(what, { ask: asked, choices }) {
  brought = what;
  const form = at("asked");
  form.hidden = false;
  form.dataset.what = asked;
  form.querySelector("h3").textContent = QUESTIONS[asked];
  const type = asked === "ports" ? "radio" : "checkbox";
  at("choices").replaceChildren(...choices.map((choice) => {
    const label = document.createElement("label");
    label.className = "check";
    const box = Object.assign(document.createElement("input"), { type, value: choice, name: "choice" });
    label.append(box, choice.replaceAll(",", ", "));
    return label;
  }));
  at("asked-system").hidden = asked !== "system";
  answerable();
  form.querySelector(choices.length ? "#choices input" : "[name=system]").focus();
  form.scrollIntoView();
  say(QUESTIONS[asked]);
}
function chosenOnes() {
  return [...at("choices").querySelectorAll("input:checked")].map((box) => box.value);
}
function answerable() {
  const least = { partitions: 2, ports: 1, system: 0 }[at("asked").dataset.what];
  at("asked").go.disabled = chosenOnes().length < least;
}
at("asked").addEventListener("change", answerable);
at("asked").addEventListener("submit", () => {
  const form = at("asked");
  const { files, told } = brought;
  const answers = {
    partitions: () => ({ partitions: chosenOnes().join(",") }),
    ports: () => ({ ports: [...told.ports ?? [], ...chosenOnes()] }),
    system: () => ({ system: form.system.value }),
  };
  bring(files, { ...told, ...answers[form.dataset.what]() })
    .then(() => { if (!at("error").hidden) form.hidden = false; });
});

// ---- panels: runs, and what commands print

function fillPanels() {
  const many = layout.length > 1;
  at("together").hidden = !many;
  for (const form of [at("run-form"), at("loss-form"), at("relocation-form")]) {
    const link = layout.find((each) => each.name === form.link.value) ?? layout[0];
    options(form.link, layout.map((each) => [each.name]), link.name);
    form.querySelector(".of-link").hidden = !many;
    if (form.client) {
      const client = link.nodes.includes(form.client.value) ? form.client.value : link.nodes[0];
      options(form.client, link.nodes.map((node) => [node]), client);
    }
  }
  const { system } = at("statements-form");
  const systems = [...new Set(layout.flatMap((link) => link.nodes))];
  const kept = systems.includes(system.value) ? system.value : systems[0];
  options(system, systems.map((each) => [each]), kept);
}
for (const form of ["run-form", "relocation-form"]) {
  at(form).link.addEventListener("change", fillPanels);
}
at("workloads").replaceChildren(...start.workloads.map((each) => new Option(each)));

const subject = () => ({ text: now.text, struck: now.struck });

let runs = 0;
at("run-form").addEventListener("submit", async ({ target }) => {
  const [number, form] = [++runs, new FormData(target)];
  const wanted = {
    ...subject(), ...Object.fromEntries(form),
    pairs: Number(form.get("pairs")), seconds: Number(form.get("seconds")),
  };
  const row = at("run-table").tBodies[0].insertRow(0);
  at("run-table").hidden = false;
  setTimeout(() => reveal(row)); // when it has its cells
  const changed = past.length ? `, after ${past.length} change${past.length > 1 ? "s" : ""}` : "";
  const struck = now.struck.length ? `, without fibre ${now.struck.join(", ")}` : "";
  row.insertCell().textContent = `${number}: ${wanted.workload} ${wanted.pairs} pairs, `
    + `${wanted.seconds} s, ${wanted.client}${changed}${struck}`;
  const cell = row.insertCell();
  cell.colSpan = 7;
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", `Run ${number}`);
  const stop = button("Stop", () => ending.abort());
  const ending = new AbortController();
  cell.append(bar, stop);
  try {
    for await (const record of lines(await ask("run", wanted, ending.signal))) {
      if (record.error) throw new Error(record.error);
      if (record.share) bar.value = record.share;
      if (record.figures) showRun(row, number, record);
    }
  } catch (error) {
    cell.textContent = error.name === "AbortError" ? "stopped" : error.message;
  }
});

function showRun(row, number, record) {
  row.deleteCell(1);
  say(`Run ${number}: ${record.answer}`);
  if (record.note) noteRun(record.note, number);
  for (const figure of record.figures) row.insertCell().innerHTML = figure;
  row.insertCell().innerHTML = record.chart;
  const box = Object.assign(document.createElement("input"), { type: "checkbox" });
  box.setAttribute("aria-label", `Compare run ${number}`);
  row.record = record.record;
  row.number = number;
  row.insertCell().append(box);
}

const notes = new Map(); // what is to be said of runs: once, with the runs that it is said of
function noteRun(note, number) {
  notes.set(note, [...notes.get(note) ?? [], number].sort((a, b) => a - b));
  at("run-notes").replaceChildren(...[...notes].map(([text, numbers]) => {
    const one = `Run${numbers.length > 1 ? "s" : ""} ${numbers.join(", ")}: ${text}`;
    return Object.assign(document.createElement("p"), { className: "hint", textContent: one });
  }));
}

at("run-table").addEventListener("change", async () => {
  const rows = [...at("run-table").tBodies[0].rows].reverse();
  const compared = rows.filter((row) => row.querySelector("input:checked"));
  at("comparison").hidden = compared.length !== 2;
  if (compared.length !== 2) return;
  const [first, second] = compared.map((row) => JSON.stringify(row.record));
  const names = compared.map((row) => `run-${row.number}`);
  print(at("comparison"), ask("compare", { first, second, names }));
});

function button(text, act) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  made.addEventListener("click", act);
  return made;
}

async function print(output, asked) { // what a command prints or shows, or its error
  output.hidden = false;
  const bar = Object.assign(document.createElement("progress"), { max: 1 });
  bar.setAttribute("aria-label", "How much is done");
  output.replaceChildren("Computing ...", document.createElement("br"), bar);
  output.setAttribute("aria-busy", "true");
  reveal(output);
  let last = null;
  try {
    for await (const record of lines(await asked)) {
      if (record.error) throw new Error(record.error);
      if (record.share !== undefined) {
        bar.value = record.share;
        bar.previousSibling.previousSibling.data = `Computing: ${Math.round(100 * record.share)} %`;
        continue;
      }
      if (record.html) output.innerHTML = record.html;
      else output.textContent = record.out + record.err;
      last = record;
    }
  } catch (error) {
    if (error.name === "AbortError") return null;
    output.textContent = error.message;
  }
  hintWide();
  output.setAttribute("aria-busy", "false");
  reveal(output.firstElementChild ?? output);
  return last;
}

function panel(form, output, make) {
  let asking = new AbortController();
  at(form).addEventListener("submit", async ({ target }) => {
    asking.abort();
    const mine = asking = new AbortController();
    const wanted = { ...subject(), ...make(Object.fromEntries(new FormData(target))) };
    const about = wanted.text + wanted.struck;
    const record = await print(output, ask("panel", wanted, mine.signal));
    if (!record || mine.signal.aborted) return;
    if (about !== now.text + now.struck) output.append("\n(of the layout before the last change)");
    target.dispatchEvent(new CustomEvent("shown", { detail: record }));
  });
}
const outputOf = (section) => at(section).querySelector(".output");
panel("loss-form", outputOf("loss"), ({ link, without, rule }) => (
  { show: "losses", link, without, rule: Boolean(rule) }));
panel("relocation-form", outputOf("relocation"), ({ client, guests, ...rest }) => (
  { show: "relocation", source: client, guests: Number(guests), ...rest }));
panel("together-form", outputOf("together"), ({ show: what, without }) => (
  what === "together" ? { show: what } : { show: what, without }));
panel("statements-form", outputOf("files"), (form) => ({ show: "statements", ...form }));
let statements = "";
at("statements-form").addEventListener("shown", ({ detail }) => {
  statements = detail.out;
  at("statements-form").download.disabled = false;
});
at("statements-form").download.addEventListener("click", () => {
  const { system, form } = at("statements-form");
  const ending = form.value === "iocp" ? "iocp" : "config";
  save(statements, `${system.value}.${ending}`, "text/plain");
});
at("statements-form").addEventListener("change", () => {
  at("statements-form").download.disabled = true;
});
at("undo").addEventListener("click", () => turn(past, future));
at("redo").addEventListener("click", () => turn(future, past));
at("download-svg").addEventListener("click", () => attempt(async () => {
  save(await (await ask("drawing", now)).text(), "layout.svg", "image/svg+xml");
}));
at("download-png").addEventListener("click", () => attempt(async () => {
  const drawn = await (await ask("drawing", now)).text();
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([drawn], { type: "image/svg+xml" }));
  await picture.decode();
  const [width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(drawn).slice(1).map(Number);
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(picture.src);
  save(await new Promise((made) => { canvas.toBlob(made, "image/png"); }), "layout.png", "image/png");
}));
at("download-report").addEventListener("click", async ({ target }) => {
  target.disabled = true;
  target.textContent = "Report: running ...";
  try {
    for await (const record of lines(await ask("report", subject()))) {
      if (record.error) throw new Error(record.error);
      if (record.doing) target.textContent = `${record.doing} ...`;
      if (record.page) save(record.page, "report.html", "text/html");
    }
  } catch (error) {
    tell(error);
  }
  target.disabled = false;
  target.textContent = "Report";
});
for (const each of ["save", "download-toml"]) {
  at(each).addEventListener("click", () => save(now.text, "layout.toml", "text/plain"));
}

function save(content, file, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = file;
  link.click();
  say(`${file} is downloaded.`);
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// ---- the drawing: pointer and keys

const drawing = at("drawing");
let drag = null;
const EDGE = 40; // so near to the edge of the window a drag scrolls, in pixels

drawing.addEventListener("pointerdown", (event) => {
  const ctc = event.target.closest(".ctc");
  if (!ctc || event.button || event.pointerType === "touch") return;
  drag = { ctc, x: event.pageX, y: event.pageY, moved: false, key: keyOf(ctc) };
  ctc.setPointerCapture(event.pointerId);
});
drawing.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [x, y] = [event.pageX - drag.x, event.pageY - drag.y];
  if (!drag.moved && Math.hypot(x, y) < 5) return;
  drag.moved = true;
  const scale = drag.ctc.getScreenCTM().a;
  drag.ctc.classList.add("moving");
  drag.ctc.setAttribute("transform", `translate(${x / scale} ${y / scale})`);
  if (event.clientY < EDGE) scrollBy(0, -EDGE / 2);
  if (event.clientY > innerHeight - EDGE) scrollBy(0, EDGE / 2);
  const over = placeAt(drag, event);
  for (const each of drawing.querySelectorAll(".fibre, .channel")) {
    each.classList.toggle("target", each === over);
  }
});
for (const end of ["pointerup", "pointercancel"]) {
  drawing.addEventListener(end, (event) => {
    if (!drag) return;
    const { ctc, moved, key } = drag;
    const over = placeAt(drag, event);
    drag = null;
    ctc.classList.remove("moving");
    ctc.removeAttribute("transform");
    for (const each of drawing.querySelectorAll(".target")) each.classList.remove("target");
    choose(key);
    if (!moved || end === "pointercancel" || !over || over === ctc.closest(".fibre")) return;
    edit({ do: "move", ...key, fibre: over.dataset.fibre ?? fibreOn(over, key) });
  });
}
function placeAt({ ctc, key }, { clientX: x, clientY: y }) { // a fibre, or a channel of the cluster
  const channel = [...drawing.querySelectorAll(".channel")].find((each) => {
    const box = each.getBoundingClientRect();
    return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  });
  if (channel) return fibreOn(channel, key) ? channel : null;
  return fibreAt(ctc.closest("svg"), y);
}
function fibreOn(channel, key) { // by which the CTC's link uses the channel; at best one chpid stays
  const { link, item } = find(key);
  const ends = channel.dataset.ends.split(" ");
  const own = link.fibres.find((fibre) => fibre.name === item.fibre);
  const others = link.fibres.filter((fibre) => fibre !== own
    && link.nodes.some((node, end) => ends.includes(`${node}.${fibre.chpids[end]}`)));
  const near = others.find((fibre) => fibre.chpids.some((chpid, end) => chpid === own.chpids[end]));
  return (near ?? others[0])?.name;
}
function fibreAt(svg, y) {
  return [...svg?.querySelectorAll(".fibre") ?? []].find((each) => {
    const boxes = [...each.querySelectorAll(":scope > .box")].map((box) => box.getBoundingClientRect());
    return boxes.some((box) => y >= box.top && y <= box.bottom);
  });
}
drawing.addEventListener("click", (event) => {
  const element = event.target.closest(".ctc, .heading");
  if (element) choose(keyOf(element));
});

drawing.addEventListener("keydown", (event) => {
  const element = event.target.closest(".ctc, .heading");
  if (!element || event.ctrlKey || event.metaKey) return;
  const key = keyOf(element);
  const done = key.rdev ? ctcKey(event, key) : fibreKey(event, key);
  if (done) event.preventDefault();
});

function ctcKey(event, key) {
  if (event.key === "Enter" || event.key === " ") return choose(key), true;
  if (event.key === "Delete") return edit({ do: "remove", ...key }), true;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step) return false;
  if (!event.altKey) return walk(event.target, step);
  const fibres = [...event.target.closest("svg").querySelectorAll(".fibre")];
  const next = fibres[fibres.indexOf(event.target.closest(".fibre")) + step];
  if (next) edit({ do: "move", ...key, fibre: next.dataset.fibre });
  return true;
}

function fibreKey(event, key) {
  if (event.key === "Enter" || event.key === " ") return choose(key), true;
  if (event.key === "+") return edit({ do: "add", fibre: key.fibre }), true;
  if (event.key.toLowerCase() === "x") return strike([key.fibre]), true;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  return step ? walk(event.target, step) : false;
}

function walk(from, step) {
  const all = [...drawing.querySelectorAll(".ctc, .heading")].filter((each) => each.checkVisibility());
  all[all.indexOf(from.closest(".ctc, .heading")) + step]?.focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target.closest("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) turn(past, future);
  else if (key === "y" || (key === "z" && event.shiftKey)) turn(future, past);
  else return;
  event.preventDefault();
});

// ---- findings show their place, and do what they advise

at("findings").addEventListener("click", ({ target }) => {
  const pressed = target.closest("button[data-finding]");
  if (!pressed) return;
  const { link, finding, way } = pressed.dataset;
  edit({ do: "advise", link, finding, way: Number(way) }).then(() => at("judgement-heading").focus());
});

for (const [on, off] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
  at("findings").addEventListener(on, (event) => mark(event, true));
  at("findings").addEventListener(off, (event) => mark(event, false));
}
function mark(event, marked) {
  const fibres = event.target.closest("[data-fibres]")?.dataset.fibres.split(" ") ?? [];
  for (const each of drawing.querySelectorAll(".fibre")) {
    each.classList.toggle("marked", marked && fibres.includes(each.dataset.fibre));
  }
}

// ---- the address holds the state

async function pack(value) {
  const bytes = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(bytes).arrayBuffer());
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
async function unpack(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(bytes, (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}
let keeping = 0;
function keep() {
  clearTimeout(keeping);
  keeping = setTimeout(async () => {
    const packed = await pack({ version: start.version, ...now });
    history.replaceState(null, "", `#${packed}`);
  }, 100);
}

async function begin() {
  buttons();
  at("source").textContent = start.source;
  if (location.hash.length > 1) {
    const { version, ...held } = await unpack(location.hash.slice(1));
    now = held;
    if (version !== start.version) at("source").textContent += ` (kept by isfc ${version})`;
  }
  if (start.kind === "toml" || location.hash.length > 1) {
    await look({ ...now, source: start.source });
  } else {
    const deck = [{ name: start.source, text: start.text }];
    now = { text: "", struck: [], opened: "" };
    queueMicrotask(() => bring(deck));
  }
  document.documentElement.dataset.begun = "yes";
}
change(begin);
