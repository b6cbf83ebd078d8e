import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { actingAs } from '../accounts/audit.ts';
import { decodeId } from '../model/ids.ts';
import { DnsResolver } from '../net/dns.ts';
import { Domains } from './domains.ts';
import { changeDomainTracking } from './sending-domains.ts';
import { verifyManually } from './verify-manually.ts';

test('changes of a domain are in the audit log, with the actor and the changes, but without keys', async () => {
  await using db = await sealedDatabase();
  const { database, sealer } = db;
  const projectId = await newProject(database, 'one', 'paid');
  const domains = new Domains({
    database,
    sealer,
    hostedDomain: 'hosted.example',
    trustsManualVerification: false,
    dnsOf: () => new DnsResolver('127.0.0.1:1'),
    mailAccess: { hostname: 'mx.hosted.example', webHost: 'mx.hosted.example', services: [] },
    complaintAddressOf: () => '',
  });
  const ada = { kind: 'api-key', id: null, name: 'ci', address: '192.0.2.1' } as const;
  const { id } = await actingAs(ada, () => domains.create(projectId, { domain: 'acme.example' }));
  const domainId = decodeId('dom', id) ?? '';
  await assert.rejects(domains.verifyManually(projectId, domainId), /^AppError: In production/);
  await actingAs(ada, async () => {
    await changeDomainTracking(database, projectId, 'acme.example', { trackClicks: true });
    await verifyManually(database, projectId, 'acme.example');
    await domains.remove(projectId, domainId);
  });
  const { rows } = await sql<{ action: string; before: object | null; after: object | null }>`
    select action, before, after from audit_log
    where project_id = ${projectId} and actor_name = 'ci' and target = ${id} and target_name = 'acme.example'
    order by id`.execute(database);
  const [added, ...others] = rows;
  assert.equal(added?.action, 'domain.add');
  assert.partialDeepStrictEqual(added.after, { domain: 'acme.example', region: null });
  assert.deepEqual(others, [
    { action: 'domain.set-tracking', before: { track_clicks: null }, after: { track_clicks: true } },
    { action: 'domain.verify-by-hand', before: null, after: { verified_by_hand: true } },
    { action: 'domain.delete', before: { domain: 'acme.example', status: 'pending' }, after: null },
  ]);
  assert.doesNotMatch(JSON.stringify(rows), /v1\./);
});
