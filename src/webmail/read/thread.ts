/** The worker thread that reads messages for display. A malicious message keeps only this thread busy. */
import { parentPort } from 'node:worker_threads';
import { readAttachedHead } from './attached-head.ts';
import { mailDocument } from './html/mail-document.ts';
import { composeLink } from './links/compose-link.ts';
import type { WebmailReadResult, WebmailReadTask } from './question.ts';
import { readMessage } from './read-message.ts';

async function answer(question: WebmailReadTask): Promise<WebmailReadResult> {
  if (question.kind === 'read') {
    const raw = Buffer.from(question.raw);
    return {
      kind: 'read',
      message: readMessage(raw),
      head: question.isAttached ? readAttachedHead(raw) : null,
    };
  }
  if (question.kind === 'clean') {
    // The largest import is loaded on demand, so that messages without HTML do not wait for it.
    const { prepareForDisplay } = await import('./html/clean-html.ts');
    return { kind: 'clean', clean: prepareForDisplay(question.html) };
  }
  const { theme, convertsColors, remote, inline, address } = question.options;
  const document = mailDocument(question.clean, {
    theme,
    convertsColors,
    remote: remote === null ? null : (url) => remote.get(url) ?? null,
    inline: (id) => inline.get(id) ?? null,
    writing: (mailto) => composeLink(address, mailto),
  });
  return { kind: 'document', document };
}

parentPort?.on('message', (question: WebmailReadTask) => {
  void answer(question).then((answered) => parentPort?.postMessage(answered, []));
});
