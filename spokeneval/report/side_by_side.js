"use strict";
const items = [...document.querySelectorAll(".pairs > li")];
const texts = items.map((item) => item.textContent.toLowerCase());
const make = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const kinds = [["", "all"], ["up", "better"], ["down", "worse"], ["same", "unchanged"]];
const search = make("input", { type: "search", placeholder: "id or words" });
const kind = make("select", {}, ...kinds.map(([value, text]) => make("option", { value }, text)));
const zoom = make("input", { type: "range", min: 60, max: 250, value: 100 });
const count = make("output", {});
let chosen = null; // the places of the items of a gain
const show = () => {
  const words = search.value.normalize().toLowerCase().split(/\s+/).filter(Boolean);
  items.forEach((item, place) => {
    const kept = (!chosen || chosen.has(place)) && (!kind.value || item.className === kind.value);
    item.hidden = !(kept && words.every((word) => texts[place].includes(word)));
  });
  count.value = `${items.filter((item) => !item.hidden).length} of ${items.length} items`;
};
const choose = (places, word) => {
  [chosen, kind.value, search.value] = [places, "", word];
  show();
};
const fields = [["Search", search], ["Items", kind], ["Zoom", zoom]];
const tools = make("div", { className: "tools" }, ...fields.map(([title, field]) => make("label", {}, title, " ", field)));
tools.append(count);
document.querySelector(".legend").after(tools);
for (const field of [search, kind]) {
  field.addEventListener("input", () => {
    chosen = null;
    show();
  });
}
zoom.addEventListener("input", () => {
  for (const list of document.querySelectorAll(".pairs")) list.style.fontSize = `${zoom.value}%`;
});
for (const gain of document.querySelectorAll("[data-rows]")) {
  const places = new Set(gain.dataset.rows.split(" ").map(Number));
  const button = make("button", { type: "button" }, `show ${places.size}`);
  button.addEventListener("click", () => {
    choose(places, "");
    tools.scrollIntoView();
  });
  gain.append(" ", button);
}
document.querySelector("main").addEventListener("click", (event) => {
  const word = event.target.closest(".w b");
  if (word) choose(null, word.firstElementChild.textContent);
});
show();
