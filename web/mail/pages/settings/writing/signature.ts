/** A signature as text, and as the HTML that is kept of it. */

const LINK = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)]/g;

/** What it says, line by line. Nothing of it is shown or run: the document is never one of the page. */
export function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const hidden of body.querySelectorAll('script, style, template, title')) hidden.remove();
  for (const end of body.querySelectorAll('br')) end.replaceWith('\n');
  for (const block of body.querySelectorAll('p, div, li, tr, h1, h2, h3')) block.append('\n');
  return (body.textContent ?? '').replace(/\n{3,}/g, '\n\n').trim();
}

export function htmlOf(text: string): string {
  const lines = text.trim();
  if (lines === '') return '';
  return `<p>${lines.split('\n').map(withLinks).join('<br>')}</p>`;
}

function withLinks(line: string): string {
  let html = '';
  let end = 0;
  for (const { 0: url, index } of line.matchAll(LINK)) {
    html += `${escaped(line.slice(end, index))}<a href="${escaped(url)}">${escaped(url)}</a>`;
    end = index + url.length;
  }
  return html + escaped(line.slice(end));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
