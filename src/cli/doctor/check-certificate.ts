import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Finding, ok, problem, warning } from './finding.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

const DAY_MS = 86_400_000;
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
  // As clients of today do: a name in the subject alone is none (RFC 9525, section 2).
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
