/**
 * Automatic setup of mail apps, and the setup page for mailbox owners (docs/mail-apps.md, Automatic setup). Callers are not signed in, so
 * all addresses in a domain get the same response, and callers do not learn which mailboxes exist. All host names come from the
 * configuration. Attack: an app sends its password to any host that a response names, so no host name may come from the request.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
import * as clock from '../../../model/clock.ts';
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import { parseDomain } from '../../../rfc/address/domain.ts';
import { parseMailbox } from '../../../rfc/address/index.ts';
import { autoconfigXml } from '../../../rfc/mail-setup/autoconfig.ts';
import {
  autodiscoverError,
  autodiscoverXml,
  readAutodiscover,
} from '../../../rfc/mail-setup/autodiscover.ts';
import { isLocalAlone, type MailAccess } from '../../../rfc/mail-setup/mail-access.ts';
import { mobileconfig, MOBILECONFIG_MEDIA_TYPE } from '../../../rfc/mail-setup/mobileconfig.ts';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { type SetupPage, SETUP_HEADERS, setupPage } from './page.ts';

export interface MailSetupOptions {
  access: MailAccess;
  /** @param domain the domain as A-labels, in lower case */
  servesDomain(domain: string): MaybePromise<boolean>;
  /** The public URL of the service, without a trailing slash. Called for each request. */
  baseUrl(): string;
  readUpTo(maxBytes: number): RawBodyReader;
}

const XML = 'text/xml; charset=utf-8';
/** Maximum bytes of a request. Outlook's requests have a few hundred bytes. */
const MAX_REQUEST_BYTES = 16 * 1024;
const PROFILE_ENDING = '.mobileconfig';

const AUTOCONFIG_PATHS = ['/.well-known/autoconfig/mail/config-v1.1.xml', '/mail/config-v1.1.xml'];
/** The paths of Autodiscover requests. Clients differ in letter case. */
const AUTODISCOVER_PATHS = [
  '/autodiscover/autodiscover.xml',
  '/Autodiscover/Autodiscover.xml',
  '/AutoDiscover/AutoDiscover.xml',
];

/** A Fastify plugin, so that these routes have their own body parser, for XML. */
export async function addMailSetup(
  app: FastifyInstance,
  { access, servesDomain, baseUrl, readUpTo }: MailSetupOptions,
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', readUpTo(MAX_REQUEST_BYTES));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-robots-tag', 'noindex');
    done();
  });

  /** @throws AppError not-found if the text is not an address, or the service receives no mail for its domain */
  async function servedAddress(address: string): Promise<string> {
    const found = readAddress(address);
    if (found === null || !(await servesDomain(found.domain))) throw notServed();
    return found.address;
  }

  for (const path of AUTOCONFIG_PATHS)
    app.get(path, async (request, reply) => {
      const domain = requestedDomain(request);
      if (domain === null || !(await servesDomain(domain))) throw notServed();
      if (access.services.length === 0) throw notOffered();
      return reply.type(XML).send(autoconfigXml(domain, access, `${baseUrl()}/mail/setup`));
    });

  for (const path of AUTODISCOVER_PATHS) {
    app.post(path, async (request, reply) => {
      const lookup = readAutodiscover(Buffer.isBuffer(request.body) ? request.body.toString() : '');
      if (lookup === 'malformed')
        throw new AppError('bad-request', 'Send an Autodiscover XML request that contains an EMailAddress.');
      reply.type(XML);
      if (lookup === 'unsupported') return reply.send(autodiscoverError(clock.now()));
      const address = await servedAddress(lookup.address);
      if (access.services.length === 0) throw notOffered();
      return reply.send(autodiscoverXml(address, access));
    });
    // Outlook requests this path over http from a host without a certificate, to find the URL of the service ([MS-OXDISCO], section
    // 3.1.5.4).
    app.get(path, async (_request, reply) => {
      const base = baseUrl();
      if (!base.startsWith('https://')) throw notServed();
      return reply.code(302).header('location', `${base}${AUTODISCOVER_PATHS[0]}`).send();
    });
  }

  app.get('/mail/setup', async (request, reply) => {
    const typed = new URLSearchParams(request.query as string).get('address')?.trim() ?? '';
    const page = await pageOf(typed);
    const status = page.state === 'unknown' ? 404 : page.state === 'malformed' ? 400 : 200;
    return reply
      .code(status)
      .headers(SETUP_HEADERS)
      .send(await setupPage(page, access));
  });

  async function pageOf(typed: string): Promise<SetupPage> {
    if (typed === '') return { state: 'empty' };
    const found = readAddress(typed);
    if (found === null) return { state: 'malformed', typed };
    if (!(await servesDomain(found.domain))) return { state: 'unknown', typed };
    const { address } = found;
    return { state: 'found', address, url: `${baseUrl()}/mail/setup?address=${encodeURIComponent(address)}` };
  }

  app.get<{ Params: { file: string } }>('/mail/setup/:file', async ({ params: { file } }, reply) => {
    if (!file.endsWith(PROFILE_ENDING)) throw notServed();
    const profile = mobileconfig(await servedAddress(file.slice(0, -PROFILE_ENDING.length)), access);
    if (profile === null) throw isLocalAlone(access) ? needsCertificate() : notOffered();
    return reply
      .type(MOBILECONFIG_MEDIA_TYPE)
      .header('content-disposition', 'attachment; filename="mail.mobileconfig"')
      .send(profile);
  });
}

function readAddress(text: string): { address: string; domain: string } | null {
  const parsed = parseMailbox(text);
  return 'error' in parsed || parsed.displayName !== null || parsed.domain.startsWith('[') ? null : parsed;
}

/**
 * The domain of the address or, without an address, of the `autoconfig` host. A domain from the request is safe to use, because callers
 * check that this service receives mail for the domain.
 */
function requestedDomain({ query, headers }: FastifyRequest): string | null {
  const address = new URLSearchParams(query as string).get('emailaddress');
  const text =
    address === null
      ? (headers.host ?? '').replace(/:\d*$/, '').replace(/^autoconfig\./i, '')
      : address.slice(address.lastIndexOf('@') + 1);
  const domain = parseDomain(text);
  return typeof domain === 'string' ? domain : null;
}

function notServed(): AppError {
  return new AppError('not-found', 'This server receives no mail for this domain.');
}

function needsCertificate(): AppError {
  return new AppError(
    'not-found',
    'This server has no TLS certificate yet, so phones and Macs cannot sign in.',
  );
}

function notOffered(): AppError {
  return new AppError('not-found', 'This server has no fixed ports for mail apps.');
}
