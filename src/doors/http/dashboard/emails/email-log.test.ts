import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EmailLog } from '../../../../contract/dashboard/email-log.ts';
import { encodeId, newUuid } from '../../../../model/ids.ts';
import { endSession } from '../../../../accounts/sessions.ts';
import { insertEmails } from '../../../../sending/accept/insert-emails.ts';
import { newEmail } from '../../../../../test/support/emails.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

const EMAILS = 450;
let dashboard: TestDashboard;
let path: string;
/** The ids of the emails, newest first. */
let ids: string[];
before(async () => {
  dashboard = await startDashboard();
  path = `/projects/${dashboard.projectId}/emails`;
  const emails = Array.from({ length: EMAILS }, (_, n) =>
    newEmail({
      projectId: dashboard.project.id,
      emailId: newUuid(),
      to: [`anna${n}@dst.test`],
      recipients: [`anna${n}@dst.test`],
      subject: n === 7 ? '=HYPERLINK("http://evil.test")' : `Order ${n}, "shipped"`,
      tags: n % 2 === 0 ? ['order', 'vip'] : [],
    }),
  );
  await insertEmails(dashboard.db.database, emails);
  ids = emails.map(({ emailId }) => encodeId('em', emailId)).reverse();
});
after(() => dashboard[Symbol.asyncDispose]());

const search = async (parameters: string) =>
  (await dashboard.as('viewer').get<EmailLog>(`${path}?${parameters}`)).body;

test('the pages of the log together contain every email once', async () => {
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await search(`limit=100${cursor}`);
    found.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  assert.deepEqual(found, ids);
});

test('a row of the log has its documented fields and no body', async () => {
  const { data } = await search('q=to:anna448');
  assert.deepEqual(data, [
    {
      id: ids[1],
      status: 'queued',
      subject: 'Order 448, "shipped"',
      from: 'Acme <hello@posthorn.localhost>',
      to: ['anna448@dst.test'],
      tags: ['order', 'vip'],
      created_at: data[0]?.created_at,
      scheduled_at: null,
    },
  ]);
});

test('a search reports words that no email contains, and invalid terms', async () => {
  assert.deepEqual((await search('q=order+zzz')).unmatched, ['zzz']);
  assert.match((await search('q=since:soon')).fault ?? '', /^since:soon is not a time/);
  assert.equal((await dashboard.as('viewer').get(`${path}/export?format=csv&q=since:soon`)).status, 422);
});

test('the logs of two organizations are separate', async () => {
  assert.equal((await dashboard.as('other').get(path)).status, 404);
  const theirs = await dashboard.as('other').get<EmailLog>(`/projects/${dashboard.foreignProjectId}/emails`);
  assert.deepEqual(theirs.body.data, []);
});

test('an export contains every matching email, newest first', async () => {
  const { status, text, headers } = await dashboard
    .as('viewer')
    .get(`${path}/export?format=ndjson&q=tag:vip`);
  assert.equal(status, 200);
  assert.equal(headers.get('content-disposition'), 'attachment; filename="emails.ndjson"');
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids.filter((_, at) => at % 2 === 1),
  );
});

test('a CSV export opens in spreadsheets and contains no formulas', async () => {
  const { text } = await dashboard.as('viewer').get(`${path}/export?format=csv&q=subject:hyperlink`);
  const id = ids[EMAILS - 8];
  const [, row = ''] = text.split('\r\n');
  assert.match(text, /^"id","created_at","status","from","to","subject","tags"\r\n/);
  assert.match(
    row,
    new RegExp(`^"${id}","[^,]*","queued","Acme <hello@posthorn.localhost>","anna7@dst.test",`),
  );
  assert.ok(row.endsWith(`,"'=HYPERLINK(""http://evil.test"")",""`));
});

test('an export requires a session', async () => {
  const user = await dashboard.newUser('viewer');
  await endSession(dashboard.db.database, user.userId, user.sessionId);
  assert.equal((await user.get(`${path}/export?format=csv`)).status, 401);
});
