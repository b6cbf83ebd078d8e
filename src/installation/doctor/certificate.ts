/** Checks the TLS certificate. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Selectable } from 'kysely';
import type { Config } from '../../app/config.ts';
import type { Tables } from '../../db/tables.ts';
import { DAY_MS } from '../../model/day.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';
import type { World } from './world.ts';

const WARN_DAYS = 14;

/** If an attempt to obtain a certificate is overdue by this much, no server that obtains certificates is running. */
const LATE_MS = DAY_MS / 24;

/** Checks that the certificate is for POSTHORN_HOSTNAME and does not expire soon. */
export async function checkCertificate(world: World): Promise<Finding> {
  const { tls, acme, hostname } = world.config;
  if (tls !== null) return checkFiles(tls, hostname, world.nowMs());
  if (acme !== null) return checkObtained(acme, world);
  return warning(
    'There is no certificate. Bounces and complaints arrive unencrypted, and mail apps cannot sign in.',
    `Set POSTHORN_ACME=on, or get a certificate for ${hostname} and set POSTHORN_TLS_CERT and POSTHORN_TLS_KEY.`,
  );
}

/** Checks the certificates obtained by ACME. The finding has the worst verdict of all names. */
async function checkObtained(
  { directory, names }: NonNullable<Config['acme']>,
  { database, nowMs }: World,
): Promise<Finding> {
  if ('error' in database)
    return problem(
      `The certificates cannot be checked, because the database cannot be opened: ${database.error}`,
      'Fix the database first: see the check "database".',
    );
  const rows = await database.opened
    .selectFrom('acmeCertificates')
    .select(['name', 'expiresAt', 'nextAttemptAt', 'lastError'])
    .where('directory', '=', directory)
    .where('name', 'in', names)
    .execute();
  const findings = names.map((name) =>
    judgeObtained(
      name,
      rows.find((row) => row.name === name),
      nowMs(),
    ),
  );
  const worst = (['problem', 'warning', 'ok'] as const).find((verdict) =>
    findings.some((finding) => finding.verdict === verdict),
  );
  return {
    verdict: worst ?? 'ok',
    seen: findings.map(({ seen }) => seen).join(' '),
    advice: findings.find(({ verdict }) => verdict === worst)?.advice ?? null,
  };
}

function judgeObtained(
  name: string,
  row: Pick<Selectable<Tables['acmeCertificates']>, 'expiresAt' | 'nextAttemptAt' | 'lastError'> | undefined,
  nowMs: number,
): Finding {
  const { expiresAt = null, lastError = null, nextAttemptAt } = row ?? {};
  const isValid = expiresAt !== null && expiresAt.getTime() > nowMs;
  const verdict = isValid ? warning : problem;
  const seen =
    expiresAt === null
      ? `There is no certificate for ${name} yet.`
      : `The certificate for ${name} ${isValid ? 'is valid until' : 'expired on'} ${dayOf(expiresAt)}.`;
  if (nextAttemptAt === undefined || nextAttemptAt.getTime() < nowMs - LATE_MS)
    return verdict(`${seen} No running server obtains one.`, 'Start Posthorn with the same POSTHORN_ACME.');
  if (lastError !== null)
    return verdict(
      `${seen} The last attempt failed: ${lastError}. The next one is at ${nextAttemptAt.toISOString()}.`,
      `Forward port 80 of ${name} to POSTHORN_HTTP_PORT, or port 443 to POSTHORN_HTTPS_PORT (docs/operate/certificates.md).`,
    );
  return isValid ? ok(seen) : warning(seen, 'Wait a minute, then run the check again.');
}

async function checkFiles(
  tls: NonNullable<Config['tls']>,
  hostname: string,
  nowMs: number,
): Promise<Finding> {
  try {
    const certificate = new X509Certificate(await readFile(tls.certPath));
    const key = createPrivateKey(await readFile(tls.keyPath));
    if (!certificate.checkPrivateKey(key)) {
      return problem(
        'The key in POSTHORN_TLS_KEY does not belong to the certificate in POSTHORN_TLS_CERT.',
        'Use the certificate and the key that were created together. In the certificate file, put the certificate first and its chain after it.',
      );
    }
    return judge(certificate, hostname, nowMs);
  } catch (error) {
    return problem(
      `The certificate cannot be used: ${reasonOf(error)}.`,
      'Set POSTHORN_TLS_CERT and POSTHORN_TLS_KEY to PEM files that this user may read. The key must have no passphrase.',
    );
  }
}

function judge(certificate: X509Certificate, hostname: string, nowMs: number): Finding {
  // Like current clients, ignores the common name in the subject (RFC 9525, section 2).
  const names = certificate.subjectAltName ?? 'no name';
  if (certificate.checkHost(hostname, { subject: 'never', partialWildcards: false }) === undefined) {
    return problem(
      `The certificate is for ${names}, not for ${hostname}.`,
      `Get a certificate for ${hostname}.`,
    );
  }
  const renew = 'Renew the certificate. Posthorn reloads the files automatically, without a restart.';
  const { validFromDate, validToDate } = certificate;
  const until = dayOf(validToDate);
  if (validFromDate.getTime() > nowMs) {
    return problem(
      `The certificate is not valid before ${dayOf(validFromDate)}.`,
      'Correct the clock of this machine, or use another certificate.',
    );
  }
  const days = Math.floor((validToDate.getTime() - nowMs) / DAY_MS);
  if (days < 0) return problem(`The certificate expired on ${until}.`, renew);
  const seen = `The certificate for ${hostname} is valid until ${until}.`;
  return days < WARN_DAYS
    ? warning(`${seen} It expires in ${days} ${days === 1 ? 'day' : 'days'}.`, renew)
    : ok(seen);
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
