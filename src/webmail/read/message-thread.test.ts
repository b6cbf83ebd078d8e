import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenBlob } from '../../blobs/blobs.ts';
import { MessageThread } from './message-thread.ts';
import { TIMINGS } from './timings.ts';

function blobOf(html: string): () => Promise<OpenBlob> {
  const bytes = Buffer.from(`Content-Type: text/html\r\n\r\n${html}`);
  return async () => ({
    size: bytes.length,
    readNow: () => bytes,
    read: async (range) => bytes.subarray(range?.start, range?.end),
  });
}

/** Long timeouts, so that a busy machine does not fail the tests. */
const PATIENT = { ...TIMINGS, threadAnswerMs: 60_000, readTimeoutMs: 60_000 };
const ONE = { projectId: 'one', mailboxId: 'one' };

const ROW =
  '<tr><td style="color:red;padding:1px" align="left"><a href="https://x.example/abc">Link</a><img src="https://x.example/i.png"></td></tr>';

test('the largest accepted message can be read within the memory of the thread', async () => {
  await using thread = new MessageThread(PATIENT);
  const opened = await thread.open(ONE, blobOf(`<table>${ROW.repeat(3_500)}</table>`));
  assert.equal(opened?.clean?.remote.length, 1);
});

test('a message that takes too long to read is abandoned with an explanation, and the next message is read', async () => {
  const timings = { ...PATIENT, threadAnswerMs: 1 };
  await using thread = new MessageThread(timings);
  const opened = await thread.open(ONE, blobOf('<p>x'));
  assert.match(opened?.message.htmlProblem ?? '', /takes too long/);
  timings.threadAnswerMs = 60_000;
  assert.match((await thread.open(ONE, blobOf('<p>x')))?.clean?.html ?? '', /<p>x/);
});

test('the start of the thread does not count towards the time limit of a message', async () => {
  const timings = { ...PATIENT, threadAnswerMs: 1 };
  await using thread = new MessageThread(timings);
  assert.equal(await thread.prepare(), true);
  timings.threadAnswerMs = 60_000;
  assert.match((await thread.open(ONE, blobOf('<p>x')))?.clean?.html ?? '', /<p>x/);
});

test('messages of a project with many mailboxes do not delay messages of another project', async () => {
  await using thread = new MessageThread(PATIENT);
  const ends: string[] = [];
  const open = async (projectId: string, mailboxId: string) => {
    await thread.open({ projectId, mailboxId }, blobOf('<p>x'));
    ends.push(projectId);
  };
  const many = Array.from({ length: 20 }, (_, n) => open('many', `many ${n}`));
  await Promise.all([...many, open('few', 'few')]);
  assert.ok(ends.indexOf('few') < 4, ends.join());
});
