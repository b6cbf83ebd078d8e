/**
 * The worker thread that checks the content of emails. Checking two megabytes of HTML takes so long that it would delay other requests on
 * the event loop.
 */
import { parentPort } from 'node:worker_threads';
import { previewDocument } from '../preview/preview-document.ts';
import type { ContentCheckResult, ContentCheckTask } from './question.ts';
import { reportOn } from './report-on.ts';

function answer(task: ContentCheckTask): ContentCheckResult {
  if (task.kind === 'preview') return { kind: 'preview', html: previewDocument(task.html, task.options) };
  const { content, hostname, nowMs } = task;
  return { kind: 'report', report: reportOn(content, hostname, nowMs) };
}

parentPort?.on('message', (task: ContentCheckTask) => parentPort?.postMessage(answer(task), []));
