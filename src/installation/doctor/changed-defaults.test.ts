import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { readConfig } from '../../app/config.ts';
import { compareVersions, VERSION } from '../../model/version.ts';
import { CHANGED_DEFAULTS } from './changed-defaults.ts';
import { describe } from './upgrade.ts';
import { worldWith } from './world.fixture.ts';
import type { World } from './world.ts';

const PAGE = new URL('../../../docs/operate/upgrade.md', import.meta.url);
const DNS = '127.0.0.1:53';

suite('changed defaults', () => {
  test('changed defaults are the rows of docs/operate/upgrade.md, with the same text', () => {
    const rows = CHANGED_DEFAULTS.map(
      ({ name, since, date, before, now, advice }) =>
        `| \`${name}\` | ${since} | ${date} | ${before} | ${now} | ${advice} |`,
    );
    const found = readFileSync(PAGE, 'utf8')
      .split('\n')
      .filter((line) => /^\| `[a-z_]+` \| \d/.test(line));
    assert.deepEqual(found, rows);
  });

  test('changed defaults have unique names and an existing version, and are listed newest first', () => {
    assert.equal(new Set(CHANGED_DEFAULTS.map(({ name }) => name)).size, CHANGED_DEFAULTS.length);
    for (const { name, since } of CHANGED_DEFAULTS) assert.ok(compareVersions(since, VERSION) <= 0, name);
    const dates = CHANGED_DEFAULTS.map(({ date }) => date);
    assert.deepEqual(dates, dates.toSorted().toReversed());
  });
});

suite('whether a changed default affects this installation', () => {
  let db: TestDatabase;
  before(async () => {
    db = await testDatabase();
  });
  after(() => db[Symbol.asyncDispose]());

  /** @param env the whole environment */
  function worldOf(env: Readonly<Record<string, string>>, overrides: Partial<World> = {}): World {
    const config = readConfig({ POSTHORN_HOSTNAME: 'mx.example', ...env });
    return { ...worldWith(DNS, { env: {}, database: { opened: db.database } }), config, env, ...overrides };
  }

  const PRODUCTION = { POSTHORN_ENV: 'production', POSTHORN_PROVIDER: 'direct' };
  const HTTPS = { ...PRODUCTION, POSTHORN_BASE_URL: 'https://mail.acme.example' };
  const REMOTE = { POSTHORN_SECRET: 'a secret of sixteen', POSTHORN_DATABASE_URL: 'postgres://db/posthorn' };
  const CASES: readonly [name: string, env: Readonly<Record<string, string>>, isTouched: boolean][] = [
    ['provider_required', { POSTHORN_ENV: 'production' }, true],
    ['provider_required', PRODUCTION, false],
    ['provider_required', {}, false],
    ['provider_kind', { POSTHORN_ENV: 'production' }, true],
    ['provider_kind', PRODUCTION, false],
    ['service_sender', {}, true],
    ['service_sender', { POSTHORN_MAIL_FROM: 'noreply@acme.example' }, false],
    ['postmaster', PRODUCTION, true],
    ['postmaster', { ...PRODUCTION, POSTHORN_ROLES: 'http,worker' }, false],
    ['postmaster', { ...PRODUCTION, POSTHORN_POSTMASTER: 'ops@acme.example' }, false],
    ['https_redirect', PRODUCTION, false],
    ['https_redirect', HTTPS, true],
    ['https_redirect', { ...HTTPS, POSTHORN_TRUSTED_PROXIES: '10.0.0.1' }, false],
    ['foreign_host', { POSTHORN_BASE_URL: 'http://mail.acme.example' }, true],
    ['foreign_host', {}, false],
    ['foreign_host', HTTPS, false],
    ['sslmode', REMOTE, false],
    ['sslmode', { ...REMOTE, POSTHORN_DATABASE_URL: 'postgres://db/posthorn?sslmode=require' }, true],
    ['sslmode', { ...REMOTE, POSTHORN_DATABASE_URL: 'postgres://db/posthorn?sslmode=disable' }, false],
    ['database_wait', REMOTE, true],
    ['database_wait', {}, false],
    ['dead_claims', REMOTE, true],
    ['dead_claims', {}, false],
    ['roles', {}, true],
    ['roles', { POSTHORN_ROLES: 'http' }, false],
    ['listen', {}, true],
    ['listen', { POSTHORN_LISTEN: '::' }, false],
    ['listen', PRODUCTION, false],
    ['sandbox_copies', {}, true],
    ['sandbox_copies', PRODUCTION, false],
  ];
  const changed = (name: string) => {
    const found = CHANGED_DEFAULTS.find((each) => each.name === name);
    return found ?? assert.fail(name);
  };

  for (const [name, env, isTouched] of CASES) {
    test(`${name} affects an installation with ${Object.keys(env).join(', ') || 'no variable'}: ${isTouched}`, async () => {
      const { is_touched, here } = await describe(changed(name), worldOf(env));
      assert.equal(is_touched, isTouched, here);
      assert.match(here, /^[A-Z].*\.$/);
    });
  }

  test('the reason for local_delivery names the domains whose mail is not delivered locally', async () => {
    assert.equal((await describe(changed('local_delivery'), worldOf(PRODUCTION))).is_touched, false);
    const { mailboxId } = await newMailbox(db.database);
    await sql`
      update domains set name = 'away.example', status = 'verified', verified_at = now()
      where id = (select domain_id from mailboxes where id = ${mailboxId})`.execute(db.database);
    const { is_touched, here } = await describe(changed('local_delivery'), worldOf(PRODUCTION));
    assert.equal(is_touched, true);
    assert.match(here, /away\.example/);
  });

  test('smtp_tracking affects an installation with a project that tracks emails but not messages submitted by SMTP', async () => {
    const isTouched = async () => (await describe(changed('smtp_tracking'), worldOf({}))).is_touched;
    assert.equal(await isTouched(), false);
    const projectId = await newProject(db.database);
    const set = (fields: { trackClicks?: boolean; smtpTracking?: boolean }) =>
      db.database.updateTable('projects').set(fields).where('id', '=', projectId).execute();
    await set({ trackClicks: true });
    assert.equal(await isTouched(), true);
    await set({ smtpTracking: true });
    assert.equal(await isTouched(), false);
  });

  test('the effect of a changed default is unknown if the database was never migrated, or cannot be reached', async () => {
    await using empty = await emptyDatabase();
    for (const database of [{ opened: empty.database }, { error: 'it cannot be reached.' }]) {
      const { is_touched, here } = await describe(
        changed('reserved_addresses'),
        worldOf(PRODUCTION, { database }),
      );
      assert.equal(is_touched, null);
      assert.match(here, /database/);
    }
  });
});
