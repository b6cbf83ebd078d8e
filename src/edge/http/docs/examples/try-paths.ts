/**
 * Which operation of the dashboard shows the same as one of the API: that is what whoever is signed in can try on the page. Only what reads, so a page
 * of the documentation changes nothing. In place of sending there is an email to oneself.
 */
import { sendTestEmail } from '../../dashboard/emails/send-test-email.ts';
import { DASHBOARD_OPERATIONS } from '../../dashboard/operations.ts';
import type { FoundOperation } from '../reference/document.ts';

/** @returns below the API of the dashboard, with `{project}` and perhaps `{id}`; null where there is none */
export function tryPathOf({
  operationId,
  method,
  path,
}: Pick<FoundOperation, 'operationId' | 'method' | 'path'>): string | null {
  if (operationId === 'sendEmail') return sendTestEmail.path;
  if (method !== 'GET') return null;
  const same = `/projects/{project}${path.slice('/v1'.length)}`;
  return DASHBOARD_OPERATIONS.some((operation) => operation.method === 'GET' && operation.path === same)
    ? same
    : null;
}
