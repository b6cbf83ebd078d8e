/** Makes a relay that sends to the test SMTP server, and messages for the relay. */
import { FULL_SHARE } from '../../src/concurrency/share.ts';
import type { OutboundMessage, Provider } from '../../src/sending/deliver/provider.ts';
import { Relay, type RelayOptions } from '../../src/sending/deliver/relay/relay.ts';
import type { SmartHostAddress } from '../../src/sending/deliver/smtp/host-address.ts';
import type { Timings } from '../../src/sending/deliver/smtp/timings.ts';

/** Time-outs for a client that waits `ms` for each reply from the server. */
function waiting(ms: number): Timings {
  return {
    connectMs: ms,
    setUpMs: ms,
    commandMs: ms,
    dataMs: ms,
    blockMs: ms,
    dotMs: ms,
    idleMs: 60_000,
    graceMs: 100,
    sweepMs: 10,
  };
}

/** Time-outs for servers that do not reply: short enough for a test, but long enough for other replies from a busy machine. */
export const IMPATIENT = waiting(400);
/** Time-outs for servers that reply. */
export const PATIENT = waiting(30_000);

export function relayTo(
  port: number,
  options: Partial<SmartHostAddress & RelayOptions> = {},
): Provider & AsyncDisposable {
  const { host = '127.0.0.1', implicitTls = false, username = null, password = null, ...rest } = options;
  const relay = new Relay(
    { host, port, implicitTls, username, password },
    { heloName: 'client.example', share: () => FULL_SHARE, ...rest },
  );
  return Object.assign(relay, { [Symbol.asyncDispose]: () => relay.close() });
}

let count = 0;

export function outboundMessage(fields: Partial<OutboundMessage> = {}): OutboundMessage {
  count += 1;
  return {
    projectId: '00000000-0000-7000-8000-000000000001',
    emailId: '00000000-0000-7000-8000-000000000002',
    mailFrom: 'sender@example.com',
    rcptTo: 'one@example.net',
    messageId: `<${count}@example.com>`,
    data: Buffer.from(`Message-ID: <${count}@example.com>\r\nSubject: test\r\n\r\nHello\r\n`),
    smtputf8: false,
    attempt: 1,
    mayCommit: () => true,
    ...fields,
  };
}
