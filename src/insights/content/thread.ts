/** The thread that looks at the content of emails: two megabytes of HTML keep it busy, and nobody but who looks at them. */
import { parentPort } from 'node:worker_threads';
import { previewDocument } from '../preview/preview-document.ts';
import type { ContentCheckResult, ContentCheckTask } from './question.ts';
import { reportOn } from './report-on.ts';

function answer(question: ContentCheckTask): ContentCheckResult {
  if (question.kind === 'preview')
    return { kind: 'preview', html: previewDocument(question.html, question.options) };
  const { content, hostname, nowMs } = question;
  return { kind: 'report', report: reportOn(content, hostname, nowMs) };
}

parentPort?.on('message', (question: ContentCheckTask) => parentPort?.postMessage(answer(question), []));
