import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startRealApi } from '../../../test/support/api.ts';
import { environmentOf, posthorn, type Ran } from '../../../test/support/cli.ts';
import { newDomain } from '../../../test/support/projects.ts';

const api = await startRealApi();
after(() => api[Symbol.asyncDispose]());
const DOMAIN = 'news.acme.com';
await newDomain(api.db.database, api.project.id, DOMAIN);

function setDomain(project: string, ...args: string[]): Promise<Ran> {
  return posthorn(environmentOf(api.db), 'domain', 'set', '--project', project, '--domain', DOMAIN, ...args);
}

describe('posthorn domain set', () => {
  test('changes the tracking of a domain, prints it, and resets it to the setting of the project', async () => {
    const { stdout } = await setDomain(api.project.name, '--track-opens', 'on', '--json');
    assert.deepEqual(JSON.parse(stdout), { domain: DOMAIN, track_opens: 'on', track_clicks: 'inherit' });
    const again = await setDomain(api.project.name, '--track-opens', 'inherit', '--track-clicks', 'off');
    assert.match(again.stdout, /track_opens: inherit\ntrack_clicks: off\n/);
  });

  test('rejects a domain that belongs to another project', async () => {
    const { code, stderr } = await setDomain(api.other.name, '--track-opens', 'on');
    assert.equal(code, 1);
    assert.match(stderr, /no domain news\.acme\.com of its own/);
  });

  test('sets where mail to the domain is delivered; domain show prints the settings, and the audit log records the changes', async () => {
    const { stdout } = await setDomain(
      api.project.name,
      '--local',
      'on',
      '--mx',
      'Filter.example.net',
      '--mx',
      'backup.example.net',
      '--sends-elsewhere',
      '192.0.2.0/28',
      '--json',
    );
    const set = {
      local: 'on',
      mx: ['filter.example.net', 'backup.example.net'],
      sends_elsewhere: ['192.0.2.0/28'],
    };
    assert.deepEqual(JSON.parse(stdout), { domain: DOMAIN, ...set });
    const show = ['domain', 'show', '--project', api.project.name, '--domain', DOMAIN];
    const shown = JSON.parse((await posthorn(environmentOf(api.db), ...show, '--json')).stdout);
    // The domain was never verified, so it receives no mail, whatever `local` and `mx` are.
    assert.deepEqual(shown.mail, {
      accepted: false,
      delivered_here: false,
      ...set,
      reason: `${DOMAIN} is not verified yet. Publish its DNS records, then verify it.`,
    });
    assert.deepEqual(JSON.parse((await setDomain(api.project.name, '--mx', 'none', '--json')).stdout), {
      domain: DOMAIN,
      local: 'on',
      mx: [],
      sends_elsewhere: ['192.0.2.0/28'],
    });
    const again = await setDomain(api.project.name, '--local', 'auto');
    assert.match(again.stdout, /local: auto\n/);
    const audited = await api.db.database
      .selectFrom('auditLog')
      .select(['actorKind', 'targetName', 'before', 'after'])
      .where('projectId', '=', api.project.id)
      .where('action', '=', 'domain.set-mail')
      .orderBy('id')
      .execute();
    const by = { actorKind: 'command-line', targetName: DOMAIN };
    assert.deepEqual(audited, [
      { ...by, before: { local: 'auto', mx: [], sends_elsewhere: [] }, after: set },
      { ...by, before: { mx: set.mx }, after: { mx: [] } },
      { ...by, before: { local: 'on' }, after: { local: 'auto' } },
    ]);
  });

  for (const [args, message] of [
    [['--mx', 'not a host'], /not a host/],
    [['--mx', 'none', '--mx', 'mx.example.net'], /either host names or "none"/],
    [['--local', 'sometimes'], /on, off, auto/],
    [['--sends-elsewhere', '192.0.2.0/99'], /not an IP address or a range/],
  ] as const)
    test(`rejects ${args.join(' ')}`, async () => {
      const { code, stderr } = await setDomain(api.project.name, ...args);
      assert.equal(code, 1);
      assert.match(stderr, message);
    });

  test('local and mx can be set only on the command line: the API rejects both, even with a key with full access', async () => {
    for (const decision of [{ local: 'on' }, { mx: ['mx.example.net'] }]) {
      const { status, body } = await api.project.client.post('/v1/domains', {
        domain: 'other.acme.com',
        ...decision,
      });
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(body['errors'] as object), Object.keys(decision));
    }
  });

  test('lists the possible options if no option is given', async () => {
    const { code, stderr } = await setDomain(api.project.name);
    assert.equal(code, 1);
    assert.match(stderr, /--track-opens, --track-clicks/);
  });
});
