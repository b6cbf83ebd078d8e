/** Checks requests that change something. Such requests must come from a page of this service, over a connection safe from interception. */
import type { FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../model/app-error.ts';
import { csrfTokenOf } from './csrf.ts';
import { type Address, isOwnHost, isOwnOrigin, allowsSessionCookie } from './origin.ts';

/** Call this for every request to the API of the dashboard or the web client. @throws AppError request-forged */
export function assertOwnHost(address: Address, request: FastifyRequest): void {
  if (isOwnHost(address, request)) return;
  throw new AppError(
    'request-forged',
    `The Host header names a different host. Open this service at ${address.baseUrl} (${address.setting}).`,
  );
}

/** @throws AppError request-forged if the request did not come from a page of this service */
export function assertOwnOrigin(address: Address, request: FastifyRequest): void {
  if (isOwnOrigin(address, request)) return;
  const where = address.baseUrl ?? 'the address of this service';
  throw new AppError(
    'request-forged',
    `The request did not come from a page of this service. Open the page at ${where} (${address.setting}).`,
  );
}

/** Call this before a session starts. @throws AppError bad-request if the connection could be intercepted */
export function assertSafeTransport(address: Address, request: FastifyRequest): void {
  if (allowsSessionCookie(address, request)) return;
  throw new AppError(
    'bad-request',
    `Over plain http, anyone on the network could steal your session. Open this page with https, or set ${address.setting}.`,
  );
}

/** @param where the path of the operation that returns the token @throws AppError request-forged */
export function assertCsrfToken(request: FastifyRequest, token: string, where: string): void {
  if (hasCsrfToken(request, token)) return;
  throw new AppError(
    'request-forged',
    `The header X-CSRF-Token is missing or wrong. Get the token from GET ${where}.`,
  );
}

/** Whether a request was sent by a page of a session. @param token the token of the session */
export function hasCsrfToken({ headers }: FastifyRequest, token: string): boolean {
  const sent = headers['x-csrf-token'];
  return typeof sent === 'string' && isSame(sent, csrfTokenOf(token));
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
