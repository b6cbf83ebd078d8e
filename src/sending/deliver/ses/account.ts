import type { SesClient, SesResult } from './ses-client.ts';

/** Asks SES for the account behind the credentials: costs nothing, changes nothing, and needs ses:GetAccount. */
export function getAccount(client: Pick<SesClient, 'request'>): Promise<SesResult> {
  return client.request({
    method: 'GET',
    path: '/v2/email/account',
    body: null,
    mayCommit: () => true,
  });
}

/** What GetAccount tells of an account of SES. */
export interface SesAccountLimits {
  /** Messages a second. */
  maxSendRate: number;
  /** -1: any number. */
  max24HourSend: number | null;
  sentLast24Hours: number | null;
  /** Without it mail goes to verified identities only. */
  productionAccess: boolean | null;
  sendingEnabled: boolean | null;
}

interface Answer {
  ProductionAccessEnabled?: unknown;
  SendingEnabled?: unknown;
  SendQuota?: { MaxSendRate?: unknown; Max24HourSend?: unknown; SentLast24Hours?: unknown } | null;
}

/** Null for an answer that tells no rate. */
export function readAccount(body: string): SesAccountLimits | null {
  const answer = parse(body);
  const { MaxSendRate, Max24HourSend, SentLast24Hours } = answer?.SendQuota ?? {};
  const maxSendRate = number(MaxSendRate);
  if (maxSendRate === null) return null;
  return {
    maxSendRate,
    max24HourSend: number(Max24HourSend),
    sentLast24Hours: number(SentLast24Hours),
    productionAccess: boolean(answer?.ProductionAccessEnabled),
    sendingEnabled: boolean(answer?.SendingEnabled),
  };
}

function parse(body: string): Answer | null {
  try {
    return JSON.parse(body) as Answer | null;
  } catch {
    return null;
  }
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function boolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
