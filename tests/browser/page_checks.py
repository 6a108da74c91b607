"""What is measured on a page, by scripts that run in it."""

from __future__ import annotations

WIDER_THAN_SCREEN = """() => {
  const wide = document.documentElement.clientWidth;
  const scrolls = (element) => element.closest('.scroll, pre, .skip, .says, .unseen');
  return [...document.body.querySelectorAll('*')]
    .filter((element) => !scrolls(element) && !element.closest('svg') && element.checkVisibility())
    .filter((element) => { const box = element.getBoundingClientRect(); return box.right > wide + 1 || box.left < -1; })
    .map((element) => element.outerHTML.slice(0, 120));
}"""
"""Elements that stick out of the screen, but for those in boxes that scroll."""

OVERLAPPING_LABELS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('.plot svg')) {
    if (!svg.checkVisibility()) continue;
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const frame = svg.getBoundingClientRect();
    boxes.forEach((box, i) => {
      if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.bottom > frame.bottom + 2)
        found.push('outside: ' + texts[i].textContent);
      boxes.slice(0, i).forEach((other, j) => {
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        const turned = [texts[i], texts[j]].some((text) => /rotate/.test(text.getAttribute('transform')));
        if (!turned && across > 1 && down > 3) found.push(texts[j].textContent + ' / ' + texts[i].textContent);
      });
    });
  }
  return found;
}"""
"""Labels of drawings that lie on one another (boxes of turned text say nothing), or outside of their drawing."""

OVERLAPPING_BLOCKS = """() => {
  const kinds = 'h1, h2, h3, p, .scroll, figure, .notes, .folded, pre, nav';
  const blocks = [...document.querySelectorAll(kinds)].filter((block) => block.checkVisibility()
    && !block.closest('.skip') && !block.parentElement.closest('.folded'));
  const found = [];
  blocks.forEach((block, i) => blocks.slice(0, i).forEach((other) => {
    if (other.contains(block)) return;
    const a = block.getBoundingClientRect(), b = other.getBoundingClientRect();
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 1) found.push(other.textContent.slice(0, 40) + ' / ' + block.textContent.slice(0, 40));
  }));
  return found;
}"""
"""Headings, paragraphs, tables and figures that lie on one another."""

SHRUNK = """() => [...document.querySelectorAll('.plot svg')].filter((svg) => svg.checkVisibility())
  .map((svg) => [svg.getBoundingClientRect().width / svg.viewBox.baseVal.width, svg.getAttribute('aria-label')])
  .filter(([scale]) => scale < 0.97 || scale > 1.03)"""
"""Drawings whose text is not of the size that it was drawn with."""

LOW_CONTRAST = """() => {
  const parse = (colour) => {
    const parts = (colour.match(/[\\d.]+/g) || []).map(Number);
    return parts.length < 4 ? [...parts, 1] : parts;
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let it = element; it; it = it.parentElement) {
      const colour = parse(getComputedStyle(it).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return parse(getComputedStyle(document.body).backgroundColor);
  };
  const under = (text) => {
    const svg = text.closest('svg'), box = text.getBoundingClientRect();
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const fills = [...svg.querySelectorAll('path, rect')].filter((path) => {
      const area = path.getBoundingClientRect();
      return area.left <= x && x <= area.right && area.top <= y && y <= area.bottom
        && /^#/.test(path.getAttribute('fill') || '')
        && (path.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING);
    });
    return fills.length ? parse(getComputedStyle(fills.pop()).fill) : behind(svg);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement, style = getComputedStyle(element);
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest('script, style, .skip, title, desc, .anchor')) continue;
    const inside = element.closest('svg');
    const ratio = inside ? contrast(parse(style.fill), under(element)) : contrast(parse(style.color), behind(element));
    const onRamp = inside && /^#/.test(element.closest('[fill]').getAttribute('fill'));
    const least = onRamp ? 4.3 : 4.5; // the middle of a ramp has no better
    if (ratio < least) found.push(ratio.toFixed(2) + ' ' + walker.currentNode.textContent.trim().slice(0, 60));
  }
  return found;
}"""
"""Text that is hard to read."""
