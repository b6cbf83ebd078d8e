import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase, SECRET } from '../../test/support/postgres.ts';
import { revokeApiKey } from '../accounts/keys/api-keys.ts';
import { devProject } from '../dev/dev-user.ts';
import { BAD_CONFIGURATION, type StartupError } from '../model/startup-error.ts';
import { prepare } from './app.ts';
import { readConfig } from './config.ts';
import { devEnvironment } from './dev-environment.ts';

suite('the database of posthorn dev', () => {
  let dataDir: string;
  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'posthorn-dev-'));
  });
  after(() => rmSync(dataDir, { recursive: true }));

  const start = (url: string) => {
    const own = { POSTHORN_DATABASE_URL: url, POSTHORN_SECRET: SECRET };
    return prepare(url, SECRET, readConfig(devEnvironment(own, { dataDir, smtpPort: '0', httpPort: '0' })));
  };
  const keyInFile = () => readFileSync(join(dataDir, 'api-key'), 'utf8').trim();

  test('is not changed if it belongs to an installation that sends real mail', async () => {
    await using db = await emptyDatabase();
    // The schema of an earlier version, which a start would migrate.
    await sql`create table projects (id uuid)`.execute(db.database);
    await sql`create table settings (name text, value text)`.execute(db.database);
    await sql`insert into settings values ('provider_kind', 'real')`.execute(db.database);
    await assert.rejects(start(db.url), (error: StartupError) => {
      assert.match(error.message, /sends real mail/);
      return error.exitCode === BAD_CONFIGURATION;
    });
    const { rows } = await sql`
      select tablename from pg_tables where schemaname = current_schema() order by 1`.execute(db.database);
    assert.deepEqual(rows, [{ tablename: 'projects' }, { tablename: 'settings' }]);
  });

  test('gets a new API key if the key in the folder is revoked or belongs to another database', async () => {
    await using first = await emptyDatabase();
    await start(first.url);
    const token = keyInFile();
    await start(first.url);
    assert.equal(keyInFile(), token);

    const projectId = await devProject(first.database);
    const { id } = await first.database.selectFrom('apiKeys').select('id').executeTakeFirstOrThrow();
    assert.ok(await revokeApiKey(first.database, projectId, id));
    await start(first.url);
    const second = keyInFile();
    assert.notEqual(second, token);

    await using other = await emptyDatabase();
    await start(other.url);
    assert.notEqual(keyInFile(), second);
  });
});
