/**
 * Signed proofs that a visitor's browser stores: a proof of the password, and a ticket for resuming a download. A proof is valid only for
 * its own link, and only until the link's password is changed.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import * as clock from '../../model/clock.ts';
import type { OpenedLink } from './opened-link.ts';
import { PROVED_SECONDS } from './limits.ts';

/** The label of the key in `Sealer.deriveKey`. */
export const FILE_LINKS_KEY = 'file-links';

type Signed = Pick<OpenedLink, 'projectId' | 'id' | 'passwordHash'>;

const MAC_BYTES = 18;
const PROOF = /^([0-9a-z]{1,9})\.([\w-]{24})$/;
const TICKET = /^([0-9a-f]{32})\.([\w-]{24})$/;

export class LinkProofs {
  readonly #key: KeyObject;

  /** @param key the key from `sealer.deriveKey(FILE_LINKS_KEY)` */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** The value of a cookie. For an hour, it proves that the visitor knew the password. */
  passwordProof(link: Signed): string {
    const until = (Math.floor(clock.nowMs() / 1_000) + PROVED_SECONDS).toString(36);
    return `${until}.${this.#mac(link, 'password', until)}`;
  }

  provesPassword(link: Signed, proof: string): boolean {
    const [, until = '', mac = ''] = PROOF.exec(proof) ?? [];
    return this.#fits(mac, link, 'password', until) && Number.parseInt(until, 36) * 1_000 > clock.nowMs();
  }

  /** Creates a ticket for resuming a download. @param downloadId uuid @param tag identifies the version of the downloaded bytes */
  ticket(link: Signed, downloadId: string, tag: string): string {
    const id = downloadId.replaceAll('-', '');
    return `${id}.${this.#mac(link, tag, id)}`;
  }

  /** @returns the uuid without hyphens; null if the ticket is not valid */
  readTicket(link: Signed, ticket: string, tag: string): string | null {
    const [, id = '', mac = ''] = TICKET.exec(ticket) ?? [];
    return this.#fits(mac, link, tag, id) ? id : null;
  }

  /** A value by which a network is recognized later, but from which the network cannot be found out. */
  reader(link: Signed, network: string): Buffer {
    return Buffer.from(this.#mac(link, 'reader', network), 'base64url');
  }

  #fits(mac: string, link: Signed, purpose: string, value: string): boolean {
    const right = this.#mac(link, purpose, value);
    return mac.length === right.length && timingSafeEqual(Buffer.from(mac), Buffer.from(right));
  }

  #mac({ projectId, id, passwordHash }: Signed, purpose: string, value: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([projectId, id, passwordHash, purpose, value]))
      .digest()
      .subarray(0, MAC_BYTES)
      .toString('base64url');
  }
}
