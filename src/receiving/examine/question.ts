/** What the thread that examines messages is asked, and what it answers. */
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import type { Attachment } from '../spam/attachments.ts';
import type { SpamFindings } from '../spam/score.ts';

/** What the thread is started with. */
export interface ThreadOptions {
  hostname: string;
  /** `ip:port`; null: the resolvers of the system. */
  dns: string | null;
  /** Domains whose seals of ARC are trusted. Default: `DEFAULT_SEALERS`. */
  sealers?: readonly string[] | undefined;
}

export interface ExaminationTask extends Omit<Arrival, 'raw'> {
  id: number;
  /** The whole message, in memory that is handed over. */
  raw: Uint8Array<ArrayBuffer>;
  /** Milliseconds since 1970. */
  nowMs: number;
}

export type ExaminedFile = Pick<Attachment, 'name' | 'type'>;

export interface Findings {
  authentication: Authentication;
  spam: SpamFindings;
  /** `hashBody` of what stands behind the first empty line. */
  bodyHash: Uint8Array;
  /** What is attached, as far as it was looked at. */
  files: readonly ExaminedFile[];
}

export interface ExaminationResult extends Findings {
  id: number;
}
