// SPDX-License-Identifier: Apache-2.0
// The least contrast of text and what is behind it, as WCAG 2 defines it for sRGB.
const light = text => text.match(/[\d.]+/g).slice(0, 3)
  .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
const behind = e => {
  for (; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if (!/, 0\)$/.test(colour)) return colour;
  }
  return 'rgb(255, 255, 255)';
};
const shown = e => !e.closest('svg') && e.offsetParent
  && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
return Math.min(...[...document.querySelectorAll('body *')].filter(shown)
  .map(e => [light(getComputedStyle(e).color), light(behind(e))])
  .map(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)));
