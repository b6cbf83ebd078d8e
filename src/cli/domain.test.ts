import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HOSTED_DOMAIN, startRealApi } from '../../test/support/api.ts';
import { environmentOf, posthorn, type Ran } from '../../test/support/cli.ts';
import type { Domain } from '../contract/domains.ts';

const api = await startRealApi();
after(() => api[Symbol.asyncDispose]());

function addDomain(...args: string[]): Promise<Ran> {
  const env = {
    ...environmentOf(api.db),
    POSTHORN_HOSTNAME: 'mx.hosted.example',
    POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN,
  };
  return posthorn(env, 'domain', 'add', '--project', api.project.name, ...args);
}

describe('posthorn domain hosted', () => {
  const env = {
    ...environmentOf(api.db),
    POSTHORN_HOSTNAME: 'mx.hosted.example',
    POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN,
  };

  test('prints the records of the hosted domain, with the public half of the keys that sign', async () => {
    const { stdout } = await posthorn(env, 'domain', 'hosted', '--json');
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

  test('says why a domain is refused', async () => {
    const { code, stderr } = await addDomain('--domain', 'co.uk');
    assert.equal(code, 1);
    assert.match(stderr, /domain: the domain is a public suffix/);
  });
});
