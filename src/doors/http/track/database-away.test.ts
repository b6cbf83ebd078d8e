import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { startRealApi } from '../../../../test/support/api.ts';
import { openDatabase } from '../../../db/database.ts';
import { TrackingRecorder } from '../../../sending/track/tracking-recorder.ts';
import { Unsubscriber } from '../../../sending/track/unsubscribe.ts';
import { newUuid } from '../../../model/ids.ts';
import type { HttpServices } from '../services.ts';
import { assertPage, FORM, linksOf, ONE_CLICK, post, request, TARGET } from './track.fixture.ts';

const away = openDatabase('postgres://localhost:1/none');
after(() => away.destroy());

type Faults = Partial<HttpServices>;

const gone: Faults = {
  recordHit: (hit) => new TrackingRecorder({ database: away, onEvents() {} }).record(hit),
  unsubscribe: (of) => new Unsubscriber(away).unsubscribe(of),
};

/** Starts an API with failing services, and returns the API with its log. */
async function startFaulty(faults: Faults) {
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => logged.push(line) });
  const api = await startRealApi({}, { logger }, (services) => ({ ...services, ...faults }));
  const of = { projectId: api.project.id, emailId: newUuid(), recipientIndex: 0 };
  return { ...api, links: linksOf(api), of, logged };
}

for (const [what, faults, errors] of [
  ['is unreachable', gone, 0],
  ['does not respond', { recordHit: () => new Promise(() => {}) } satisfies Faults, 0],
  ['causes an internal error', { recordHit: () => Promise.reject(new TypeError()) } satisfies Faults, 2],
] as const) {
  test(`while the database ${what}, pixels and links respond within three seconds`, async () => {
    await using api = await startFaulty(faults);
    const { baseUrl, links, of } = api;
    const started = performance.now();
    const [pixel, click] = await Promise.all([
      request(links.pixel(baseUrl, of)),
      request(links.click(baseUrl, of, TARGET) ?? ''),
    ]);
    assert.ok(performance.now() - started < 3_000);
    assert.equal(pixel.status, 200);
    assert.deepEqual([click.status, click.headers.get('location')], [302, TARGET]);
    assert.equal(api.logged.length, errors);
  });
}

test('while the database is unreachable, unsubscribing returns 503 with a button to try again', async () => {
  await using api = await startFaulty(gone);
  const url = api.links.unsubscribe(api.baseUrl, api.of);
  await assertPage(await request(url), 200, /Unsubscribe\?/);
  const response = await post(url, ONE_CLICK, FORM);
  assert.equal(response.headers.get('retry-after'), '5');
  await assertPage(response, 503, /You are still subscribed/);
  assert.deepEqual(api.logged, []);
});
