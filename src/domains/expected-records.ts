/** The DNS records that a project publishes so that receivers can verify mail from its domain. */
import type { DomainRecord } from '../contract/domains.ts';
import { dkimRecord } from '../rfc/dkim/record.ts';
import type { DkimAlgorithm } from '../rfc/dkim/signature-field.ts';

/** The label below a sending domain that return paths use. Bounces are sent to the return path, and receivers check SPF for its domain. */
export const MAIL_FROM_LABEL = 'send';
const TTL_SECONDS = 3_600;
const MX_PRIORITY = 10;

export interface PublicKey {
  selector: string;
  algorithm: DkimAlgorithm;
  publicKey: string;
  /** Only an `active` key signs (`dkim-rotation.ts`). */
  state: 'active' | 'next' | 'retiring';
  /** The time until which the record of a retiring key must stay. Null for other keys. */
  keepUntil: Date | null;
}

export interface ExpectedRecord
  extends Omit<DomainRecord, 'status' | 'found' | 'error' | 'rotation' | 'keep_until'> {
  /** Set for the record of a DKIM key that does not sign. Such a record is not required. */
  rotation?: 'next' | 'retiring';
  keepUntil?: Date;
}

/** The records of a domain, in display order. @param hostname the host that sends mail for this installation and receives bounces */
export function expectedRecords(
  domain: string,
  keys: readonly PublicKey[],
  hostname: string,
): ExpectedRecord[] {
  return [
    ...expectedKeys(domain, keys),
    mx('MAIL_FROM', MAIL_FROM_LABEL, domain, hostname, true),
    // `a` matches the addresses of the host (RFC 7208, section 5.3). `~all` asks receivers to be lenient (softfail), because forwarded mail
    // fails SPF although its DKIM signature is valid.
    txt('SPF', MAIL_FROM_LABEL, domain, `v=spf1 a:${hostname} ~all`, true),
    txt('DMARC', '_dmarc', domain, 'v=DMARC1; p=none;', false),
    mx('MX', '@', domain, hostname, false),
  ];
}

/** Whether the record points to the host name of the service. */
export function namesHost({ record }: Pick<ExpectedRecord, 'record'>): boolean {
  return record === 'MAIL_FROM' || record === 'SPF' || record === 'MX' || record === 'CLIENT';
}

export function expectedKeys(domain: string, keys: readonly PublicKey[]): ExpectedRecord[] {
  return keys.map(({ selector, algorithm, publicKey, state, keepUntil }) => ({
    ...txt('DKIM', `${selector}._domainkey`, domain, dkimRecord(algorithm, publicKey), state === 'active'),
    ...(state !== 'active' && { rotation: state }),
    ...(keepUntil !== null && { keepUntil }),
  }));
}

type Kind = ExpectedRecord['record'];

function txt(record: Kind, host: string, domain: string, value: string, required: boolean): ExpectedRecord {
  return { record, type: 'TXT', ...names(host, domain), value, ttl: TTL_SECONDS, priority: null, required };
}

function mx(record: Kind, host: string, domain: string, value: string, required: boolean): ExpectedRecord {
  return {
    record,
    type: 'MX',
    ...names(host, domain),
    value,
    ttl: TTL_SECONDS,
    priority: MX_PRIORITY,
    required,
  };
}

function names(host: string, domain: string): { name: string; host: string } {
  return { name: host === '@' ? domain : `${host}.${domain}`, host };
}
