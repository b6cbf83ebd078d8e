/**
 * Turns the lists of Microsoft Word into lists. Word writes each item as a paragraph with a marker and a level in its style, for example
 * `mso-list: l0 level2 lfo1`.
 */
const LIST = /mso-list\s*:\s*\w+\s+level(\d)/i;
const NUMBERED = /^\(?(?:\d+|[a-z]{1,4})[.)]/i;

/** @param body a document whose style attributes are named `data-style` */
export function readWordLists(body: HTMLElement): void {
  /** The open lists, from the outermost to the innermost. */
  let open: HTMLElement[] = [];
  let last: Element | null = null;
  for (const paragraph of body.querySelectorAll<HTMLElement>(
    'p[data-style*="mso-list"], p[data-style*="MSO-LIST"]',
  )) {
    const level = Number(LIST.exec(paragraph.dataset['style'] ?? '')?.[1] ?? 0);
    if (level === 0) continue;
    if (last !== paragraph.previousElementSibling || last === null) open = [];
    const marker = [...paragraph.querySelectorAll<HTMLElement>('[data-style]')].find(({ dataset }) =>
      /mso-list\s*:\s*ignore/i.test(dataset['style'] ?? ''),
    );
    const tag = NUMBERED.test(marker?.textContent?.trim() ?? '') ? 'ol' : 'ul';
    marker?.remove();
    open.length = Math.min(open.length, level);
    while (open.length < level) {
      const list = paragraph.ownerDocument.createElement(tag);
      const parent = open.at(-1);
      if (parent === undefined) paragraph.before(list);
      else
        (parent.lastElementChild ?? parent.appendChild(paragraph.ownerDocument.createElement('li'))).append(
          list,
        );
      open.push(list);
    }
    const item = paragraph.ownerDocument.createElement('li');
    item.append(...paragraph.childNodes);
    open.at(-1)?.append(item);
    paragraph.remove();
    [last = null] = open;
  }
}
