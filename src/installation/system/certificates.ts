/** Reads the certificates that TLS ports serve, for operators. Never returns a key. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SystemCertificates } from '../../contract/dashboard/system.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';

const MAX_ERROR = 1_000;

type Certificate = SystemCertificates['data'][number];

/** The certificates that were obtained from an authority. */
export async function readObtainedCertificates(database: Database): Promise<Certificate[]> {
  const rows = await database
    .selectFrom('acmeCertificates')
    .select(['directory', 'name', 'expiresAt', 'wantedAt', 'nextAttemptAt', 'failures', 'lastError'])
    .orderBy('name')
    .limit(500)
    .execute();
  return rows.map(
    ({ directory, name, expiresAt, wantedAt, nextAttemptAt, failures, lastError }): Certificate => ({
      names: [name],
      source: 'acme',
      issuer: authorityOf(directory),
      expires_at: expiresAt?.toISOString() ?? null,
      next_attempt_at: nextAttemptAt.toISOString(),
      failures,
      last_error: lastError?.slice(0, MAX_ERROR) ?? null,
      is_wanted: wantedAt.getTime() > clock.nowMs() - DAY_MS,
    }),
  );
}

function authorityOf(directory: string): string {
  const { hostname } = new URL(directory);
  return hostname.endsWith('.letsencrypt.org') ? "Let's Encrypt" : hostname;
}

/** The certificate in a file. @param path POSTHORN_TLS_CERT; null if it is not set */
export async function readCertificateFile(path: string | null): Promise<Certificate[]> {
  if (path === null) return [];
  const none = { next_attempt_at: null, failures: 0, is_wanted: true };
  try {
    const { subjectAltName = '', issuer, validToDate } = new X509Certificate(await readFile(path));
    const ofFile: Certificate = {
      ...none,
      names: subjectAltName.split(', ').map((name) => name.replace(/^DNS:/, '')),
      source: 'files',
      issuer: issuer.split('\n').at(-1)?.replace(/^\w+=/, '') ?? null,
      expires_at: validToDate.toISOString(),
      last_error: null,
    };
    return [ofFile];
  } catch (error) {
    const last_error = `${path} cannot be read: ${(error as Error).message}`.slice(0, MAX_ERROR);
    return [{ ...none, names: [], source: 'files', issuer: null, expires_at: null, last_error }];
  }
}
