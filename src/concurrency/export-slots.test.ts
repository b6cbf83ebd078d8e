import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { ExportSlots } from './export-slots.ts';

/** Runs exports on a mocked clock. Reading a page takes `pageMs`, and `state.acceptedAPage` emails are accepted meanwhile. */
function exporting(t: TestContext, { pageMs }: { pageMs: number }) {
  const state = { nowMs: 0, accepted: 0, acceptedAPage: 0, read: 0 };
  t.mock.method(performance, 'now', () => state.nowMs);
  const slots = new ExportSlots(async () => state.accepted);
  async function* pages(): AsyncGenerator<number> {
    for (;;) {
      state.nowMs += pageMs;
      state.accepted += state.acceptedAPage;
      yield ++state.read;
    }
  }
  const begin = () => {
    const aborter = new AbortController();
    return { gone: aborter, pages: slots.pacing(pages(), aborter.signal) };
  };
  return { state, slots, begin };
}

async function settle(): Promise<void> {
  for (let n = 0; n < 10; n++) await tick();
}

test('only a few exports run at once, and a new export can start after another has ended', () => {
  const slots = new ExportSlots(async () => 0);
  const take = (owner: string, aborter = new AbortController()) => {
    slots.take(owner, aborter.signal);
    return aborter;
  };
  const first = take('a');
  take('a');
  assert.throws(() => take('a'), { code: 'unavailable' });
  take('b');
  take('c');
  assert.throws(() => take('d'), { code: 'unavailable' });
  first.abort();
  take('d');
});

test('all exports pause after each page while emails are accepted', async (t) => {
  const { state, begin } = exporting(t, { pageMs: 500 });
  state.acceptedAPage = 1;
  const [one, other] = [begin(), begin()];
  const page = one.pages.next();
  const next = other.pages.next();
  await settle();
  assert.equal(state.read, 1);
  one.gone.abort();
  assert.equal((await page).value, 1);
  await settle();
  assert.equal(state.read, 2);
  other.gone.abort();
  assert.equal((await next).value, 2);
});

test('an export runs at full speed while no emails are accepted', async (t) => {
  const { state, begin } = exporting(t, { pageMs: 500 });
  state.accepted = 4_711;
  const { pages } = begin();
  for (const page of [1, 2, 3]) assert.equal((await pages.next()).value, page);
});
