/** Metrics of the port for incoming mail. */
// Runs in its own process: it counts all events of the process.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { parseExposition } from '../../../test/support/exposition.ts';
import { registry } from '../../observe/registry.ts';
import { MESSAGE, startTestListener, TestClient } from './dialogue.fixture.ts';

async function counted(name: string, labels: Record<string, string> = {}): Promise<number> {
  return parseExposition(await registry.metrics()).sum(`posthorn_inbound_${name}`, labels);
}

suite('the port for incoming mail', () => {
  test('messages are counted by outcome', async () => {
    let isAway = false;
    await using listener = await startTestListener({
      receive: async () => {
        if (isAway) throw new Error('away');
        return 'accepted';
      },
    });
    using one = await TestClient.connect(listener.port);
    await one.play(`${MESSAGE}
      C: hello
      C: .
      S: 250 2.6.0 Accepted`);
    isAway = true;
    using other = await TestClient.connect(listener.port);
    await other.play(`${MESSAGE}
      C: hello
      C: .
      S: 451 4.3.0 Temporary failure; try again later`);
    assert.equal(await counted('messages_total', { outcome: 'accepted' }), 1);
    assert.equal(await counted('messages_total', { outcome: 'try_again' }), 1);
    assert.equal(await counted('messages_total'), 2);
  });

  test('served, open and rejected connections are counted', async () => {
    const servedBefore = await counted('smtp_connections_total', { result: 'served' });
    await using listener = await startTestListener();
    {
      using stack = new DisposableStack();
      for (let n = 0; n < 20; n++) stack.use(await TestClient.connect(listener.port));
      using late = stack.use(await TestClient.connect(listener.port));
      await late.play(`
        S: 421 4.7.0 Too many connections; try again later
        S: (closed)`);
      assert.equal(await counted('smtp_sessions'), 20);
      assert.equal(await counted('smtp_connections_total', { result: 'served' }), servedBefore + 20);
      assert.equal(await counted('smtp_connections_total', { result: 'refused' }), 1);
    }
    assert.ok(await eventually(async () => (await counted('smtp_sessions')) === 0, 5_000));
  });
});
