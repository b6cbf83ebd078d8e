/** Kills processes of the service, including the supervisor. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { LOG_MESSAGES } from '../../src/observe/log-messages.ts';
import { logOf } from '../services/observability/log-of.ts';
import { isReady, processesOn, until } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {});
    socket.once('data', (greeting: Buffer) => {
      resolve(greeting.toString().startsWith('220 '));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}

suite('the service', () => {
  test('a service whose supervisor is killed leaves no process behind, and can be started at once', async () => {
    const killed = await startService();
    killed.supervisor.kill('SIGKILL');
    await once(killed.supervisor, 'exit');
    await killed.stop();
    await using service = await startService({ dataDir: killed.dataDir });
    assert.ok(await isReady(service));
    const { stop, supervisor } = service;
    assert.notEqual(supervisor.pid, killed.supervisor.pid);
    await stop.call(service);
    await until(() => processesOn(killed.dataDir).length === 0);
  });

  test('the service can be started after its supervisor and PostgreSQL were killed together', async () => {
    const killed = await startService();
    process.kill(killed.postgresPid(), 'SIGKILL');
    killed.supervisor.kill('SIGKILL');
    await once(killed.supervisor, 'exit');
    await killed.stop();
    await using service = await startService({ dataDir: killed.dataDir });
    assert.ok(await isReady(service));
  });
});

suite('the supervisor', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`the supervisor replaces a process that ends by ${signal}, on the same ports`, async () => {
      const before = service.childPids();
      for (const pid of before) process.kill(pid, signal);
      await until(async () => {
        const now = service.childPids();
        return (
          now.length === before.length && !now.some((pid) => before.includes(pid)) && (await isReady(service))
        );
      });
      await until(() => greets(service.smtpPort));
      assert.equal(service.supervisor.exitCode, null);
    });
  }

  test('the supervisor restarts PostgreSQL after its death, and every process logs the loss and the recovery', async () => {
    const log = logOf(service);
    const before = service.postgresPid();
    process.kill(before, 'SIGKILL');
    await until(async () => {
      const pid = existsSync(join(service.dataDir, 'postgres/postmaster.pid'))
        ? service.postgresPid()
        : before;
      return pid !== before && (await isReady(service));
    });
    assert.equal(service.supervisor.exitCode, null);
    const pidsOf = (...messages: string[]) =>
      log
        .lines()
        .filter(({ msg }) => messages.includes(msg))
        .map(({ pid }) => pid);
    const all = [service.supervisor.pid ?? 0, ...service.childPids()].toSorted();
    const { databaseLost, databaseFound, postgresEnded, postgresRunsAgain } = LOG_MESSAGES;
    await until(() => pidsOf(databaseFound, postgresRunsAgain).length === all.length);
    assert.deepEqual(pidsOf(databaseLost, postgresEnded).toSorted(), all);
    assert.deepEqual(pidsOf(databaseFound, postgresRunsAgain).toSorted(), all);
  });
});
