// The page's part: what is pointed at, the history, and showing what the server says. The server
// renders each section, form and answer; here they are swapped in. Every change goes to it as an
// edit, one after the other.
const start = JSON.parse(document.getElementById("start").textContent);
const at = (id) => document.getElementById(id);
const drawing = at("drawing");

const held = []; // every layout that was shown, for undo and redo
let place = -1; // of the one that is
let now = { text: "", struck: [], opened: "" }; // opened: what changes are compared with
let chosen = "none"; // the id of a CTC or of the heading of a fibre
let judging = new AbortController();
let queue = Promise.resolve();

// ---- asking, and showing what is answered

function lost(error) { // the server is gone, unless it is the page that wants no answer
  throw error.name === "AbortError" ? error : new Error(at("ended").textContent);
}

async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch(lost);
    if (done && rest) throw new Error(rest); // a refusal in words
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part);
  }
}

async function ask(name, body, { act = take, signal } = {}) {
  const sent = fetch(name, { method: "POST", body: JSON.stringify(body), signal });
  for await (const record of lines(await sent.catch(lost))) {
    signal?.throwIfAborted();
    if (record.error) throw new Error(record.error);
    act(record);
  }
}

function take(record) {
  if (record.now) hold(record);
  if (record.sections) swap(record.sections);
  if (record.said) say(record.said);
  if (record.save) save(record.save);
  if (record.focus) scrollTo(0, 0);
  if (record.focus) document.querySelector(record.focus).focus();
}

let keeping = 0;
function hold(record) {
  ({ now, chosen } = record);
  at("text").value = now.text;
  document.title = record.title;
  clearTimeout(keeping); // a browser refuses addresses that change too often
  keeping = setTimeout(() => history.replaceState(null, "", `#${record.address}`), 100);
}

function swap(sections) { // what is selected, unfolded or focused stays so
  const focused = document.activeElement;
  const section = focused.closest("section");
  const folds = () => [...document.querySelectorAll("main details")];
  const key = (each) => each.dataset.keep ?? each.querySelector("summary").textContent;
  const open = new Map(folds().map((each) => [key(each), each.open]));
  for (const [id, html] of Object.entries(sections)) {
    const { value } = at(id);
    at(id).innerHTML = html;
    if ([...at(id).options ?? []].some((each) => each.value === value)) at(id).value = value;
  }
  for (const each of folds()) each.open = open.get(key(each)) ?? each.open;
  if (!focused.isConnected) (at(focused.id) ?? section?.querySelector("h2"))?.focus();
  mark("chosen-one", (each) => each.id === chosen);
  hintWide();
}

const tell = (error) => { at("error").textContent = error?.message ?? ""; };
const say = (text) => { at("said").textContent = text; }; // in the bar, always in sight

// ---- changing

function change(step) { // one after the other, each upon what the one before has made
  judging.abort(); // nobody will see it
  at("judgement").setAttribute("aria-busy", "true");
  const mine = queue = queue.then(step).then(() => tell(), tell);
  mine.then(() => { if (mine === queue && now.opened) judge(); });
  return mine;
}

async function judge() {
  const { signal } = judging = new AbortController();
  await ask("judge", { ...now, pairs: pairs() }, { signal }).catch((error) => {
    if (!signal.aborted) tell(error);
  });
  if (!signal.aborted) at("judgement").setAttribute("aria-busy", "false");
}

const pairs = () => Math.min(10_000, Math.max(1, Math.round(Number(at("pairs").value)) || 50));
const look = (wanted) => ask("look", { ...now, chosen, pairs: pairs(), ...wanted });
const attempt = (step) => queue.then(step).catch(tell); // what changes nothing, after changes
const edit = (wanted) => changed(() => look({ edit: wanted }));

function changed(step) { // so that it can be undone
  return change(async () => {
    await step();
    if (!now.opened || JSON.stringify(held[place]) === JSON.stringify(now)) return;
    held.splice(++place, held.length, now);
    if (held.length > 500) place -= held.splice(0, 1).length;
    buttons();
  });
}

function turn(by) { // undo and redo
  return change(async () => {
    if (!held[place + by]) return;
    await look(held[place + by]);
    place += by;
    buttons();
    say(by < 0 ? "Undone." : "Done again.");
  });
}

function buttons() {
  at("undo").disabled = !held[place - 1];
  at("redo").disabled = !held[place + 1];
}

function choose({ id }) {
  chosen = id;
  attempt(async () => {
    await ask("chosen", { ...now, chosen });
    at("chosen").scrollIntoView({ block: "nearest" });
  });
}

function mark(kind, is) { // something of the drawing
  for (const each of drawing.querySelectorAll("g")) each.classList.toggle(kind, is(each));
}

// ---- forms and buttons: their data are what is to be done with what is filled in

function filled(form, submitter) {
  const said = JSON.parse(form.dataset.body ?? "{}");
  for (const [name, value] of new FormData(form, submitter)) {
    const { type } = form.elements[name];
    if (name.endsWith("[]")) (said[name.slice(0, -2)] ??= []).push(value);
    else if (value) said[name] = type === "number" ? Number(value) : value;
  }
  return said;
}

const SENT = {
  edit,
  decide: (said) => attempt(async () => (
    show(at("decided"), "decide", { files: await contents(), said }))),
  import: (said) => bring(brought, said),
  panel: (said, form) => show(form.parentElement.querySelector(".output"), "panel", said),
  run,
  text: ({ text }) => bring([new File([text ?? ""], "the pasted text")]),
};
addEventListener("submit", (event) => {
  event.preventDefault();
  SENT[event.target.dataset.send](filled(event.target, event.submitter), event.target);
});
addEventListener("change", ({ target: { form } }) => {
  const { when, least } = form?.dataset ?? {};
  const isEnough = form?.querySelectorAll("input:checked").length >= (least ?? 0);
  if (when === "changed" && isEnough) form.requestSubmit();
  if (form?.go) form.go.disabled = !isEnough;
});
addEventListener("click", (event) => {
  const { target } = event;
  const pressed = target.closest("button, .heading");
  if (pressed?.dataset.edit) edit(JSON.parse(pressed.dataset.edit));
  if (pressed?.dataset.save) attempt(() => ask("download", { ...now, what: pressed.dataset.save }));
  if (pressed?.dataset.turn) turn(Number(pressed.dataset.turn));
  if (pressed?.matches(".heading")) choose(pressed);
  const part = target.closest("a[href^='#']");
  if (!part) return;
  event.preventDefault(); // the address holds the layout
  at(part.hash.slice(1)).scrollIntoView();
});
at("pairs").addEventListener("change", () => change(() => look({})));

// ---- what is brought in

let brought = []; // files that more may be to be told of
function bring(files, said = {}) { // what is opened anew is what changes are compared with
  return changed(async () => {
    brought = files;
    await ask("import", { ...now, files: await contents(), said });
  });
}
function contents() { // in Base64, as not all is text
  return Promise.all(brought.map(async (file) => {
    const bytes = Array.from(new Uint8Array(await file.arrayBuffer()));
    const data = btoa(bytes.map((each) => String.fromCharCode(each)).join(""));
    return { name: file.name, data };
  }));
}
at("open").addEventListener("change", ({ target }) => {
  at("decided").stop?.();
  at("decided").replaceChildren();
  bring([...target.files]);
  target.value = "";
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  addEventListener(kind, (event) => {
    document.body.classList.toggle("dropping", kind === "dragover");
    if (kind !== "dragleave") event.preventDefault();
    if (kind !== "drop" || !event.dataTransfer.files.length) return;
    at("open").files = event.dataTransfer.files;
    at("open").dispatchEvent(new Event("change"));
  });
}

// ---- what takes its time: runs, losses, relocations, downloads

async function show(output, name, said) { // what is answered, or its error
  output.stop?.();
  const ending = new AbortController();
  const shown = () => now.text + now.struck;
  const about = shown();
  output.stop = () => ending.abort();
  output.replaceChildren(at("computing").content.cloneNode(true));
  output.setAttribute("aria-busy", "true");
  const [words, bar, stop] = output.children;
  stop.addEventListener("click", output.stop);
  output.scrollIntoView({ block: "nearest" });
  let title = "";
  const act = (record) => {
    title = record.title ?? title;
    if (record.share) bar.value = record.share;
    words.textContent = `${title || "Computing"}: ${Math.round(100 * bar.value)} %`;
    if (record.cells) output.outerHTML = record.cells;
    if (record.html !== undefined) output.innerHTML = record.html;
    if (record.page) showDecision(output, record);
    if (record.html && about !== shown()) output.append("(of the layout before the last change)");
    take(record);
  };
  await ask(name, { ...now, ...said }, { act, signal: ending.signal }).catch((error) => {
    const why = ending.signal.aborted ? "stopped" : error.message;
    if (bar.isConnected) output.textContent = title ? `${title}: ${why}` : why;
  });
  if (bar.isConnected) return; // it was asked anew
  hintWide();
  output.setAttribute("aria-busy", "false");
  (output.firstElementChild ?? output).scrollIntoView({ block: "nearest" });
}

function showDecision(output, { page, layouts }) { // the page itself, which may be saved
  const plain = page.replace(/<style>[^]*?<\/style>/g, ""); // which only the page's own may be
  const { body } = new DOMParser().parseFromString(plain, "text/html");
  for (const each of body.querySelectorAll("[aria-label]")) each.ariaLabel += ", decided";
  const tools = Object.assign(document.createElement("div"), { className: "tools" });
  const offer = (textContent, act) => {
    const button = Object.assign(document.createElement("button"), { textContent });
    button.addEventListener("click", act);
    tools.append(button);
  };
  offer("Save decision.html", () => save({ name: "decision.html", content: page, type: "text/html" }));
  for (const [name, text] of Object.entries(layouts)) {
    if (text) offer(`Open ${name}`, () => bring([new File([text], name)]));
  }
  output.replaceChildren(tools, ...body.querySelectorAll("article"));
  output.scrollIntoView();
}

function run(said) {
  const body = at("run-table").tBodies[0];
  const row = { ...said, number: body.rows.length + 1, changes: place };
  show(Object.assign(body.insertRow(0).insertCell(), { colSpan: 9 }), "run", row);
}

async function save({ name, content, type = "text/plain" }) {
  const blob = new Blob([content], { type });
  const href = URL.createObjectURL(name.endsWith(".png") ? await painted(content) : blob);
  Object.assign(document.createElement("a"), { href, download: name }).click();
  say(`${name} is downloaded.`);
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

async function painted(svg) { // a drawing as PNG, on the colour of the page
  const picture = new Image();
  picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await picture.decode();
  const sides = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg).slice(1);
  const [width, height] = sides.map((side) => 2 * side);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0, width, height);
  return new Promise((made) => { canvas.toBlob(made, "image/png"); });
}

// ---- the drawing: pointer and keys

const EDGE = 40; // so near to the edge of the window a drag scrolls, in pixels
let drag = null;

drawing.addEventListener("pointerdown", (event) => {
  const ctc = event.target.closest(".ctc");
  if (!ctc || event.button || event.pointerType === "touch") return;
  drag = { ctc, x: event.pageX, y: event.pageY };
  ctc.setPointerCapture(event.pointerId);
});
drawing.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [x, y] = [event.pageX - drag.x, event.pageY - drag.y];
  if (!drag.ctc.matches(".moving") && Math.hypot(x, y) < 5) return;
  const scale = drag.ctc.getScreenCTM().a;
  drag.ctc.classList.add("moving");
  drag.ctc.setAttribute("transform", `translate(${x / scale} ${y / scale})`);
  if (event.clientY < EDGE) scrollBy(0, -EDGE / 2);
  if (event.clientY > innerHeight - EDGE) scrollBy(0, EDGE / 2);
  const over = placeAt(drag.ctc, event);
  mark("target", (each) => each === over);
});
for (const end of ["pointerup", "pointercancel"]) {
  drawing.addEventListener(end, (event) => {
    if (!drag) return;
    const { ctc } = drag;
    const moved = ctc.matches(".moving") && end === "pointerup";
    const over = placeAt(ctc, event);
    drag = null;
    ctc.classList.remove("moving");
    ctc.removeAttribute("transform");
    mark("target", () => false);
    choose(ctc);
    if (!moved || !over || over === ctc.closest(".fibre")) return;
    const { fibre, ends } = over.dataset;
    edit({ do: "move", ...ctc.dataset, ...(fibre ? { fibre } : { ends }) });
  });
}
function placeAt(ctc, { clientX, clientY }) { // a fibre of its link, or a channel for it
  const over = document.elementFromPoint(clientX, clientY)?.closest(".fibre, .channel");
  return over?.dataset.links.split(" ").includes(ctc.dataset.link) ? over : null;
}

drawing.addEventListener("keydown", (event) => {
  const element = event.target.closest(".ctc, .heading");
  if (!element || event.ctrlKey || event.metaKey) return;
  const { link, rdev, fibre } = element.dataset;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.key === "Enter" || event.key === " ") choose(element);
  else if (step && event.altKey && rdev) edit({ do: "move", link, rdev, step });
  else if (step) walk(element, step);
  else if (event.key === "Delete" && rdev) edit({ do: "remove", link, rdev });
  else if (event.key === "+" && fibre) edit({ do: "add", fibre });
  else if (event.key.toLowerCase() === "x" && fibre) edit({ do: "strike", fibres: [fibre] });
  else return;
  event.preventDefault();
});
function walk(from, step) {
  const all = [...drawing.querySelectorAll(".ctc, .heading")];
  const seen = all.filter((each) => each.checkVisibility());
  seen[seen.indexOf(from) + step]?.focus();
}
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target.closest("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) turn(-1);
  else if (key === "y" || key === "z") turn(1);
  else return;
  event.preventDefault();
});

for (const kind of ["mouseover", "focusin"]) {
  addEventListener(kind, ({ target }) => { // a finding, whose place is shown
    const fibres = target.closest("[data-fibres]")?.dataset.fibres.split(" ") ?? [];
    mark("marked", (each) => fibres.includes(each.dataset.fibre));
  });
}

changed(async () => {
  const address = location.hash.slice(1);
  const { text, source } = start;
  if (address || start.is_layout) await look({ text, source, address });
  else queueMicrotask(() => bring([new File([text], source)]));
  document.documentElement.dataset.begun = "yes";
});
