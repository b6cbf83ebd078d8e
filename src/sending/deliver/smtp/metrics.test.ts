/** Metrics of outgoing connections. */
// Runs in its own process: the metrics count everything in the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { parseExposition } from '../../../../test/support/exposition.ts';
import { outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { registry } from '../../../observe/registry.ts';

async function open(): Promise<number> {
  return parseExposition(await registry.metrics()).sum('posthorn_outgoing_smtp_connections');
}

test('outgoing connections are counted from set-up to end, whichever side closes them', async () => {
  const server = await startSmtpServer();
  const relay = relayTo(server.port);
  await relay.send(outboundMessage());
  assert.equal(await open(), 1);
  await server[Symbol.asyncDispose]();
  assert.ok(await eventually(async () => (await open()) === 0, 5_000));
  await relay.close();

  await using other = await startSmtpServer();
  const another = relayTo(other.port);
  await another.send(outboundMessage());
  assert.equal(await open(), 1);
  await another.close();
  assert.equal(await open(), 0);
});
