/** How bounces and complaints come in. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ownAddress } from '../../app/own-address.ts';
import { isTakenBySmartHost } from '../../app/reports-port.ts';
import { DAY_MS } from '../../model/day.ts';
import { readGreeting } from './ask-servers.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';
import type { World } from './world.ts';

/** Whether the listener for bounces and complaints runs on this machine. */
export async function checkInbound(world: World): Promise<Finding> {
  const { hostname, smtpPort } = world.config;
  if (smtpPort === 0) {
    return warning(
      'POSTHORN_SMTP_PORT is 0, so each start picks another port.',
      'Set it to a port of your choice, and forward port 25 to it.',
    );
  }
  if (isTakenBySmartHost(world.config)) {
    return warning(
      `The smart host listens on port ${smtpPort} of this machine, so Posthorn does not take in bounces there.`,
      'Set POSTHORN_SMTP_PORT to another port if Posthorn is to hear of bounces.',
    );
  }
  const greeting = await readGreeting(ownAddress(world.config), smtpPort, hostname, world);
  if ('error' in greeting) {
    return problem(
      `Port ${smtpPort} of this machine: ${greeting.error}. Bounces and complaints do not arrive.`,
      'Start Posthorn with the role smtp and the same POSTHORN_SMTP_PORT.',
    );
  }
  const { code } = greeting.reply;
  const [name = ''] = greeting.text.split(' ', 1);
  if (code !== 220 || name.toLowerCase() !== hostname) {
    return problem(
      `Port ${smtpPort} of this machine greets with "${code} ${greeting.text}", and not as ${hostname}.`,
      'Another program has the port, or Posthorn runs with another POSTHORN_HOSTNAME than this command: give both the same settings, and start it again.',
    );
  }
  return ok(
    `Posthorn takes in mail and bounces on port ${smtpPort} as ${hostname}. Whether port 25 is forwarded to it can only be seen from another machine.`,
  );
}
const WARN_DAYS = 14;

/** Whether what STARTTLS shows to others is a certificate of POSTHORN_HOSTNAME, and for how long. */
export async function checkCertificate({ config, nowMs }: World): Promise<Finding> {
  const { tls, hostname } = config;
  if (tls === null) {
    return warning(
      'There is no certificate: bounces and complaints arrive unencrypted.',
      `Get a certificate for ${hostname}, and set POSTHORN_TLS_CERT and POSTHORN_TLS_KEY.`,
    );
  }
  try {
    const certificate = new X509Certificate(await readFile(tls.certPath));
    const key = createPrivateKey(await readFile(tls.keyPath));
    if (!certificate.checkPrivateKey(key)) {
      return problem(
        'The key of POSTHORN_TLS_KEY is not that of the certificate of POSTHORN_TLS_CERT.',
        'Name the two files that were made together; the certificate comes first in its file, before its chain.',
      );
    }
    return judge(certificate, hostname, nowMs());
  } catch (error) {
    return problem(
      `The certificate cannot be used: ${reasonOf(error)}.`,
      'POSTHORN_TLS_CERT and POSTHORN_TLS_KEY must name PEM files, the key without a passphrase, that this user may read.',
    );
  }
}

function judge(certificate: X509Certificate, hostname: string, nowMs: number): Finding {
  // As clients do today: a name that only the subject has does not count (RFC 9525, section 2).
  const names = certificate.subjectAltName ?? 'nobody';
  if (certificate.checkHost(hostname, { subject: 'never', partialWildcards: false }) === undefined) {
    return problem(
      `The certificate is for ${names}, and not for ${hostname}.`,
      `Get a certificate for ${hostname}.`,
    );
  }
  const renew = 'Renew it. Posthorn reads the files again by itself, without a restart.';
  const { validFromDate, validToDate } = certificate;
  const until = validToDate.toISOString().slice(0, 10);
  if (validFromDate.getTime() > nowMs) {
    return problem(
      `The certificate is valid only from ${validFromDate.toISOString().slice(0, 10)} on.`,
      'Set the clock of this machine, or use another certificate.',
    );
  }
  const days = Math.floor((validToDate.getTime() - nowMs) / DAY_MS);
  if (days < 0) return problem(`The certificate has expired: ${until}.`, renew);
  const seen = `The certificate of ${hostname} is valid until ${until}.`;
  return days < WARN_DAYS ? warning(`${seen} That is ${days} days.`, renew) : ok(seen);
}
