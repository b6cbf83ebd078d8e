import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Domain } from '../../../src/contract/domains.ts';
import { publish, startDnsServer } from '../../support/dns-server.ts';
import { eventually } from '../../support/eventually.ts';
import { startService } from '../../support/service.ts';

test('the running service verifies a domain without a request, and then stops within its time limit', async () => {
  await using dns = await startDnsServer();
  await using service = await startService({ env: { POSTHORN_DNS: dns.address } });
  const client = service.client();
  const { body: added } = await client.post<Domain>('/v1/domains', { domain: 'acme.example' });
  publish(dns.zone, added.records);
  // Make the check due now, to skip the wait of one minute.
  await service.database.updateTable('domains').set({ nextCheckAt: sql`now()` }).execute();
  const get = async () => (await client.get<Domain>(`/v1/domains/${added.id}`)).body;
  assert.ok(await eventually(async () => (await get()).status === 'verified', 10_000));
  assert.ok(dns.questions.some((question) => question.startsWith('MX send.acme.example')));
  assert.equal(await service.stop(), 0);
});
