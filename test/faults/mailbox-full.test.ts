/** Mail to a mailbox that stays full is deferred for a day, and rejected afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClient } from '../../src/doors/smtp/dialogue.fixture.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { type Service, startService } from '../support/service.ts';
import { SHORT_LEASE } from './support.ts';

const OCTETS = 700_000;
const ENV = { POSTHORN_HOSTNAME: 'mx.example' };
const SOON: Patch[] = [
  ...SHORT_LEASE,
  { timings: 'src/sending/deliver', values: { retryDelaysMs: [1_000] } },
];
/** Makes quota checks use a clock that is 25 hours ahead. */
const A_DAY_LATER: Patch = {
  file: 'src/receiving/route/check-quota.ts',
  append: `
    const today = checkQuota;
    checkQuota = (room, size, nowMs) => today(room, size, nowMs + 25 * 3_600_000);`,
};

/** @returns the response to RCPT with the size of the message. If RCPT is accepted, the response to the message */
async function send({ smtpPort }: Service): Promise<string | null> {
  using client = await TestClient.connect(smtpPort);
  await client.play('S: 220 mx.example ESMTP');
  client.send('EHLO client\r\n');
  while ((await client.line())?.startsWith('250-') === true) continue;
  client.send(`MAIL FROM:<a@sender.example> SIZE=${OCTETS}\r\nRCPT TO:<anna@posthorn.localhost>\r\n`);
  assert.equal(await client.line(), '250 2.1.0 OK');
  const answer = await client.line();
  if (answer?.startsWith('250') !== true) return answer;
  await client.play('C: DATA\nS: 354 End with a dot on a line of its own');
  const lines = 'x'
    .repeat(68)
    .concat('\r\n')
    .repeat(Math.floor(OCTETS / 70) - 10);
  client.send(`From: a@sender.example\r\nSubject: large\r\n\r\n${lines}.\r\n`);
  return await client.line();
}

interface Timeline {
  status: string;
  events: { type: string; data: Record<string, unknown> }[];
}

test('mail to a full mailbox gets 452 for a day and then 552; local mail is deferred, and then bounces', async () => {
  let service = await startService({ env: ENV, patches: SOON });
  const { token } = service;
  try {
    const client = service.client();
    const domains = await client.get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    const domain_id = domains.body.data.find(({ is_hosted }) => is_hosted)?.id;
    await client.post('/v1/mailboxes', { domain_id, local_part: 'anna', quota_mb: 1 });
    assert.equal(await send(service), '250 2.6.0 Accepted');
    assert.match((await send(service)) ?? '', /^452 4\.2\.2 /);
    const { body } = await client.post<{ id: string }>('/v1/emails', {
      from: 'hello@posthorn.localhost',
      to: ['anna@posthorn.localhost'],
      subject: 'Hello',
      text: 'It works. '.repeat(50_000),
    });
    const readEmail = async () => (await service.client(token).get<Timeline>(`/v1/emails/${body.id}`)).body;
    const typesOf = ({ events }: Timeline) => events.map(({ type }) => type);
    const isDeferred = async () =>
      typesOf(await readEmail()).filter((type) => type === 'deferred').length >= 2;
    assert.ok(await eventually(isDeferred, 20_000));
    assert.equal((await readEmail()).status, 'sending');

    await service.stop();
    service = await startService({ env: ENV, patches: [...SOON, A_DAY_LATER], dataDir: service.dataDir });
    assert.match((await send(service)) ?? '', /^552 5\.2\.2 /);
    assert.ok(await eventually(async () => (await readEmail()).status === 'bounced', 20_000));
    const bounced = (await readEmail()).events.find(({ type }) => type === 'bounced');
    assert.match(JSON.stringify(bounced), /"category":"mailbox_full"/);
  } finally {
    await service[Symbol.asyncDispose]();
  }
});
