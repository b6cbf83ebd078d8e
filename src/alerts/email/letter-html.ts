/** Writes a letter as HTML for mail apps: inline styles, one column, no images, and a style sheet for dark mode alone. */
import { escapeHtml } from '../../rfc/html/write-shown.ts';
import { type Block, type Letter, type Link, oneLine } from './letter.ts';

/** The colors of web/ui/tokens.css, light and dark. A mail app that ignores the style sheet shows the light ones. */
const COLORS = {
  text: ['#14181f', '#eceff4'],
  quiet: ['#586272', '#a0a9b8'],
  accent: ['#1d5bd6', '#7cabff'],
  bad: ['#b3202f', '#ff8f94'],
  warn: ['#8a4f00', '#efb452'],
  good: ['#0f6b3a', '#63d297'],
} as const;
const PAGE = ['#ffffff', '#0c0e12'] as const;
const LINE = ['#e5e8ed', '#242932'] as const;
const FILL = ['#1d5bd6', '#356de0'] as const;

const DARK = [
  `body{background:${PAGE[1]}!important}`,
  ...Object.entries(COLORS).map(([name, [, dark]]) => `.${name}{color:${dark}!important}`),
  `.line{border-color:${LINE[1]}!important}`,
  `.fill{background:${FILL[1]}!important}`,
].join('');
const FONT =
  "font:15px/24px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;overflow-wrap:anywhere";
const SMALL = 'font-size:13px;line-height:20px';

export function htmlOf({ subject, blocks }: Letter): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title>
<style>@media(prefers-color-scheme:dark){${DARK}}</style></head>
<body style="margin:0;background:${PAGE[0]}">
<div ${colored('text', `${FONT};max-width:600px;margin:0 auto;padding:24px 16px`)}>
${blocks.map(blockHtml).join('\n')}
</div></body></html>
`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'title':
      return `<h1 style="font-size:20px;line-height:28px;font-weight:600;margin:0 0 12px">${shown(block.text)}</h1>`;
    case 'heading':
      return `<h2 style="font-size:16px;line-height:24px;font-weight:600;margin:28px 0 8px">${shown(block.text)}</h2>`;
    case 'paragraph':
      return `<p style="margin:0 0 12px">${shown(block.text)}</p>`;
    case 'note':
      return `<p ${lined('quiet', `${SMALL};margin:28px 0 0;padding-top:12px`)}>${shown(block.text)}</p>`;
    case 'link':
      return `<p style="margin:8px 0 0;${SMALL}">${linkHtml(block.link)}</p>`;
    case 'button':
      return `<p style="margin:20px 0"><a class="fill" href="${escapeHtml(block.link.url)}" style="display:inline-block;background:${FILL[0]};color:#ffffff;text-decoration:none;font-weight:500;padding:8px 16px;border-radius:6px">${shown(block.link.name)}</a></p>`;
    case 'item':
      return itemHtml(block);
    case 'table':
      return tableHtml(block);
  }
}

function itemHtml({ tone, label, text, detail, link }: Extract<Block, { kind: 'item' }>): string {
  return [
    `<div ${lined('text', 'padding:12px 0')}>`,
    `<div ${colored(tone, `${SMALL};font-weight:600`)}>${shown(label)}</div>`,
    `<div>${shown(text)}</div>`,
    ...(detail === '' ? [] : [`<div ${colored('quiet', SMALL)}>${shown(detail)}</div>`]),
    ...(link === null ? [] : [`<div style="${SMALL}">${linkHtml(link)}</div>`]),
    '</div>',
  ].join('');
}

function tableHtml({ head, rows }: Extract<Block, { kind: 'table' }>): string {
  const row = (cells: readonly string[], tag: 'th' | 'td') =>
    cells
      .map((cell, at) => {
        const style = `text-align:${at === 0 ? 'left' : 'right'};padding:6px 0 6px ${at === 0 ? 0 : 16}px;font-variant-numeric:tabular-nums`;
        return tag === 'th'
          ? `<th scope="col" ${colored('quiet', `${SMALL};font-weight:400;${style}`)}>${shown(cell)}</th>`
          : `<td ${lined('text', style)}>${shown(cell)}</td>`;
      })
      .join('');
  return [
    '<table style="border-collapse:collapse;width:100%;margin:0 0 16px;font-size:15px;line-height:24px">',
    `<tr>${row(head, 'th')}</tr>`,
    ...rows.map((cells) => `<tr>${row(cells, 'td')}</tr>`),
    '</table>',
  ].join('');
}

function linkHtml({ name, url }: Link): string {
  return `<a href="${escapeHtml(url)}" ${colored('accent', '')}>${shown(name)}</a>`;
}

function colored(color: keyof typeof COLORS, style: string): string {
  return `class="${color}" style="color:${COLORS[color][0]};${style}"`;
}

/** With a line above. */
function lined(color: keyof typeof COLORS, style: string): string {
  return `class="${color} line" style="color:${COLORS[color][0]};border-top:1px solid ${LINE[0]};${style}"`;
}

function shown(text: string): string {
  return escapeHtml(oneLine(text));
}
