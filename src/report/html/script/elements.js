"use strict";

// Everything that is shown goes through here: elements are made by name, texts are texts, and nothing is ever markup.

const SVG = "http://www.w3.org/2000/svg";

// Characters that move the cursor, reorder letters or are not seen are spelled out.
const DANGEROUS =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]|[\u{e0000}-\u{e007f}]/gu;

function plain(text) {
  return String(text).replace(DANGEROUS, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

// Children are elements, texts, or nothing (null, undefined, false).
function fill(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : plain(child));
  }
  return parent;
}

function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "onclick") element.addEventListener("click", value);
    else element.setAttribute(key, value === true ? "" : plain(value));
  }
  return fill(element, children);
}

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const SIGNS = { pass: "✓", fail: "✕", error: "!", undecided: "?", quarantined: "‖", skipped: "–", held: "✓", violated: "✕", not_exercised: "–", open: "?" };
const TONES = { held: "pass", violated: "fail", not_exercised: "skipped", open: "undecided" };

function standing(status, word) {
  const tone = TONES[status] ?? status;
  return el("span", { class: `standing ${tone}`, "data-sign": SIGNS[status] ?? "" }, word ?? status);
}

// A bar that is full at 1, with a line where it should reach.
function bar(share, tone, least) {
  const length = Math.max(0, Math.min(1, share)) * 100;
  const picture = svg("svg", { class: `bar ${tone}`, viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  picture.append(svg("rect", { width: length.toFixed(2), height: 1 }));
  if (least > 0 && least < 1) {
    picture.append(svg("line", { x1: least * 100, x2: least * 100, y1: 0, y2: 1 }));
  }
  return picture;
}

// `names` within a sentence, as messages write them.
function sentence(text) {
  const parts = String(text).split("`");
  const closed = parts.length % 2 === 1;
  return parts.map((part, index) => {
    if (!closed) return index ? "`" + part : part;
    return index % 2 && part ? el("code", {}, part) : part;
  });
}

// A long list is shown in portions.
function portions(list, items, size, render) {
  let shown = 0;
  const more = el("button", { type: "button", class: "plain" });
  const next = () => {
    list.append(...items.slice(shown, shown + size).map((item, index) => render(item, shown + index)));
    shown = Math.min(shown + size, items.length);
    more.hidden = shown === items.length;
    more.textContent = `Show ${Math.min(size, items.length - shown)} more of ${items.length}`;
  };
  more.addEventListener("click", () => {
    const first = shown;
    next();
    list.children[first]?.querySelector("summary, a, button")?.focus();
  });
  next();
  list.total = items.length;
  // Shows portions until the item is there.
  list.reach = (index) => {
    while (index < items.length && shown <= index) next();
    return list.children[index];
  };
  return [list, more];
}

function percent(share) {
  return `${Math.round(share * 1000) / 10}%`;
}

// Four decimals at most, as a person writes them.
function number(value) {
  return String(Math.round(value * 1e4) / 1e4);
}

function duration(ms) {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.round(ms / 60000)} min`;
}

function counted(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

// Two digits of the smallest cost, no more than four of any.
function dollars(usd) {
  return `$${usd >= 0.01 ? number(usd) : Number(usd.toPrecision(2))}`;
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

// A name that may break after its separators, and only where nothing else helps within a word.
function breakable(text) {
  return text.split(/(?<=[/_:-])(?![/_:-])/).flatMap((part, nth) => (nth ? [el("wbr"), part] : [part]));
}
