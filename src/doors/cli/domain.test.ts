import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HOSTED_DOMAIN, startRealApi } from '../../../test/support/api.ts';
import { environmentOf, posthorn, type Ran } from '../../../test/support/cli.ts';
import type { Domain } from '../../contract/domains.ts';

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

function rejectionOf({ status, body }: { status: number; body: unknown }) {
  return { status, from: (body as { errors?: { from?: string } }).errors?.from };
}

describe('posthorn domain hosted', () => {
  test('prints the records of the hosted domain, with the public keys of its signing keys', async () => {
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

describe('posthorn domain add', () => {
  test('prints the JSON that GET /v1/domains/{id} returns', async () => {
    const { stdout } = await addDomain('--domain', 'Json.Example', '--region', 'eu', '--json');
    const added = JSON.parse(stdout) as Domain;
    assert.deepEqual((await api.project.client.get(`/v1/domains/${added.id}`)).body, added);
    assert.equal(added.domain, 'json.example');
    assert.equal(added.region, 'eu');
  });

  test('prints the records as text', async () => {
    const { stdout } = await addDomain('--domain', 'people.example');
    assert.match(
      stdout,
      /^id: dom_\w{26}\ndomain: people\.example\nPublish these DNS records:\nDKIM\n {2}TXT ph/,
    );
    assert.match(stdout, /\nMAIL_FROM\n {2}MX send\.people\.example\n {2}10 mx\.hosted\.example\n/);
  });

  test('warns if the records point to a host name without a dot', async () => {
    const env = { ...environmentOf(api.db), POSTHORN_HOSTNAME: 'vm', POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN };
    const args = ['domain', 'add', '--project', api.project.name, '--domain', 'dotless.example'];
    const { stdout } = await posthorn(env, ...args);
    assert.match(
      stdout,
      /\nDo not publish these yet\. The host name of this server, vm, has no dot.*POSTHORN_HOSTNAME/,
    );
  });

  test('--verified marks a new or existing domain as verified, and allows sending from it outside production', async () => {
    const { client, name: project } = api.project;
    const before = (await client.post<Domain>('/v1/domains', { domain: 'tried.example' })).body;
    const email = { from: 'Ada <ada@tried.example>', to: ['b@dst.test'], text: 'Hi' };
    assert.deepEqual(rejectionOf(await client.post('/v1/emails', email)), {
      status: 422,
      from: `tried.example is not a verified domain of this project; verify it, or send from ada@${HOSTED_DOMAIN}`,
    });

    const marked = await addDomain('--domain', 'Tried.Example', '--verified', '--json');
    const { id, status, verified_by_hand, dkim_verified } = JSON.parse(marked.stdout) as Domain;
    assert.deepEqual([id, status, verified_by_hand, dkim_verified], [before.id, 'verified', true, false]);
    assert.match(
      (await addDomain('--domain', 'new.example', '--verified')).stdout,
      /\nstatus: verified manually: without DNS/,
    );
    assert.equal((await client.post('/v1/emails', email)).status, 202);
    // DNS has no records of the domain.
    assert.equal((await client.post<Domain>(`/v1/domains/${id}/verify`)).body.status, 'verified');
    assert.equal((await client.post('/v1/emails', email)).status, 202);

    const production = { ...ENV, POSTHORN_ENV: 'production' };
    const rejected = await posthorn(
      production,
      'domain',
      'add',
      '--project',
      project,
      '--domain',
      'x.example',
      '--verified',
    );
    assert.equal(rejected.code, 1);
    assert.match(
      rejected.stderr,
      /\n {2}verified: not available with POSTHORN_ENV=production: publish the DNS records/,
    );
    const list = (env: Record<string, string>) => posthorn(env, 'domain', 'list', '--project', project);
    assert.match((await list(ENV)).stdout, /\ndom_\w{26} +\d+s +verified manually +tried\.example\n/);
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

  test('reports why a domain is rejected', async () => {
    const { code, stderr } = await addDomain('--domain', 'co.uk');
    assert.equal(code, 1);
    assert.match(stderr, /domain: the domain is a public suffix/);
  });
});

describe('posthorn domain rotate-dkim', () => {
  const run = (command: string, ...args: string[]) =>
    posthorn(ENV, 'domain', command, '--project', api.project.name, '--domain', 'rotated.example', ...args);

  test('prints the record of the next key, which domain show lists beside the current key until --cancel', async () => {
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
    assert.match((await run('rotate-dkim', '--cancel')).stdout, /There is no next key\.$/m);
    const { records } = JSON.parse((await run('show', '--json')).stdout) as Domain;
    assert.equal(records.filter(({ record }) => record === 'DKIM').length, 1);
  });

  test('rejects a domain that the project does not have, and the hosted domain', async () => {
    const rotate = (domain: string) =>
      posthorn(ENV, 'domain', 'rotate-dkim', '--project', api.project.name, '--domain', domain);
    assert.match((await rotate('nobodys.example')).stderr, /no such domain/i);
    assert.match((await rotate(HOSTED_DOMAIN)).stderr, /belongs to the operator/);
  });
});
