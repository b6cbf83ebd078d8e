/** Checks outgoing mail by direct delivery, a smart host or Amazon SES. */
import { isIP } from 'node:net';
import type { SesAccount } from '../../app/config.ts';
import type { SmtpReply } from '../../rfc/smtp/reply.ts';
import { findRoute } from '../../sending/deliver/direct/route.ts';
import { judge, readAccount, type SesAccountLimits } from '../../sending/deliver/ses/ses-response.ts';
import { SesClient } from '../../sending/deliver/ses/ses-client.ts';
import { smartHost, type SmartHostAddress } from '../../sending/deliver/smtp/host-address.ts';
import { openSession } from '../../sending/deliver/smtp/host-session.ts';
import { TIMINGS } from '../../sending/deliver/smtp/timings.ts';
import { Transcript } from '../../sending/deliver/smtp/transcript.ts';
import { readGreeting } from './ask-servers.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { isPublic, type World } from './world.ts';

/**
 * Maximum number of hosts to try. If one host is unavailable, its domain has a problem; if several hosts are unavailable, this machine
 * probably has a problem.
 */
const MAX_HOSTS = 3;

/** Checks that a mail host of the probe domain can be reached, and that it greets this machine instead of rejecting the connection. */
export async function checkOutgoing(world: World): Promise<Finding> {
  const { config, dns, probeDomain } = world;
  const port = config.mxPort;
  const route = await findRoute(probeDomain, dns, config.hostname);
  if (route.outcome !== 'hosts') {
    return problem(`${route.text}.`, 'See the check "dns", or choose another domain with --probe-domain.');
  }
  const hosts = route.groups.flat().slice(0, MAX_HOSTS);
  const greetings = await Promise.all(hosts.map((host) => greetingOf(world, host, port)));
  const texts = greetings.map(({ text }) => text).join('; ');
  if (greetings.some(({ code }) => code === 220)) {
    const seenAs = greetings.flatMap((greeting) => greeting.seenAs ?? []);
    return (await judgeAddress(world, seenAs)) ?? ok(`${texts}.`);
  }
  if (greetings.every(({ code }) => code === null)) {
    return problem(
      `${texts}.`,
      `Outgoing connections to port ${port} are blocked. Allow them in the firewall, and ask your hosting provider: many open the port only on request.`,
    );
  }
  return warning(
    `${texts}.`,
    'The server rejects this machine, and its reply says why. Common causes are the PTR record and a blocklist that contains the address.',
  );
}

/**
 * Checks the IP address from which mail is sent. Behind NAT only a remote server can report this address.
 * @param seenAs the addresses of this machine, as reported by remote servers
 */
async function judgeAddress({ dns, config }: World, seenAs: readonly string[]): Promise<Finding | null> {
  const { hostname } = config;
  const lookup = await dns.addresses(hostname);
  const known = lookup.outcome === 'found' ? lookup.records : [];
  const other = seenAs.find((address) => isPublic(address) && !known.includes(address));
  if (other === undefined || known.length === 0) return null;
  return problem(
    `Remote servers see this machine at ${other}, but the address of ${hostname} is ${known.join(', ')}. Mail sent from here fails SPF.`,
    `Publish ${other} as an address of ${hostname}, and set the PTR record of ${other} to ${hostname}. Or send mail from the address of ${hostname}.`,
  );
}

interface HostGreeting {
  /** The reply code of the greeting; null if there was no greeting. */
  code: number | null;
  text: string;
  /** The address of this machine, if the reply to EHLO contains it. */
  seenAs: string | null;
}

async function greetingOf(world: World, host: string, port: number): Promise<HostGreeting> {
  const lookup = await world.dns.addresses(host);
  const [address] = lookup.outcome === 'found' ? lookup.records : [];
  if (address === undefined) return { code: null, text: `${host} has no address in DNS`, seenAs: null };
  const greeting = await readGreeting(address, port, world.config.hostname, world);
  const at = `${host} (${address}), port ${port}`;
  if ('error' in greeting) return { code: null, text: `${at}: ${greeting.error}`, seenAs: null };
  const { code } = greeting.reply;
  return { code, text: `${at}: ${code} ${greeting.text}`, seenAs: clientIn(greeting.ehlo) };
}

/** The client's address in a reply to EHLO. Many servers include it: "mx.example at your service, [192.0.2.1]". */
function clientIn(reply: SmtpReply | null): string | null {
  const [, address = ''] = /\[(?:IPv6:)?([0-9a-f.:]{3,45})\]/i.exec(reply?.lines[0] ?? '') ?? [];
  return isIP(address) === 0 ? null : address.toLowerCase();
}

const SWEEP_MS = 100;

/** Checks that a session with the smart host can begin with a greeting, EHLO, TLS and a login, like a session that sends mail. */
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
  const { replyCode, text } = opened.failure.reply;
  return problem(
    `The smart host ${where} cannot be used: ${replyCode === null ? '' : `${replyCode} `}${text}.`,
    'Correct host, port, user and password in POSTHORN_SMTP_URL. smtps:// uses TLS from the start, smtp:// uses STARTTLS.',
  );
}

/** The share of the daily quota at which the check warns. */
const NEARLY_ALL = 0.9;

/** Checks that Amazon SES accepts the credentials, allows the account to send, and reports bounces and complaints. */
export async function checkSes({ timeoutMs }: Pick<World, 'timeoutMs'>, ses: SesAccount): Promise<Finding> {
  const client = new SesClient({ ...ses, maxConnections: 1, waitMs: timeoutMs });
  const result = await client.getAccount();
  await client.close();
  const where = `Amazon SES (${new URL(client.origin).hostname})`;
  if (result.kind !== 'answer') {
    return problem(
      `${where} cannot be reached: ${'why' in result ? result.why : 'the request was aborted'}.`,
      'Check that this machine can reach the internet over https, and that POSTHORN_SES_REGION is right.',
    );
  }
  const account = result.status === 200 ? readAccount(result.body) : null;
  if (account !== null) return judgeAccount(where, account, ses);
  const { status, errorType } = result;
  const response = `${where} answers ${status}${errorType === null ? '' : ` ${errorType}`}.`;
  if (errorType === 'AccessDenied') {
    return warning(
      `${response} The limits of the account are unknown.`,
      'Allow ses:GetAccount in the policy of the IAM user, in addition to ses:SendEmail and ses:SendRawEmail.',
    );
  }
  return problem(
    response,
    judge(result) === 'access'
      ? 'Correct POSTHORN_SES_ACCESS_KEY_ID and POSTHORN_SES_SECRET_ACCESS_KEY, and check the clock of this machine.'
      : 'Correct POSTHORN_SES_REGION or POSTHORN_SES_ENDPOINT.',
  );
}

function judgeAccount(where: string, account: SesAccountLimits, ses: SesAccount): Finding {
  const { maxSendRate, max24HourSend, sentLast24Hours, productionAccess, sendingEnabled } = account;
  if (sendingEnabled === false) {
    return problem(`${where} has paused the account.`, 'See the reason in the SES console.');
  }
  if (productionAccess === false) {
    return warning(
      `The account is in the sandbox of ${where}, which sends mail to verified identities only.`,
      'Request production access in the SES console.',
    );
  }
  if (max24HourSend !== null && max24HourSend > 0 && (sentLast24Hours ?? 0) >= max24HourSend * NEARLY_ALL) {
    return warning(
      `${sentLast24Hours} of the ${max24HourSend} messages that ${where} accepts in 24 hours are sent. Mail above the quota waits.`,
      'Request a higher quota in the SES console.',
    );
  }
  if (ses.configurationSet === null || ses.topicArn === null) {
    return warning(
      `${where} accepts the credentials. Bounces and complaints are not reported to Posthorn, because POSTHORN_SES_CONFIGURATION_SET or POSTHORN_SES_TOPIC_ARN is not set.`,
      'Set both: docs/operate/ses.md, "Feedback".',
    );
  }
  return ok(`${where} accepts the credentials, and ${maxSendRate} messages per second.`);
}
