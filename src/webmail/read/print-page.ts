import { escapeHtml } from '../../rfc/html/write-shown.ts';
import { timeIn } from '../zoned-time.ts';
import type { MessageOfMailbox } from './find-message.ts';
import type { OpenedMessage } from './message-thread.ts';

type People = MessageOfMailbox['summary']['to'];

const STYLE =
  'body{margin:16px;font:14px/1.5 system-ui,sans-serif;overflow-wrap:anywhere;color:#18181b;background:#fff;color-scheme:light}dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font:13px system-ui,sans-serif;border-bottom:1px solid #999;padding-bottom:12px;margin:0 0 16px}dt{color:#555}dd{margin:0;overflow:clip}pre{white-space:pre-wrap;font:inherit}main{overflow:clip;isolation:isolate;contain:paint}';
const HEAD =
  '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Message</title>';
/**
 * Confines the message to `main`: styles of the message have no effect outside the shadow tree, and nothing in the tree is drawn outside
 * `main`. Attack: a style in the message hides the sender, or draws a false header over the real header.
 */
const FENCE = [
  '<main><div><template shadowrootmode="open"><style>img{max-width:100%}</style>',
  '</template></div></main>',
] as const;

/** @param document the document of the message's HTML; null if the message has no HTML @param zone from `knownZone` */
export function printPage(
  { summary }: MessageOfMailbox,
  { text }: OpenedMessage['message'],
  document: string | null,
  zone: string,
): string {
  const rows = [
    ['Subject', isolated(summary.subject)],
    ['From', listed(summary.from)],
    ['To', listed(summary.to)],
    ['Cc', listed(summary.cc)],
    ['Date', timeIn(new Date(summary.date ?? summary.received_at), zone)],
  ].filter(([, value]) => value !== '');
  const header = `${HEAD}<style>${STYLE}</style><dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`;
  if (document !== null) {
    // The head of the frame document, with its style, is removed.
    const written = document.slice(document.indexOf('</style>') + '</style>'.length);
    return [header, FENCE[0], written, FENCE[1]].join('');
  }
  const said = text.blocks.map(({ depth, spans }) => {
    const lines = spans.map((span) => span.text).join('');
    return depth === 0 ? lines : lines.replaceAll(/^/gm, `${'>'.repeat(depth)} `);
  });
  return `${header}<pre>${escapeHtml(said.join('\n'))}</pre>`;
}

function listed(people: People): string {
  return people
    .map(({ name, address }) =>
      name === null ? isolated(address) : `${isolated(name)} &lt;${isolated(address)}>`,
    )
    .join(', ');
}

/** Isolates a text, so that bidi controls only affect the text itself. Attack: bidi controls make an address look like another address. */
function isolated(text: string): string {
  return text === '' ? '' : `<bdi>${escapeHtml(text)}</bdi>`;
}
