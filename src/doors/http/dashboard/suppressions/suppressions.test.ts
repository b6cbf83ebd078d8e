import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEmail } from '../../../../../test/support/emails.ts';
import type {
  ExplainedSuppression,
  ImportedSuppressions,
} from '../../../../contract/dashboard/suppressions.ts';
import type { Suppression, SuppressionList } from '../../../../contract/suppressions.ts';
import { encodeId, newUuid } from '../../../../model/ids.ts';
import { insertEmails } from '../../../../sending/accept/insert-emails.ts';
import { suppress } from '../../../../sending/suppress/suppressing.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
let path: string;
before(async () => {
  dashboard = await startDashboard();
  path = `/projects/${dashboard.projectId}/suppressions`;
});
after(() => dashboard[Symbol.asyncDispose]());

const search = async (query = '') =>
  (await dashboard.as('viewer').get<SuppressionList>(`${path}?${query}`)).body.data.map(
    ({ address }) => address,
  );
const importText = (text: string, more: object = {}) =>
  dashboard.as('developer').post<ImportedSuppressions>(`${path}/import`, {
    text,
    first_line: null,
    is_end: true,
    reason: 'manual',
    ...more,
  });

test('addresses can be added, found by a part of an address, and removed together', async () => {
  const addresses = ['ann@acme.test', 'bo@acme.test', 'ann@dst.test'];
  await dashboard.as('developer').post(path, { addresses, reason: 'complaint' });
  assert.deepEqual(await search('q=ACME'), ['bo@acme.test', 'ann@acme.test']);
  assert.deepEqual(await search('q=ann&reason=complaint'), ['ann@dst.test', 'ann@acme.test']);
  assert.deepEqual(await search('q=100%25'), []);
  const removed = await dashboard.as('developer').post(`${path}/removal`, {
    addresses: ['ANN@acme.test', 'bo@acme.test', 'ghost'],
  });
  assert.deepEqual(removed.body, { removed: 2 });
  assert.deepEqual(await search(), ['ann@dst.test']);
});

test('the reason for an address links to its email while the email exists', async () => {
  const projectId = dashboard.project.id;
  const email = newEmail({ projectId, emailId: newUuid(), to: ['gone@dst.test'], subject: 'Your order' });
  await insertEmails(dashboard.db.database, [email]);
  const detail = { diagnostic: '550 5.1.1 no such user' };
  const put = (address: string, emailId: string) =>
    dashboard.db.database.transaction().execute((tx) =>
      suppress(tx, [
        {
          projectId,
          address,
          reason: 'bounce',
          detail,
          expiresAt: null,
          cause: { emailId, recipientIndex: 0 },
        },
      ]),
    );
  await put('gone@dst.test', email.emailId);
  await put('old@dst.test', newUuid());
  const why = async (address: string) =>
    (await dashboard.as('viewer').get<ExplainedSuppression>(`${path}/why?address=${address}`)).body;
  const { suppression, email: led, event } = await why('Gone@dst.test');
  assert.deepEqual(
    [suppression.email_id, suppression.detail, led?.subject, event],
    [encodeId('em', email.emailId), detail, 'Your order', null],
  );
  assert.equal((await why('old@dst.test')).email, null);
  assert.equal((await dashboard.as('viewer').get(`${path}/why?address=ghost%40dst.test`)).status, 404);
});

test('a file is imported in parts, and the response reports lines that are not addresses', async () => {
  const first = await importText('address;reason\nx1@imp.test;Unsubscribed\nghost;x\nx2@imp.t', {
    is_end: false,
  });
  assert.deepEqual(first.body, {
    read: 48,
    lines: 3,
    added: 1,
    known: 0,
    refused: [{ line: 2, text: 'ghost;x', error: first.body.refused[0]?.error }],
  });
  const second = await importText('x2@imp.test;\nX1@imp.test;', { first_line: 'address;reason' });
  assert.partialDeepStrictEqual(second.body, { lines: 2, added: 1, known: 1, refused: [] });
  assert.deepEqual(await search('q=imp.test&reason=unsubscribe'), ['x1@imp.test']);
});

test('an export contains all search results as CSV or JSON lines', async () => {
  const addresses = Array.from({ length: 700 }, (_, at) => `n${at}@export.test`);
  await dashboard.as('developer').post(path, { addresses, reason: 'unsubscribe' });
  const file = async (format: string) =>
    (await dashboard.as('viewer').get(`${path}/export?format=${format}&q=export.test`)).text;
  const lines = (await file('ndjson')).trimEnd().split('\n');
  const found = lines.map((line) => (JSON.parse(line) as Suppression).address);
  assert.deepEqual(found.toSorted(), addresses.toSorted());
  const csv = await file('csv');
  assert.match(
    csv,
    /^"address","reason","created_at","expires_at","email_id","detail"\r\n"n\d+@export\.test","unsubscribe","2/,
  );
  assert.partialDeepStrictEqual((await importText(csv.slice(0, 30_000))).body, { added: 0, refused: [] });
});

test('viewers cannot change suppressions, and members of another organization get 404', async () => {
  const requests: readonly [part: string, body: object][] = [
    ['', { addresses: ['a@dst.test'] }],
    ['/removal', { addresses: ['ann@dst.test'] }],
    ['/import', { text: 'a@dst.test', first_line: null, is_end: true, reason: 'manual' }],
  ];
  for (const [part, body] of requests) {
    assert.equal((await dashboard.as('viewer').post(path + part, body)).status, 403, part);
    assert.equal((await dashboard.as('other').post(path + part, body)).status, 404, part);
  }
  for (const part of ['', '/why?address=ann%40dst.test', '/export?format=csv'])
    assert.equal((await dashboard.as('other').get(path + part)).status, 404, part);
  assert.deepEqual(await search('q=ann@dst'), ['ann@dst.test']);
});
