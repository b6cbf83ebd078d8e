import { escapeHtml } from '../../rfc/html/write-shown.ts';
import type { FoundMessage } from './find-message.ts';
import type { OpenedMessage } from './message-thread.ts';

type People = FoundMessage['summary']['to'];

const STYLE =
  'dl{all:revert;display:grid!important;grid-template-columns:max-content 1fr;gap:2px 16px;font:13px system-ui,sans-serif;border-bottom:1px solid #999;padding-bottom:12px;margin:0 0 16px}dt{color:#555}dd{margin:0}pre{white-space:pre-wrap;font:inherit}';
const HEAD =
  '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Message</title>';

/** @param document of its HTML; null: there is none */
export function printPage(
  { summary }: FoundMessage,
  { text }: OpenedMessage['message'],
  document: string | null,
): string {
  const rows = [
    ['Subject', summary.subject],
    ['From', listed(summary.from)],
    ['To', listed(summary.to)],
    ['Cc', listed(summary.cc)],
    ['Date', summary.date ?? summary.received_at],
  ].filter(([, value]) => value !== '');
  const header = `<style>${STYLE}</style><dl>${rows.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`;
  // As a function: in a text a `$` of a subject would stand for pieces of the document.
  if (document !== null) return document.replace('</style>', () => `</style>${header}`);
  const said = text.blocks.map(({ depth, spans }) => {
    const lines = spans.map((span) => span.text).join('');
    return depth === 0 ? lines : lines.replaceAll(/^/gm, `${'>'.repeat(depth)} `);
  });
  return `${HEAD}${header}<pre>${escapeHtml(said.join('\n'))}</pre>`;
}

function listed(people: People): string {
  return people.map(({ name, address }) => (name === null ? address : `${name} <${address}>`)).join(', ');
}
