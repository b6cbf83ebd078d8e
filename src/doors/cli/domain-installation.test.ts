import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { HOSTED_DOMAIN, startRealApi } from '../../../test/support/api.ts';
import { environmentOf, posthorn, type Ran } from '../../../test/support/cli.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Domain } from '../../contract/domains.ts';
import { removeServiceDomain } from '../../domains/remove-service-domain.ts';
import { ensureServiceDomain, recordServiceMailDomain } from '../../domains/service-domain.ts';
import { ServiceMail } from '../../sending/service-mail/service-mail.ts';

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

describe('posthorn domain add --installation', () => {
  const ofInstallation = (command: string, ...args: string[]) =>
    posthorn(ENV, 'domain', command, '--installation', ...args);

  test('adds a domain that belongs to no project, prints its records with its own key, and logs the change', async () => {
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
    assert.match(again.stderr, /^The installation already has the domain service\.example\./);
  });

  test('accepts a domain that a project has also claimed', async () => {
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

  test('domain show prints the status of the records in DNS', async () => {
    await ofInstallation('add', '--domain', 'shown.example');
    const { stdout } = await ofInstallation('show', '--domain', 'shown.example');
    assert.match(
      stdout,
      /^id: dom_\w{26}\ndomain: shown\.example\nstatus: pending\nnext check: .*\nDKIM: pending\n/,
    );
    const unknown = await ofInstallation('show', '--domain', 'unknown.example');
    assert.match(unknown.stderr, /^The installation has no domain unknown\.example for its own mail\./);
  });

  test('creates a separate key for a domain that was copied from a project, and prints the same again when repeated', async () => {
    const { sealer, db } = api;
    const { database } = db;
    const name = 'copied.example';
    await addDomain('--domain', name, '--verified');
    assert.equal(await ensureServiceDomain(database, sealer, name, true), 'copied');
    const show = () => ofInstallation('show', '--domain', name);
    assert.match(
      (await show()).stdout,
      /\nstatus: verified\nkeys: copied from a project's claim; .*\nTo create separate keys, run domain add --installation --domain copied\.example\./,
    );
    const added = await ofInstallation('add', '--domain', name);
    assert.match(
      added.stdout,
      /^id: dom_\w{26}\ndomain: copied\.example\nkeys: copied .*; these keys sign until .*\nPublish these DNS records:\nDKIM\n/,
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

  test('requires either --project or --installation', async () => {
    const neither = await posthorn(ENV, 'domain', 'add', '--domain', 'x.example');
    assert.match(neither.stderr, /project: use either --project or --installation/);
    const both = await addDomain('--installation', '--domain', 'x.example');
    assert.match(both.stderr, /cannot be used with option '--project <name>'/);
    assert.deepEqual([neither.code, both.code], [1, 1]);
  });

  test('rejects the hosted domain and a public suffix', async () => {
    for (const name of [HOSTED_DOMAIN, 'co.uk'])
      assert.equal((await ofInstallation('add', '--domain', name)).code, 1, name);
  });
});

describe('posthorn domain remove --installation', () => {
  const { db } = api;
  const remove = (name: string, env: Readonly<Record<string, string>> = ENV, ...args: string[]) =>
    posthorn(env, 'domain', 'remove', '--installation', '--domain', name, ...args);
  const changesOf = (name: string) =>
    db.database
      .selectFrom('systemChanges')
      .select(['action', 'before', 'after'])
      .where('target', '=', name)
      .where('action', '=', 'domain.remove-from-installation')
      .execute();

  test('requires --yes, removes the domain and its keys, and logs the removal; adding the domain again creates another key', async () => {
    const name = 'removed.example';
    const add = async () => {
      const { stdout } = await posthorn(ENV, 'domain', 'add', '--installation', '--domain', name, '--json');
      return JSON.parse(stdout) as Domain;
    };
    const { id, records } = await add();
    const unconfirmed = await remove(name);
    assert.match(unconfirmed.stderr, /^This deletes the domain removed\.example .* Add --yes to confirm\./);
    assert.equal(unconfirmed.code, 1);
    const { stdout } = await remove(name, ENV, '--yes');
    assert.match(
      stdout,
      /^The domain removed\.example and its keys are removed from the installation\. Leave/,
    );
    const dkim_selectors = [records[0]?.host.split('.')[0]];
    assert.deepEqual(await changesOf(name), [
      {
        action: 'domain.remove-from-installation',
        before: { domain_id: id, dkim_selectors },
        after: null,
      },
    ]);
    const keys = db.database
      .selectFrom('dkimKeys')
      .selectAll()
      .where('selector', 'in', dkim_selectors as string[]);
    assert.deepEqual(await keys.execute(), []);
    assert.match(
      (await remove(name, ENV, '--yes')).stderr,
      /^The installation has no domain removed\.example/,
    );
    assert.notEqual((await add()).records[0]?.host, records[0]?.host);
  });

  test('is rejected while the domain is in POSTHORN_MAIL_FROM of the command or of a started server', async () => {
    const name = 'sender.example';
    await posthorn(ENV, 'domain', 'add', '--installation', '--domain', name);
    const message =
      /^The service sends its own mail from sender\.example\. Set POSTHORN_MAIL_FROM to .* restart/;
    const rejected = await remove(name, { ...ENV, POSTHORN_MAIL_FROM: `hello@${name}` }, '--yes');
    assert.match(rejected.stderr, message);
    await recordServiceMailDomain(db.database, name);
    assert.match((await remove(name, ENV, '--yes')).stderr, message);
    assert.deepEqual(await changesOf(name), []);
    await recordServiceMailDomain(db.database, HOSTED_DOMAIN);
    assert.equal((await remove(name, ENV, '--yes')).code, 0);
  });

  test('is rejected with the number of queued recipients while service mail from the domain is queued', async () => {
    const name = 'queued.example';
    await addDomain('--domain', name, '--verified');
    const mail = new ServiceMail({
      from: `hello@${name}`,
      hostedDomain: HOSTED_DOMAIN,
      sealer: api.sealer,
      trustsManualVerification: true,
    });
    const send = () => mail.send(db.database, { to: 'a@dst.test', subject: 'Hi', text: 'Hi' });
    const sent = [await send(), await send()];
    const message = /^2 recipients of service mail from queued\.example are still queued and need its keys\./;
    assert.match((await remove(name, ENV, '--yes')).stderr, message);
    await db.database.deleteFrom('queue').where('emailId', 'in', sent).execute();
    const { stdout } = await remove(name, ENV, '--yes');
    assert.match(stdout, /The project from which the keys were copied keeps its own keys\.$/m);
    assert.equal((await addDomain('--domain', name, '--verified')).code, 0);
  });

  test('waits for a transaction that queues service mail from the domain, and is then rejected', async () => {
    const name = 'racing.example';
    await addDomain('--domain', name, '--verified');
    const options = { hostedDomain: HOSTED_DOMAIN, sealer: api.sealer, trustsManualVerification: true };
    const mail = new ServiceMail({ from: `hello@${name}`, ...options });
    const send = (tx: Parameters<ServiceMail['send']>[0]) =>
      mail.send(tx, { to: 'a@dst.test', subject: 'Hi', text: 'Hi' });
    await db.database
      .deleteFrom('queue')
      .where('emailId', '=', await send(db.database))
      .execute();
    const [queued, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sending = db.database.transaction().execute(async (tx) => {
      await send(tx);
      queued.resolve();
      await ended.promise;
    });
    await queued.promise;
    const removing = removeServiceDomain(db.database, { name, configuredDomain: null, isConfirmed: true });
    const isRefused = assert.rejects(
      removing,
      /^AppError: 1 recipient of service mail from racing\.example is /,
    );
    const waits = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    assert.ok(await eventually(async () => (await waits.execute(db.database)).rows.length > 0, 30_000));
    ended.resolve();
    await sending;
    await isRefused;
  });

  test('is rejected for the hosted domain, and for a domain that only a project has', async () => {
    await addDomain('--domain', 'project-only.example');
    for (const name of [HOSTED_DOMAIN, 'project-only.example'])
      assert.match((await remove(name, ENV, '--yes')).stderr, /^The installation has no domain/);
  });
});
