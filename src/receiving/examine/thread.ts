/** The thread that examines messages. Untrusted mail can keep it busy without blocking anything but incoming mail. */
import { parentPort, workerData } from 'node:worker_threads';
import { DnsResolver } from '../../net/dns.ts';
import { hashBody } from '../../rfc/dkim/sign.ts';
import { headerEnd } from '../authenticate/fields.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { authenticateOwn } from '../authenticate/authenticate-own.ts';
import { CachedDns } from '../authenticate/cached-dns.ts';
import { DEFAULT_SEALERS } from '../authenticate/trusted-sealers.ts';
import { linkDomainsOf } from '../blocklists/link-domains.ts';
import { readContent } from '../spam/mail.ts';
import { findSpamSigns } from '../spam/score.ts';
import type { ExaminationResult, ExaminationTask, ThreadOptions } from './question.ts';

const { hostname, dns, sealers = [...DEFAULT_SEALERS] } = workerData as ThreadOptions;
const trusted = new Set(sealers);
const cached = new CachedDns(new DnsResolver(dns));

async function answer({ id, raw: octets, nowMs, ...client }: ExaminationTask): Promise<ExaminationResult> {
  const raw = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  const arrival = { ...client, raw };
  const content = arrival.isOwn === true ? readContent(raw) : null;
  const authentication =
    content === null
      ? await authenticate(arrival, { dns: cached, hostname, sealers: trusted })
      : authenticateOwn(arrival, { fields: content.fields, authorDomain: content.from.domain }, hostname);
  const mail = { ...(content ?? readContent(raw)), arrival, authentication, hostname, nowMs };
  const files = mail.attachments.map(({ name, type }) => ({ name, type }));
  const bodyHash = hashBody(raw.subarray(headerEnd(raw)));
  return { id, authentication, spam: findSpamSigns(mail), files, bodyHash, linkDomains: linkDomainsOf(mail) };
}

parentPort?.on('message', (question: ExaminationTask) => {
  void answer(question).then((found) => parentPort?.postMessage(found, []));
});
