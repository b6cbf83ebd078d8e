import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OperatorMail, OperatorMessage } from '../../../../contract/dashboard/operator-mail.ts';
import type { SystemChangeList } from '../../../../contract/dashboard/system.ts';
import { OperatorInbox as StoredMail } from '../../../../receiving/operators/operator-mail.ts';
import { FactsReader } from '../../../../store/facts/facts-reader.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const RAW = [
  'From: "Ops of <b>Good</b>" <a@good.example>',
  'Subject: =?utf-8?q?Spam_fr=C3=B3m_you?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary=x',
  '',
  '--x',
  'Content-Type: text/html',
  '',
  '<script>alert(1)</script><p>Never shown</p>',
  '--x',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('Please stop \u202etsop\u202c it.').toString('base64'),
  '--x--',
  '',
].join('\r\n');

async function get<Body>(path: string): Promise<Body> {
  const { status, body } = await dashboard.as('operator').get<Body>(`/system/${path}`);
  assert.equal(status, 200);
  return body;
}

test('operators can list, read, download and delete mail to postmaster and abuse', async () => {
  await using facts = new FactsReader();
  const mail = new StoredMail({ database: dashboard.db.database, facts });
  const client = { reversePath: 'a@good.example', address: '192.0.2.1', helo: 'mx.good.example' };
  await mail.keep({ ...client, raw: Buffer.from(RAW) }, ['abuse@acme.example']);
  const list = await get<OperatorMail>('operator-mail');
  assert.partialDeepStrictEqual(list, { messages: 1, octets: RAW.length, max_messages: 1_000, days: 30 });
  const [summary] = list.data;
  assert.partialDeepStrictEqual(summary, {
    author: 'Ops of <b>Good</b> <a@good.example>',
    subject: 'Spam fr\u00f3m you',
    recipients: ['abuse@acme.example'],
  });
  const path = `operator-mail/${summary?.id}`;
  const message = await get<OperatorMessage>(path);
  assert.equal(message.client_address, '192.0.2.1');
  assert.equal(message.text.trim(), 'Please stop \ufffdtsop\ufffd it.');
  assert.match(message.header, /^From: "Ops of <b>Good<\/b>"/);

  const { token } = dashboard.as('operator');
  const response = await fetch(`${dashboard.baseUrl}/dashboard/api/system/${path}/raw`, {
    headers: { cookie: `posthorn_session=${token}` },
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/octet-stream');
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="opm_\w+\.eml"$/);
  assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(await response.text(), RAW);

  assert.equal((await dashboard.as('owner').get(`/system/${path}`)).status, 403);
  assert.equal((await dashboard.as('operator').delete(`/system/${path}`)).status, 204);
  assert.equal((await dashboard.as('operator').get(`/system/${path}`)).status, 404);
  assert.equal((await dashboard.as('operator').delete(`/system/${path}`)).status, 404);
  const [change] = (await get<SystemChangeList>('changes')).data;
  assert.partialDeepStrictEqual(change, { action: 'operator-mail.delete', target: summary?.id });
});
