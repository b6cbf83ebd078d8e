import type { SmartHostAddress } from '../../sending/deliver/smtp/host-address.ts';
import { smartHost } from '../../sending/deliver/smtp/host-address.ts';
import { openSession } from '../../sending/deliver/smtp/session.ts';
import { TIMINGS } from '../../sending/deliver/smtp/timings.ts';
import { Transcript } from '../../sending/deliver/smtp/transcript.ts';
import { type Finding, ok, problem } from './finding.ts';
import type { World } from './world.ts';

const SWEEP_MS = 100;

/** Whether a session with the smart host begins: greeting, EHLO, TLS and the login, as when mail is sent. */
export async function checkSmartHost(
  { config, timeoutMs, signal }: World,
  address: SmartHostAddress,
): Promise<Finding> {
  const timings = { ...TIMINGS, connectMs: timeoutMs, setUpMs: timeoutMs, sweepMs: SWEEP_MS };
  const options = { heloName: config.hostname, timings };
  const opened = await openSession(smartHost(address), options, new Transcript(), signal);
  const where = `${address.host}, port ${address.port}`;
  if ('session' in opened) {
    const { wire, tls } = opened.session;
    wire.write('QUIT\r\n', () => wire.destroy());
    return ok(`The smart host ${where} answers${tls ? ' over TLS' : ''}.`);
  }
  const { replyCode, text } = opened.failure.said;
  return problem(
    `The smart host ${where} cannot be used: ${replyCode === null ? '' : `${replyCode} `}${text}.`,
    'Put POSTHORN_SMTP_URL right: host, port, user and password. smtps:// is TLS from the start, smtp:// is STARTTLS.',
  );
}
