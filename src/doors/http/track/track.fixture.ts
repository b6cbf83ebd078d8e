/** Sends emails with tracked links, and makes the requests that recipients make. */
import assert from 'node:assert/strict';
import type { RealApi } from '../../../../test/support/api.ts';
import { queueEmailWith } from '../../../../test/support/emails.ts';
import { TRACKING_KEY, type TrackedRecipient, TrackingLinks } from '../../../sending/track/tracking-links.ts';
import { encodeId } from '../../../model/ids.ts';

export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
export const TARGET = 'https://acme.example/orders/1042?a=b&c=%C3%BC#top';
export const RECIPIENT = 'ann@dst.test';
export const ONE_CLICK = 'List-Unsubscribe=One-Click';
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export interface TrackedEvent {
  type: string;
  detail: Record<string, unknown>;
}

export function linksOf({ sealer }: Pick<RealApi, 'sealer'>): TrackingLinks {
  return new TrackingLinks(sealer.deriveKey(TRACKING_KEY));
}

/** Sends an email of the first project to one recipient, and returns its tracked links. */
export async function sentEmail(api: RealApi, address = RECIPIENT) {
  const { project } = api;
  // Use 127.0.0.1, because the client's address is recorded and `localhost` may resolve to IPv4 or IPv6.
  const baseUrl = api.baseUrl.replace('localhost', '127.0.0.1');
  const links = linksOf(api);
  const fields = { projectId: project.id, to: [address], recipients: [address] };
  const { projectId, emailId } = await queueEmailWith(api.db.database, ['sending', 'sent'], fields);
  const of: TrackedRecipient = { projectId, emailId, recipientIndex: 0 };
  const path = `/v1/emails/${encodeId('em', emailId)}`;
  return {
    of,
    pixel: links.pixel(baseUrl, of),
    click: links.click(baseUrl, of, TARGET) ?? '',
    unsubscribe: links.unsubscribe(baseUrl, of),
    /** The email as JSON text, as the API returns it. */
    read: async (): Promise<string> => (await project.client.get(path)).text,
    /** The open and click events of the email. */
    async events(): Promise<TrackedEvent[]> {
      const { body } = await project.client.get<{ events: TrackedEvent[] }>(path);
      return body.events.filter(({ type }) => type === 'opened' || type === 'clicked');
    },
  };
}

export function request(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'user-agent': BROWSER, ...(init.headers as Record<string, string>) };
  return fetch(url, { redirect: 'manual', ...init, headers });
}

export function post(url: string, body: string | FormData | null, headers = {}): Promise<Response> {
  return request(url, { method: 'POST', body, headers });
}

/** The link with one character of its token changed. */
export function forged(link: string): string {
  return link.replace(/\/t\/(.)\/(.)/, (_, kind, first) => `/t/${kind}/${first === 'A' ? 'B' : 'A'}`);
}

/** Asserts the headers of every response below /t. */
export function assertPrivate({ headers }: Response): void {
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('set-cookie'), null);
}

/** @returns the HTML of the page */
export async function assertPage(response: Response, status: number, title: RegExp): Promise<string> {
  assert.equal(response.status, status);
  assertPrivate(response);
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(
    response.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  assert.equal(response.headers.get('location'), null);
  const text = await response.text();
  assert.match(text, title);
  return text;
}
