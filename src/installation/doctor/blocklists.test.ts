import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDnsServer } from '../../../test/support/dns-server.ts';
import { checkBlocklists } from './blocklists.ts';
import { checksOf } from './checks.ts';
import { assertFinding } from './finding.fixture.ts';
import { worldWith } from './world.fixture.ts';

test('the check of blocklists names each list that does not answer as expected, without its key', async () => {
  await using dns = await startDnsServer({
    '2.0.0.127.good.example': { A: ['127.0.0.2'] },
    '*.hunter22.bad.example': { A: ['127.255.255.254'] },
  });
  const env = { POSTHORN_DNSBL: 'good.example=127.0.0.2, hunter22@bad.example=127.0.0.2' };
  const world = worldWith(dns.address, { env });
  const finding = await checkBlocklists(world, world.config.blocklists);
  assertFinding(finding, 'warning', /bad\.example: it answers 127\.255\.255\.254/, /POSTHORN_DNS/);
  assert.doesNotMatch(finding.seen, /good\.example|hunter22/);
  const good = world.config.blocklists.slice(0, 1);
  assertFinding(await checkBlocklists(world, good), 'ok', /good\.example/);
});

test('blocklists are checked only if they are set, and rspamd is not', () => {
  const has = (env: Record<string, string>) =>
    checksOf(worldWith('127.0.0.1:1', { env })).some(({ name }) => name === 'blocklists');
  assert.equal(has({ POSTHORN_URIBL: 'dbl.spamhaus.org' }), true);
  assert.equal(
    has({ POSTHORN_URIBL: 'dbl.spamhaus.org', POSTHORN_RSPAMD_URL: 'http://localhost:11333' }),
    false,
  );
  assert.equal(has({}), false);
});
