/** The messages between the examiner and its thread. */
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import type { LinkDomain } from '../blocklists/link-domains.ts';
import type { Attachment } from '../spam/attachments.ts';
import type { SpamFindings } from '../spam/score.ts';

export interface ThreadOptions {
  hostname: string;
  /** The DNS server as `ip:port`. Null for the system's resolvers. */
  dns: string | null;
  /** Domains whose ARC seals are trusted. Default: `DEFAULT_SEALERS`. */
  sealers?: readonly string[] | undefined;
}

export interface ExaminationTask extends Omit<Arrival, 'raw'> {
  id: number;
  /** The whole message, in memory that is transferred to the thread. */
  raw: Uint8Array<ArrayBuffer>;
  /** The current time in milliseconds since 1970. */
  nowMs: number;
}

export type ExaminedFile = Pick<Attachment, 'name' | 'type'>;

export interface Findings {
  authentication: Authentication;
  spam: SpamFindings;
  /** The result of `hashBody` for everything after the first empty line. */
  bodyHash: Uint8Array;
  files: readonly ExaminedFile[];
  /** The result of `linkDomainsOf`. */
  linkDomains: readonly LinkDomain[];
}

export interface ExaminationResult extends Findings {
  id: number;
}
