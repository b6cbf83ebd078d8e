/** The worker thread that writes messages for receivers. A malicious message keeps only this thread busy. */
import { parentPort } from 'node:worker_threads';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import { isTooMuch } from '../../webmail/read/html/size.ts';
import { jsonMessage } from './json-format.ts';
import { postmarkMessage } from './postmark-format.ts';
import type { FormatResult, FormatTask, PartTask } from './question.ts';
import { attachmentsOf, readMail } from './read-mail.ts';

async function write({ format, message: given, links, reads }: FormatTask): Promise<Uint8Array> {
  const message = {
    ...given,
    raw: Buffer.from(given.raw.buffer, given.raw.byteOffset, given.raw.byteLength),
  };
  const mail =
    reads === 'header'
      ? { ...(await readMail(headerOf(message.raw), async () => null)), isTruncated: true }
      : await readMail(message.raw, async (html) => (reads === 'everything' ? unquoted(html) : null));
  if (format === 'postmark') return postmarkMessage(message, mail);
  return Buffer.from(JSON.stringify(await jsonMessage(message, mail, links)));
}

const MAX_HEADER = 1_048_576;

function headerOf(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n');
  return raw.subarray(0, Math.min(end === -1 ? raw.length : end + 4, MAX_HEADER));
}

/** The text of the HTML above the quote at its end (decision 93). */
async function unquoted(html: string): Promise<string | null> {
  if (isTooMuch(html)) return null;
  // The largest import is loaded on demand: few messages have HTML without text.
  const { sanitizeHtml } = await import('../../webmail/read/html/sanitize.ts');
  const { html: clean, quoteAt } = sanitizeHtml(html);
  return quoteAt === null ? null : htmlToText(clean.slice(0, quoteAt));
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

async function answer(task: FormatTask | PartTask): Promise<FormatResult> {
  if (task.kind === 'format') return { body: await write(task) };
  return { part: attachmentsOf(bufferOf(task.raw)).find(({ part }) => part === task.part) ?? null };
}

parentPort?.on('message', (task: FormatTask | PartTask) => {
  void answer(task).then((result) => parentPort?.postMessage(result, []));
});
