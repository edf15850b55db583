// Run in the page by test_page.py: what every state of the page must keep. Returns a list of faults.
(() => {
  const faults = [];
  const number = (text) => text.match(/[\d.]+/g).map(Number);
  const colour = (text) => {
    const [r, g, b, a = 1] = number(text);
    return { r, g, b, a };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a),
    g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a),
    a: 1,
  });
  const light = ({ r, g, b }) => {
    const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (node) => {
    const above = [];
    for (let at = node; at; at = at.parentElement) {
      const own = colour(getComputedStyle(at).backgroundColor);
      if (own.a) above.push(own);
      if (own.a === 1) break;
    }
    return above.reverse().reduce((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const shown = (node) =>
    node.getClientRects().length > 0 &&
    getComputedStyle(node).visibility === "visible" &&
    !node.closest(".hidden, .board, .matrix, noscript");
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = walk.nextNode());) {
    const node = text.parentElement;
    if (!text.data.trim() || !shown(node)) continue;
    const style = getComputedStyle(node);
    const behind = ground(node);
    const ink = over(colour(node instanceof SVGElement ? style.fill : style.color), behind);
    const [a, b] = [light(ink), light(behind)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const wanted = large ? 3 : 4.5;
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < wanted)
      faults.push(`contrast ${ratio.toFixed(2)} of '${text.data.trim().slice(0, 40)}' (${node.outerHTML})`);
  }
  for (const plot of document.querySelectorAll(".plot-picture")) {
    const frame = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll(".plot-text")].filter(shown);
    const boxes = texts.map((text) => text.getBoundingClientRect());
    boxes.forEach((box, i) => {
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)
        faults.push(`the label '${texts[i].textContent}' of a plot is cut off`);
      const meets = (other) =>
        box.left < other.right && other.left < box.right && box.top + 2 < other.bottom && other.top + 2 < box.bottom;
      if (boxes.slice(0, i).some(meets)) faults.push(`the label '${texts[i].textContent}' of a plot is over another`);
    });
    const labels = texts.filter((text) => !text.matches(".plot-end")).map((text) => text.textContent);
    if (new Set(labels).size < labels.length) faults.push(`labels of a plot are there twice: ${labels.join(", ")}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  for (const id of new Set(ids))
    if (ids.filter((other) => other === id).length > 1) faults.push(`the id '${id}' is there twice`);
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll("main *, .top *")].find(
      (node) => node.getBoundingClientRect().right > innerWidth + 1 && !node.closest(".list, .scroll, .path, .tree"),
    );
    const where = wide?.outerHTML.slice(0, 120);
    faults.push(`the page is ${document.documentElement.scrollWidth} pixels wide, the window ${innerWidth}: ${where}`);
  }
  if (document.querySelectorAll("h1").length !== 1) faults.push("there is not one h1");
  return faults;
})();
