/* The search: a section is found when it has all words, as beginnings of words; its heading counts most,
 * then the title of its page. */
(function () {
  "use strict";
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const up = document.body.dataset.up;
  const most = 12;

  const folded = INDEX.map(function (row) {
    return row.slice(2).map((text) => " " + text.toLowerCase());
  });

  function begins(text, word) {
    let at = text.indexOf(word);
    while (at > 0 && /[a-z0-9]/.test(text[at - 1]) && /[a-z0-9]/.test(word[0])) at = text.indexOf(word, at + 1);
    return at;
  }

  function score(row, words) {
    let sum = 0;
    for (const word of words) {
      const [title, heading, text] = folded[row].map((part) => begins(part, word) >= 0);
      if (!title && !heading && !text) return 0;
      sum += 10 * heading + 3 * title + text;
    }
    return INDEX[row][3].toLowerCase() === words.join(" ") ? sum + 20 : sum;
  }

  function excerpt(text, words) {
    const at = Math.max(0, Math.min(...words.map((word) => {
      const one = begins(" " + text.toLowerCase(), word);
      return one < 0 ? Infinity : one;
    })) - 40);
    if (!isFinite(at)) return text.slice(0, 140);
    return (at ? "… " : "") + text.slice(at, at + 140);
  }

  function line(row, words) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const [page, anchor, title, heading, text] = INDEX[row];
    link.href = up + "/" + page + "#" + anchor;
    const head = document.createElement("strong");
    head.textContent = heading === title ? title : heading + " — " + title;
    const rest = document.createElement("span");
    rest.textContent = excerpt(text, words);
    link.append(head, rest);
    item.append(link);
    return item;
  }

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = words.length ? INDEX.map((_, row) => [score(row, words), row]) : [];
    const best = rows.filter((one) => one[0]).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, most);
    found.replaceChildren(...best.map((one) => line(one[1], words)));
    if (words.length && !best.length) {
      const none = document.createElement("li");
      none.textContent = "No section has all these words.";
      found.append(none);
    }
    found.hidden = !words.length;
  }

  function step(by) {
    const links = [...found.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + by;
    if (next < 0 || !links.length) input.focus();
    else links[Math.min(next, links.length - 1)].focus();
  }

  input.addEventListener("input", show);
  document.addEventListener("keydown", function (event) {
    const inside = event.target === input || found.contains(event.target);
    if (event.key === "/" && event.target !== input) input.focus();
    else if (event.key === "Escape" && inside) { found.hidden = true; input.blur(); }
    else if (event.key === "ArrowDown" && inside) step(1);
    else if (event.key === "ArrowUp" && inside) step(-1);
    else if (event.key === "Enter" && event.target === input) found.querySelector("a")?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", function (event) {
    if (event.target !== input) found.hidden = true;
  });
  if (matchMedia("(max-width: 60rem)").matches) document.getElementById("menu").open = false;
})();
