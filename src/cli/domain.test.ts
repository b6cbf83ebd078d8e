import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HOSTED_DOMAIN, startRealApi } from '../../test/support/api.ts';
import { environmentOf, posthorn, type Ran } from '../../test/support/cli.ts';
import type { Domain } from '../contract/domains.ts';
import { ensureServiceDomain } from '../domains/service-domain.ts';

const api = await startRealApi();
after(() => api[Symbol.asyncDispose]());

const ENV = {
  ...environmentOf(api.db),
  POSTHORN_HOSTNAME: 'mx.hosted.example',
  POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN,
};

function addDomain(...args: string[]): Promise<Ran> {
  return posthorn(ENV, 'domain', 'add', '--project', api.project.name, ...args);
}

function refusalOf({ status, body }: { status: number; body: unknown }) {
  return { status, from: (body as { errors?: { from?: string } }).errors?.from };
}

describe('posthorn domain hosted', () => {
  test('prints the records of the hosted domain, with the public half of the keys that sign', async () => {
    const { stdout } = await posthorn(ENV, 'domain', 'hosted', '--json');
    const { domain, records } = JSON.parse(stdout) as Domain;
    assert.equal(domain, HOSTED_DOMAIN);
    const names = records.map(({ record, name }) => `${record} ${name}`);
    assert.deepEqual(names.slice(0, 3), [
      `DKIM ph1r._domainkey.${HOSTED_DOMAIN}`,
      `DKIM ph1e._domainkey.${HOSTED_DOMAIN}`,
      `MAIL_FROM send.${HOSTED_DOMAIN}`,
    ]);
    const keys = await api.db.database.selectFrom('dkimKeys').select(['selector', 'publicKey']).execute();
    for (const { selector, publicKey } of keys.filter((key) => key.selector.startsWith('ph1'))) {
      const published = records.find(({ host }) => host === `${selector}._domainkey`);
      assert.ok(published?.value.endsWith(`p=${publicKey}`));
    }
  });
});

describe('posthorn domain add --installation', () => {
  const ofInstallation = (command: string, ...args: string[]) =>
    posthorn(ENV, 'domain', command, '--installation', ...args);

  test('prints the records of a domain that belongs to no project, with a key of its own, and audits it', async () => {
    const { stdout } = await ofInstallation('add', '--domain', 'Service.Example', '--json');
    const { id, domain, status, records } = JSON.parse(stdout) as Domain;
    assert.deepEqual([domain, status], ['service.example', 'pending']);
    assert.deepEqual(
      records.map(({ record, required }) => [record, required]),
      [
        ['DKIM', true],
        ['MAIL_FROM', true],
        ['SPF', true],
        ['DMARC', false],
      ],
    );
    const { body } = await api.project.client.get<{ data: Domain[] }>('/v1/domains');
    assert.equal(
      body.data.some((each) => each.domain === 'service.example'),
      false,
    );
    const [change] = await api.db.database
      .selectFrom('systemChanges')
      .select(['action', 'target', 'after'])
      .where('target', '=', 'service.example')
      .execute();
    const dkim_selector = records[0]?.host.split('.')[0];
    assert.deepEqual(change, {
      action: 'domain.add-to-installation',
      target: 'service.example',
      after: { domain_id: id, dkim_selector },
    });
    const again = await ofInstallation('add', '--domain', 'service.example');
    assert.match(again.stderr, /^The installation has the domain service\.example already\./);
  });

  test('takes a domain that a project has claimed, beside it', async () => {
    await addDomain('--domain', 'both.example');
    const { stdout } = await ofInstallation('add', '--domain', 'both.example');
    assert.match(stdout, /^id: dom_\w{26}\ndomain: both\.example\nPublish these DNS records:\nDKIM\n/);
    const keys = await api.db.database
      .selectFrom('dkimKeys as k')
      .innerJoin('domains as d', 'd.id', 'k.domainId')
      .select('k.selector')
      .where('d.name', '=', 'both.example')
      .execute();
    assert.equal(new Set(keys.map(({ selector }) => selector)).size, 2);
  });

  test('shows what DNS had of the records', async () => {
    await ofInstallation('add', '--domain', 'shown.example');
    const { stdout } = await ofInstallation('show', '--domain', 'shown.example');
    assert.match(
      stdout,
      /^id: dom_\w{26}\ndomain: shown\.example\nstatus: pending\nnext check: .*\nDKIM: pending\n/,
    );
    const unknown = await ofInstallation('show', '--domain', 'unknown.example');
    assert.match(unknown.stderr, /^The installation has no domain unknown\.example for its own mail\./);
  });

  test('gives a domain that was copied from a project a key of its own, which add and show agree on', async () => {
    const { sealer, db } = api;
    const { database } = db;
    const name = 'copied.example';
    await addDomain('--domain', name, '--verified');
    assert.equal(await ensureServiceDomain(database, sealer, name, true), 'copied');
    const show = () => ofInstallation('show', '--domain', name);
    assert.match(
      (await show()).stdout,
      /\nstatus: verified\nkeys: copied from a project's claim, .*\ndomain add --installation --domain copied\.example gives/,
    );
    const added = await ofInstallation('add', '--domain', name);
    assert.match(
      added.stdout,
      /^id: dom_\w{26}\ndomain: copied\.example\nkeys: copied .*; they sign until .*\nPublish these DNS records:\nDKIM\n/,
    );
    const again = await ofInstallation('add', '--domain', name);
    assert.equal(again.stdout, added.stdout);
    assert.match(
      (await show()).stdout,
      /\nstatus: pending\nkeys: copied .*\nnext check: .*\nDKIM: pending\n/,
    );
    const { records } = JSON.parse(
      (await ofInstallation('show', '--domain', name, '--json')).stdout,
    ) as Domain;
    const selector = records[0]?.host.split('.')[0];
    const changes = await database
      .selectFrom('systemChanges')
      .select(['action', 'after'])
      .where('target', '=', name)
      .where('action', '=', 'domain.add-keys')
      .execute();
    assert.deepEqual(
      changes.map(({ after: fields }) => (fields as { dkim_selector: string }).dkim_selector),
      [selector],
    );
  });

  test('needs either a project or the installation', async () => {
    const neither = await posthorn(ENV, 'domain', 'add', '--domain', 'x.example');
    assert.match(neither.stderr, /project: name the project, or give --installation/);
    const both = await addDomain('--installation', '--domain', 'x.example');
    assert.match(both.stderr, /cannot be used with option '--project <name>'/);
    assert.deepEqual([neither.code, both.code], [1, 1]);
  });

  test('refuses the hosted domain, and a public suffix', async () => {
    for (const name of [HOSTED_DOMAIN, 'co.uk'])
      assert.equal((await ofInstallation('add', '--domain', name)).code, 1, name);
  });
});

describe('posthorn domain add', () => {
  test('prints as JSON what the API then answers', async () => {
    const { stdout } = await addDomain('--domain', 'Json.Example', '--region', 'eu', '--json');
    const added = JSON.parse(stdout) as Domain;
    assert.deepEqual((await api.project.client.get(`/v1/domains/${added.id}`)).body, added);
    assert.equal(added.domain, 'json.example');
    assert.equal(added.region, 'eu');
  });

  test('prints the records for people', async () => {
    const { stdout } = await addDomain('--domain', 'people.example');
    assert.match(
      stdout,
      /^id: dom_\w{26}\ndomain: people\.example\nPublish these DNS records:\nDKIM\n {2}TXT ph/,
    );
    assert.match(stdout, /\nMAIL_FROM\n {2}MX send\.people\.example\n {2}10 mx\.hosted\.example\n/);
  });

  test('warns of records that lead to a name without a dot, which nobody finds', async () => {
    const env = { ...environmentOf(api.db), POSTHORN_HOSTNAME: 'vm', POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN };
    const args = ['domain', 'add', '--project', api.project.name, '--domain', 'dotless.example'];
    const { stdout } = await posthorn(env, ...args);
    assert.match(
      stdout,
      /\nDo not publish these yet\. The host name of this server, vm, has no dot.*POSTHORN_HOSTNAME/,
    );
  });

  test('marks a domain as verified, added before or not, and mail goes out from it until the database is served in production', async () => {
    const { client, name: project } = api.project;
    const before = (await client.post<Domain>('/v1/domains', { domain: 'tried.example' })).body;
    const email = { from: 'Ada <ada@tried.example>', to: ['b@dst.test'], text: 'Hi' };
    assert.deepEqual(refusalOf(await client.post('/v1/emails', email)), {
      status: 422,
      from: `tried.example is not a verified domain of this project; ada@${HOSTED_DOMAIN} works`,
    });

    const marked = await addDomain('--domain', 'Tried.Example', '--verified', '--json');
    const { id, status, verified_by_hand, dkim_verified } = JSON.parse(marked.stdout) as Domain;
    assert.deepEqual([id, status, verified_by_hand, dkim_verified], [before.id, 'verified', true, false]);
    assert.match(
      (await addDomain('--domain', 'new.example', '--verified')).stdout,
      /\nstatus: verified by hand: without DNS/,
    );
    assert.equal((await client.post('/v1/emails', email)).status, 202);
    // DNS has nothing of it.
    assert.equal((await client.post<Domain>(`/v1/domains/${id}/verify`)).body.status, 'verified');
    assert.equal((await client.post('/v1/emails', email)).status, 202);

    const production = { ...ENV, POSTHORN_ENV: 'production' };
    const refused = await posthorn(
      production,
      'domain',
      'add',
      '--project',
      project,
      '--domain',
      'x.example',
      '--verified',
    );
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /\n {2}verified: not with POSTHORN_ENV=production: publish the records/);
    const list = (env: Record<string, string>) => posthorn(env, 'domain', 'list', '--project', project);
    assert.match((await list(ENV)).stdout, /\ndom_\w{26} +\d+s +verified by hand +tried\.example\n/);
    assert.match((await list(production)).stdout, /\ndom_\w{26} +\d+s +pending +tried\.example\n/);
    const sent = await posthorn(
      production,
      'send',
      '--project',
      project,
      '--from',
      email.from,
      '--to',
      'b@dst.test',
      '--text',
      'Hi',
    );
    assert.match(sent.stderr, /^The domain tried\.example is not verified in this project/);
  });

  test('says why a domain is refused', async () => {
    const { code, stderr } = await addDomain('--domain', 'co.uk');
    assert.equal(code, 1);
    assert.match(stderr, /domain: the domain is a public suffix/);
  });
});

describe('posthorn domain rotate-dkim', () => {
  const run = (command: string, ...args: string[]) =>
    posthorn(ENV, 'domain', command, '--project', api.project.name, '--domain', 'rotated.example', ...args);

  test('shows the record of the next key, which is shown beside the other one until it is cancelled', async () => {
    await addDomain('--domain', 'rotated.example');
    const rotating = await run('rotate-dkim');
    assert.match(
      rotating.stdout,
      /\nPublish these DNS records:\nDKIM \(the next key\)\n {2}TXT ph\w{8}\._domainkey\.rotated\.example\n {2}v=DKIM1; .*\nLeave the record/,
    );
    const shown = (await run('show')).stdout;
    assert.match(shown, /\nstatus: pending\n/);
    assert.match(shown, /\nDKIM: pending\n.*\n.*\nDKIM \(the next key\): pending\n/);
    assert.equal(
      (await run('show', '--zone')).stdout.match(/^ph\w{8}\._domainkey\..* IN TXT "/gm)?.length,
      2,
    );
    assert.match((await run('rotate-dkim', '--cancel')).stdout, /No other key is waited for\.$/m);
    const { records } = JSON.parse((await run('show', '--json')).stdout) as Domain;
    assert.equal(records.filter(({ record }) => record === 'DKIM').length, 1);
  });

  test('refuses a domain that the project does not have, and the hosted one', async () => {
    const named = (domain: string) =>
      posthorn(ENV, 'domain', 'rotate-dkim', '--project', api.project.name, '--domain', domain);
    assert.match((await named('nobodys.example')).stderr, /no such domain/i);
    assert.match((await named(HOSTED_DOMAIN)).stderr, /operator's/);
  });
});
