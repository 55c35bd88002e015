"use strict";
const number = (text) => {
  const found = text.match(/[-−]?[0-9]+([.][0-9]+)?/);
  return found ? Number(found[0].replace("−", "-")) : null;
};
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, place) => {
    const numeric = head.classList.contains("number");
    const value = (row) => {
      const text = row.cells[place].textContent.trim();
      return numeric ? number(text) : text || null;
    };
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [value(row), row]);
      rows.sort(([one], [other]) => one === null || other === null ? (one === null) - (other === null)
        : sign * (numeric ? one - other : one.localeCompare(other)));
      body.append(...rows.map(([, row]) => row));
      table.classList.add("sorted");
    });
  });
}
const ranking = document.querySelector("table.ranking");
const label = document.createElement("label"), field = document.createElement("input");
const count = document.createElement("output");
field.type = "search";
label.className = "filter";
label.append("Filter systems ", field, " ", count);
ranking.closest(".scroll").before(label);
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(" ").filter(Boolean), rows = [...ranking.tBodies[0].rows];
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
  count.value = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
});
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
