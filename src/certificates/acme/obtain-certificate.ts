/** Obtains one certificate for one name, from the order to the chain (RFC 8555, section 7.4). */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AcmeAuthorization, readAuthorization, readOrder } from '../../rfc/acme/responses.ts';
import { certificateRequest, newKey } from '../../rfc/acme/certificates.ts';
import { keyAuthorization } from '../../rfc/acme/jws.ts';
import { type AcmeResponse, type AcmeClient, AcmeFault } from './acme-client.ts';
import type { Challenge, ChallengeType } from './challenges.ts';
import { TIMINGS } from './timings.ts';

export interface ObtainOptions {
  client: AcmeClient;
  accountKey: KeyObject;
  /** The name of the certificate, in A-labels. */
  name: string;
  /** Challenge types that may be used, in order of preference. */
  types: readonly ChallengeType[];
  /** Stores the challenge. Resolves once every machine can respond to it. */
  publish(challenge: Challenge): Promise<void>;
  signal: AbortSignal;
  /** Timings for tests. Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'pollMs'>;
}

export interface Obtained {
  /** The certificate, followed by its intermediate certificates, as PEM. */
  chain: string;
  /** The private key, as PEM. */
  key: string;
  notBefore: Date;
  expiresAt: Date;
}

/** Obtains a certificate. @throws AcmeFault, AbortError */
export async function obtainCertificate(options: ObtainOptions): Promise<Obtained> {
  const { client, name } = options;
  const identifiers = [{ type: 'dns', value: name }];
  const created = await client.post(client.directory.newOrder, { identifiers });
  const orderUrl = created.location ?? unreadable('an order');
  const order = readOrder(created.json) ?? unreadable('an order');
  for (const url of order.authorizations) await authorize(options, url);
  const poll = (isDone: (status: string) => boolean) =>
    settled(options, orderUrl, readOrder, ({ status }) => isDone(status));
  const ready = await poll((status) => status !== 'pending');
  const key = newKey();
  if (ready.status === 'ready')
    await client.post(ready.finalize, {
      csr: certificateRequest(name, createPublicKey(key), key).toString('base64url'),
    });
  const { status, certificate, problem } = await poll((each) => each !== 'ready' && each !== 'processing');
  if (status !== 'valid' || certificate === null)
    throw new AcmeFault(`the order for ${name} is ${status}${problem === null ? '' : `: ${problem.detail}`}`);
  const { text: chain } = await client.post(certificate, null);
  return checked(chain, key, name);
}

async function authorize(options: ObtainOptions, url: string) {
  const { client, accountKey, name, types, publish } = options;
  const read = (response: AcmeResponse) => readAuthorization(response.json) ?? unreadable('an authorization');
  const { status, challenges } = read(await client.post(url, null));
  // The authority still accepts an earlier validation of this name, so no challenge is needed.
  if (status === 'valid') return;
  const type = types.find((each) => challenges.some((challenge) => challenge.type === each));
  const challenge = challenges.find((each) => each.type === type);
  if (type === undefined || challenge === undefined)
    throw new AcmeFault(`the ACME server offers none of ${types.join(', ')} for ${name}`);
  const { token } = challenge;
  await publish({ token, name, type, keyAuthorization: keyAuthorization(accountKey, token) });
  await client.post(challenge.url, {});
  const after = await settled(options, url, readAuthorization, (each) => each.status !== 'pending');
  if (after.status !== 'valid') throw new AcmeFault(`${type} for ${name} failed: ${why(after, token)}`);
}

function why({ status, challenges }: AcmeAuthorization, token: string): string {
  const problem = challenges.find((each) => each.token === token)?.problem ?? null;
  return problem === null ? `it is ${status}` : `${problem.type}: ${problem.detail}`;
}

/** Polls until the condition holds, or the signal aborts. */
async function settled<Value>(
  { client, signal, timings = TIMINGS }: Pick<ObtainOptions, 'client' | 'signal' | 'timings'>,
  url: string,
  read: (json: unknown) => Value | null,
  isDone: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const { json, retryAfterMs } = await client.post(url, null);
    const value = read(json) ?? unreadable('a response');
    if (isDone(value)) return value;
    await sleep(Math.max(retryAfterMs ?? 0, timings.pollMs), undefined, { signal });
  }
}

/** Checks that the chain begins with a certificate for the name and the key. @throws AcmeFault */
function checked(chain: string, key: KeyObject, name: string): Obtained {
  try {
    const certificate = new X509Certificate(chain);
    if (certificate.checkPrivateKey(key) && certificate.checkHost(name, { subject: 'never' }) !== undefined) {
      const { validFromDate: notBefore, validToDate: expiresAt } = certificate;
      return { chain, key: key.export({ type: 'pkcs8', format: 'pem' }).toString(), notBefore, expiresAt };
    }
  } catch {
    // This is not even a certificate. The error below reports it.
  }
  throw new AcmeFault(`the ACME server's response is not a certificate of ${name}`);
}

function unreadable(object: string): never {
  throw new AcmeFault(`the ACME server sent ${object} that cannot be read`);
}
