// Runs in its own process: it is slow and mostly waits.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import { socketFolder } from './socket-folder.ts';

const MODULE = new URL('./embedded.ts', import.meta.url).href;
const isRoot = process.geteuid?.() === 0;

/** Returns the first value of a query, as text. */
async function ask(url: string, query: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    return String(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

/** Copies the contents of a folder with owners and permissions. */
function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', `${from}/.`, to]);
  assert.equal(status, 0, String(stderr));
}

/** A data path below `folder` whose socket path is longer than the kernel allows. */
function longPath(folder: string): string {
  return join(folder, 'a long päth with %20 and spaces '.repeat(5), 'data');
}

suite('the embedded PostgreSQL', () => {
  let folder: string;
  let prepared: string;
  let dataDir: string;
  const running: EmbeddedPostgres[] = [];

  async function start(path = dataDir): Promise<EmbeddedPostgres> {
    const postgres = await startEmbedded(path);
    running.push(postgres);
    return postgres;
  }

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-embedded-')));
    prepared = join(folder, 'made');
    const postgres = await startEmbedded(prepared);
    await ask(postgres.url, `create table kept as select 'kept' as a`);
    await postgres.stop('fast');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    dataDir = mkdtempSync(join(folder, 'data-'));
    copy(prepared, dataDir);
  });
  afterEach(async () => {
    for (const postgres of running.splice(0)) await postgres.stop('immediate');
  });

  test('the embedded PostgreSQL creates its cluster with UTF-8 and the built-in locale', async () => {
    const postgres = await start(join(folder, 'new/data'));
    assert.equal(await ask(postgres.url, 'select current_database()'), 'posthorn');
    assert.equal(
      await ask(postgres.url, `select lower('ÄÖÜ') || current_setting('server_encoding')`),
      'äöüUTF8',
    );
    assert.equal(await ask(postgres.url, 'show data_checksums'), 'on');
  });

  test('the embedded PostgreSQL listens on no network, and only its owner can access the folder of its socket', async () => {
    const postgres = await start();
    assert.equal(await ask(postgres.url, 'show listen_addresses'), '');
    assert.equal(statSync(socketFolder(dataDir)).mode & 0o777, 0o700);
  });

  test('the embedded PostgreSQL keeps its data when it is stopped', async () => {
    const first = await start();
    await ask(first.url, `update kept set a = 'changed'`);
    await first.stop('fast');
    const second = await start();
    assert.equal(await ask(second.url, 'select a from kept'), 'changed');
    assert.equal(second.url, first.url);
  });

  test('the embedded PostgreSQL starts immediately after it was killed, with all commits', async () => {
    const first = await start();
    await ask(first.url, `update kept set a = 'changed'`);
    process.kill(first.pid, 'SIGKILL');
    const second = await start();
    assert.equal(await ask(second.url, 'select a from kept'), 'changed');
  });

  test('the embedded PostgreSQL starts immediately after it was killed during an endless statement', async () => {
    const first = await start();
    await ask(
      first.url,
      `create function busy() returns void language plpgsql as $$ begin loop end loop; end $$`,
    );
    const client = new pg.Client({ connectionString: first.url });
    client.on('error', () => {});
    await client.connect();
    const broken = assert.rejects(client.query('select busy()'), /Connection terminated/);
    const isBusy = `select count(*) from pg_stat_activity where query = 'select busy()' and state = 'active'`;
    while ((await ask(first.url, isBusy)) === '0');
    process.kill(first.pid, 'SIGKILL');
    const second = await start();
    await broken;
    assert.equal(await ask(second.url, 'select a from kept'), 'kept');
  });

  test('the embedded PostgreSQL stops the server that an earlier process left behind', async () => {
    const first = await start();
    const second = await start();
    await first.exited;
    assert.equal(await ask(second.url, 'select a from kept'), 'kept');
  });

  test('the embedded PostgreSQL ignores a pid file whose number belongs to another process', async () => {
    writeFileSync(
      join(dataDir, 'postgres/postmaster.pid'),
      `${process.ppid}\n${dataDir}/postgres\n1\n5432\n/tmp\n\n1 1\nready   \n`,
    );
    const postgres = await start();
    assert.equal(await ask(postgres.url, 'select a from kept'), 'kept');
  });

  test('the embedded PostgreSQL creates a new cluster if an earlier process was killed while creating the cluster', async () => {
    rmSync(join(dataDir, 'postgres'), { recursive: true });
    const unfinished = join(dataDir, 'postgres.unfinished-1-1');
    mkdirSync(unfinished);
    writeFileSync(join(unfinished, 'PG_VERSION'), '18\n');
    const postgres = await start();
    assert.equal(await ask(postgres.url, 'select current_database()'), 'posthorn');
    assert.equal(existsSync(unfinished), false);
  });

  test('the embedded PostgreSQL works with a data folder whose path is too long for a socket', async () => {
    const long = longPath(dataDir);
    mkdirSync(long, { recursive: true });
    copy(prepared, long);
    const postgres = await start(long);
    assert.equal(await ask(postgres.url, 'select a from kept'), 'kept');
    assert.equal(statSync(socketFolder(long)).mode & 0o777, 0o700);
    await postgres.stop('fast');
    rmSync(socketFolder(long), { recursive: true });
  });

  test('the error contains the log if the embedded PostgreSQL cannot start', async () => {
    writeFileSync(join(dataDir, 'postgres/postgresql.conf'), 'no_such_setting = 1\n');
    await assert.rejects(start(), /unrecognized configuration parameter "no_such_setting"/);
  });

  test('a log of the embedded PostgreSQL that is too large is emptied', async () => {
    writeFileSync(join(dataDir, 'postgres.log'), Buffer.alloc(11 * 1024 * 1024, 'x'));
    await start();
    assert.ok(statSync(join(dataDir, 'postgres.log')).size < 10_000);
  });

  test('the embedded PostgreSQL stops when the process that started it is killed', async () => {
    const program = `
      import { startEmbedded } from '${MODULE}';
      const postgres = await startEmbedded(${JSON.stringify(dataDir)});
      console.log(postgres.pid);
      setInterval(() => {}, 60_000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = await starter.stdout[Symbol.asyncIterator]().next();
    assert.match(String(output.value), /^\d+\n$/);
    starter.kill('SIGKILL');
    while (existsSync(join(dataDir, 'postgres/postmaster.pid')))
      await new Promise((resolve) => setImmediate(resolve));
    assert.match(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /received fast shutdown request/);
  });

  suite('started by root', { skip: !isRoot }, () => {
    const { PATH } = process.env;
    /** Simulates a machine without user namespaces. */
    function forbidUserNamespaces(): void {
      const programs = join(folder, 'programs');
      mkdirSync(programs, { recursive: true });
      writeFileSync(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n');
      chmodSync(join(programs, 'unshare'), 0o755);
      process.env.PATH = `${programs}:${PATH}`;
    }
    afterEach(() => {
      process.env.PATH = PATH;
    });

    test('PostgreSQL started by root runs in a user namespace, and its files belong to root', async () => {
      const postgres = await start(join(dataDir, 'new'));
      assert.equal(statSync(join(dataDir, 'new/postgres')).uid, 0);
      assert.match(readFileSync(`/proc/${postgres.pid}/uid_map`, 'utf8'), / 0 +1\n$/);
    });

    test('without user namespaces, PostgreSQL started by root runs as nobody, even below folders that only root can enter', async () => {
      forbidUserNamespaces();
      chmodSync(dataDir, 0o700);
      const postgres = await start(join(dataDir, 'new'));
      assert.match(readFileSync(`/proc/${postgres.pid}/status`, 'utf8'), /^Uid:\t65534\t65534/m);
      assert.equal(await ask(postgres.url, 'select 1'), '1');
    });

    test('the owner of a cluster of root is changed to nobody if user namespaces are no longer available', async () => {
      forbidUserNamespaces();
      const first = await start();
      assert.equal(await ask(first.url, 'select a from kept'), 'kept');
      await first.stop('fast');
      process.env.PATH = PATH;
      const second = await start();
      assert.equal(statSync(join(dataDir, 'postgres')).uid, 65_534);
      assert.equal(await ask(second.url, 'select a from kept'), 'kept');
    });

    test('PostgreSQL started by root fails with advice if it can run neither in a user namespace nor as nobody', async () => {
      forbidUserNamespaces();
      copyFileSync(join(folder, 'programs/unshare'), join(folder, 'programs/setpriv'));
      try {
        await assert.rejects(
          start(join(dataDir, 'new')),
          /Start Posthorn as an ordinary user, or set POSTHORN_DATABASE_URL/,
        );
      } finally {
        rmSync(join(folder, 'programs/setpriv'));
      }
    });

    test('a start by an ordinary user is rejected if the data belongs to root, and the error names the owner', () => {
      for (const each of [folder, dataDir]) chmodSync(each, 0o755);
      const program = `
        import { chooseAccount } from '${new URL('./account.ts', import.meta.url).href}';
        process.seteuid(65_534);
        chooseAccount(${JSON.stringify(join(dataDir, 'postgres'))});`;
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        encoding: 'utf8',
      });
      assert.match(stderr, /belongs to user id 0, but Posthorn runs as 65534/);
    });
  });
});
