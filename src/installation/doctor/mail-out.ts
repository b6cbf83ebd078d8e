/** How mail leaves: direct delivery, the smart host, Amazon SES. */
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

/** One host that is away is its domain's trouble; several are ours. */
const MAX_HOSTS = 3;

/** Whether the mail hosts of the probe domain can be reached, and take this machine for a mail server. */
export async function checkOutgoing(world: World): Promise<Finding> {
  const { config, dns, probeDomain } = world;
  const port = config.mxPort;
  const route = await findRoute(probeDomain, dns, config.hostname);
  if (route.outcome !== 'hosts') {
    return problem(`${route.text}.`, 'See the check "dns", or name another domain with --probe-domain.');
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
      `Outgoing connections to port ${port} are blocked: open them in the firewall, and ask whoever you rent the machine from. Many do not open the port until you ask.`,
    );
  }
  return warning(
    `${texts}.`,
    'The server does not want to talk to this machine. See what it says: often the PTR record, or a blocklist that has the address.',
  );
}

/**
 * Behind NAT only the far side knows which address mail leaves from.
 * @param seenAs this machine's addresses, as others see them
 */
async function judgeAddress({ dns, config }: World, seenAs: readonly string[]): Promise<Finding | null> {
  const { hostname } = config;
  const answer = await dns.addresses(hostname);
  const named = answer.outcome === 'found' ? answer.records : [];
  const other = seenAs.find((address) => isPublic(address) && !named.includes(address));
  if (other === undefined || named.length === 0) return null;
  return problem(
    `Others see this machine at ${other}, and ${hostname} has ${named.join(', ')}: mail that leaves from here fails SPF.`,
    `Publish ${other} as an address of ${hostname}, and have the PTR record of ${other} name it; or send outgoing mail through the address that ${hostname} has.`,
  );
}

interface Heard {
  /** The reply code of the greeting; null: there was none. */
  code: number | null;
  text: string;
  /** The address of this machine, where the answer to EHLO has it. */
  seenAs: string | null;
}

async function greetingOf(world: World, host: string, port: number): Promise<Heard> {
  const answer = await world.dns.addresses(host);
  const [address] = answer.outcome === 'found' ? answer.records : [];
  if (address === undefined) return { code: null, text: `${host} has no address in DNS`, seenAs: null };
  const greeting = await readGreeting(address, port, world.config.hostname, world);
  const at = `${host} (${address}), port ${port}`;
  if ('error' in greeting) return { code: null, text: `${at}: ${greeting.error}`, seenAs: null };
  const { code } = greeting.reply;
  return { code, text: `${at}: ${code} ${greeting.text}`, seenAs: clientIn(greeting.ehlo) };
}

/** Many servers greet with the client's address: "mx.example at your service, [192.0.2.1]". */
function clientIn(reply: SmtpReply | null): string | null {
  const [, address = ''] = /\[(?:IPv6:)?([0-9a-f.:]{3,45})\]/i.exec(reply?.lines[0] ?? '') ?? [];
  return isIP(address) === 0 ? null : address.toLowerCase();
}

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
    'Correct POSTHORN_SMTP_URL: host, port, user and password. smtps:// is TLS from the start, smtp:// is STARTTLS.',
  );
}

/** The share of a day's quota that leaves little of it. */
const NEARLY_ALL = 0.9;

/** Whether Amazon SES takes the credentials, lets the account send, and reports bounces and complaints. */
export async function checkSes({ timeoutMs }: Pick<World, 'timeoutMs'>, ses: SesAccount): Promise<Finding> {
  const client = new SesClient({ ...ses, maxConnections: 1, waitMs: timeoutMs });
  const result = await client.getAccount();
  await client.close();
  const where = `Amazon SES (${new URL(client.origin).hostname})`;
  if (result.kind !== 'answer') {
    return problem(
      `${where} cannot be asked: ${'why' in result ? result.why : 'broken off'}.`,
      'See whether this machine reaches the internet over https, and whether POSTHORN_SES_REGION is right.',
    );
  }
  const account = result.status === 200 ? readAccount(result.body) : null;
  if (account !== null) return judgeAccount(where, account, ses);
  const { status, errorType } = result;
  const said = `${where} answers ${status}${errorType === null ? '' : ` ${errorType}`}.`;
  if (errorType === 'AccessDenied') {
    return warning(
      `${said} So it is not known what the account may send.`,
      'Allow ses:GetAccount in the policy of the IAM user, beside ses:SendEmail and ses:SendRawEmail.',
    );
  }
  return problem(
    said,
    judge(result) === 'access'
      ? 'Correct POSTHORN_SES_ACCESS_KEY_ID and POSTHORN_SES_SECRET_ACCESS_KEY, and see whether the clock of this machine is right.'
      : 'Correct POSTHORN_SES_REGION or POSTHORN_SES_ENDPOINT.',
  );
}

function judgeAccount(where: string, account: SesAccountLimits, ses: SesAccount): Finding {
  const { maxSendRate, max24HourSend, sentLast24Hours, productionAccess, sendingEnabled } = account;
  if (sendingEnabled === false) {
    return problem(`${where} has paused the account.`, 'The console of SES says why, and what to do.');
  }
  if (productionAccess === false) {
    return warning(
      `The account is in the sandbox of ${where}: mail goes to verified identities only.`,
      'Ask for production access in the console of SES.',
    );
  }
  if (max24HourSend !== null && max24HourSend > 0 && (sentLast24Hours ?? 0) >= max24HourSend * NEARLY_ALL) {
    return warning(
      `${sentLast24Hours} of the ${max24HourSend} messages that ${where} takes a day are sent: the rest waits.`,
      'Ask for a higher quota in the console of SES.',
    );
  }
  if (ses.configurationSet === null || ses.topicArn === null) {
    return warning(
      `${where} takes the credentials. Nobody hears of bounces and complaints: POSTHORN_SES_CONFIGURATION_SET or POSTHORN_SES_TOPIC_ARN is not set.`,
      'Set both: docs/operate/ses.md, "Feedback".',
    );
  }
  return ok(`${where} takes the credentials, and ${maxSendRate} messages a second.`);
}
