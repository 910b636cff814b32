// Says above what is wider than its place that the rest of it can be scrolled to. The last two
// are tables and code on the pages of the documentation. The studio calls it for what it shows.
const BOXES = ".drawing, .wide, .scrolls, .table-wrapper, .highlight > pre";
function hintWide() {
  for (const box of document.querySelectorAll(BOXES)) {
    const cut = box.scrollWidth > box.clientWidth + 1;
    let hint = box.previousElementSibling;
    if (!hint || hint.className !== "hint") {
      if (!cut) continue;
      hint = document.createElement("p");
      hint.className = "hint";
      hint.textContent = "More to the right: scroll sideways →";
      box.before(hint);
    }
    hint.hidden = !cut;
  }
}
addEventListener("resize", hintWide);
document.addEventListener("toggle", hintWide, true); // of details, when they are opened
hintWide();
