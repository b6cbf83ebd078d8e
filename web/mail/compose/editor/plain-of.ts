/**
 * The text of HTML, line by line. The HTML is neither displayed nor run, because the parsed document never becomes part of the page.
 */
export function plainOf(html: string): string {
  const renamed = html.replaceAll(/([\s"'/])style(?=\s*=)/gi, '$1data-style');
  const { body } = new DOMParser().parseFromString(renamed, 'text/html');
  for (const hidden of body.querySelectorAll('script, style, template, title')) hidden.remove();
  for (const end of body.querySelectorAll('br')) end.replaceWith('\n');
  for (const cell of body.querySelectorAll('td + td, th + td, th + th')) cell.prepend('\t');
  for (const block of body.querySelectorAll('p, div, li, tr, h1, h2, h3')) block.append('\n');
  return body.textContent.replace(/\n{3,}/g, '\n\n').trim();
}
