/** Gives visitors access to a link. Only this code checks the passwords of links and counts downloads. */
import { sql } from 'kysely';
import { linkGuesses } from '../../accounts/passwords/guesses.ts';
import { PasswordJudge } from '../../accounts/passwords/password-judge.ts';
import { MAX_PASSWORD_BYTES } from '../../contract/password-limits.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { newUuid } from '../../model/ids.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { LAST_DOWNLOAD_MS, MAX_RECENT_DOWNLOADS } from '../limits.ts';
import { MAX_UNRECEIVED_BYTES, RESUME_TIMES, RESUME_WITHIN_MS } from './limits.ts';
import { findOpenedLink, type OpenedLink } from './opened-link.ts';

const DOWNLOAD = columnsOf({ id: 'uuid' });

/** The position of a file in the link; null: all files as a zip. */
export type LinkRequest = number | null;

export type PasswordVerdict = 'right' | 'wrong' | { afterSeconds: number };

interface LinkAccount {
  id: string;
  passwordHash: string | null;
  isPasswordEnough: true;
  isKnown: false;
}

/** The requested bytes. */
export interface FileRange {
  wanted: LinkRequest;
  start: number;
  octets: number;
  /** The size of the whole file or zip, in bytes. */
  all: number;
  /** The value of `LinkProofs.reader`. */
  reader: Buffer;
}

type Key = Pick<OpenedLink, 'projectId' | 'id'>;

export class LinkDoor implements AsyncDisposable {
  readonly #database: Database;
  readonly #reads: FairReads;
  readonly #judge: PasswordJudge<LinkAccount>;

  constructor({ database, reads }: { database: Database; reads: FairReads }) {
    this.#database = database;
    this.#reads = reads;
    this.#judge = new PasswordJudge(database, ({ accounts, address, network }) =>
      accounts.flatMap(({ id }) => linkGuesses(id, address, network)),
    );
  }

  /**
   * @param address the visitor's IP address. Networks are served round-robin, so one network with many visitors does not delay other
   * networks
   */
  find(token: string, address: string): Promise<OpenedLink | null> {
    return this.#reads.run(clientNetwork(address), (database) => findOpenedLink(database, token));
  }

  /**
   * Checks the password of a link. Wrong passwords are counted for the visitor's network, for the wider network around it, and for the
   * link, in the same table as those of mailboxes and users. Guessing from one network does not lock out visitors from other networks
   * (docs/decisions/0097-visitors-of-file-links.md).
   */
  async judgePassword(link: OpenedLink, password: string, address: string): Promise<PasswordVerdict> {
    const judged = await this.#judge.judge({
      password: Buffer.byteLength(password) > MAX_PASSWORD_BYTES ? '' : password,
      // A name with four parts cannot be that of a mailbox or a user.
      name: ['', '', 'file-link', link.id],
      address,
      network: clientNetwork(address),
      accounts: [{ id: link.id, passwordHash: link.passwordHash, isPasswordEnough: true, isKnown: false }],
    });
    if (judged.verdict === 'not-checked') return { afterSeconds: judged.afterSeconds };
    return judged.verdict;
  }

  /**
   * Counts a new download. One statement checks the limit and counts, so if two requests want the last allowed download, only one succeeds.
   * @returns uuid of the download; null if no download is left, or the link has just ended
   */
  async begin(link: OpenedLink, { wanted, octets, reader }: FileRange): Promise<string | null> {
    const { projectId, id, passwordHash } = link;
    const downloadId = newUuid();
    const { rows } = await sql`
      with counted as (
        update file_links set downloads = downloads + 1
        where project_id = ${projectId} and id = ${id} and revoked_at is null and expires_at > now()
          and password_hash is not distinct from ${passwordHash}
          and (max_downloads is null or downloads < max_downloads)
        returning id
      ),
      pruned as (
        delete from link_downloads where project_id = ${projectId} and link_id in (select id from counted) and id in (
          select id from link_downloads where project_id = ${projectId} and link_id = ${id}
          order by id desc offset ${MAX_RECENT_DOWNLOADS - 1})
      )
      insert into link_downloads (project_id, link_id, id, at, octets, what, position, reader)
      select ${projectId}, id, ${downloadId}, now(), ${octets}, ${whatOf(wanted)}, ${wanted}::int, ${reader}::bytea
      from counted returning id`.execute(this.#database);
    return rows.length === 0 ? null : downloadId;
  }

  /**
   * Resumes a download that was interrupted. The requested bytes count toward the download's limit before any of them is sent, so
   * concurrent requests cannot get more bytes than sequential ones.
   * @returns false if the limit is exceeded, or the link has ended
   */
  async resume(
    link: Key,
    downloadId: string,
    { octets, all }: Pick<FileRange, 'octets' | 'all'>,
  ): Promise<boolean> {
    const { rows } = await sql`
      update link_downloads d set octets = d.octets + ${octets}, left_at = null
      from file_links l
      where d.project_id = ${link.projectId} and d.link_id = ${link.id} and d.id = ${downloadId}
        and d.at > now() - ${LAST_DOWNLOAD_MS} * interval '1 millisecond' and d.octets + ${octets} <= ${RESUME_TIMES * all}
        and l.project_id = d.project_id and l.id = d.link_id and l.revoked_at is null and l.expires_at > now()
      returning d.id`.execute(this.#database);
    return rows.length > 0;
  }

  /**
   * Resumes a download for a program that sends only an offset. The download is found by the network of the program and by where it was
   * interrupted. If two programs ask for the same download at once, one resumes it, and the other must begin a new one. Attack: another
   * visitor behind the same IP address resumes the download. That visitor gets no more bytes than the holder of a ticket would.
   * @returns uuid of the download; null if no download was interrupted at this offset
   */
  async resumeByOffset(
    { projectId, id }: Key,
    { wanted, start, octets, all, reader }: FileRange,
  ): Promise<string | null> {
    const { rows } = await DOWNLOAD.sql`
      update link_downloads d set octets = d.octets + ${octets}, left_at = null
      from file_links l
      where d.project_id = ${projectId} and d.link_id = ${id} and d.left_at is not null and d.id = (
          select id from link_downloads where project_id = ${projectId} and link_id = ${id} and what = ${whatOf(wanted)}
            and position is not distinct from ${wanted}::int and reader = ${reader}
            and left_at > now() - ${RESUME_WITHIN_MS} * interval '1 millisecond' and at > now() - ${LAST_DOWNLOAD_MS} * interval '1 millisecond'
            and reached between ${start} and ${start + MAX_UNRECEIVED_BYTES} and octets + ${octets} <= ${RESUME_TIMES * all}
          order by left_at desc limit 1 for update)
        and l.project_id = d.project_id and l.id = d.link_id and l.revoked_at is null and l.expires_at > now()
      returning d.id`.execute(this.#database);
    return rows[0]?.id ?? null;
  }

  /** Records that a download ended or was interrupted. @param sent the number of requested bytes that were sent */
  async end(
    link: Key,
    downloadId: string,
    { start, octets }: Pick<FileRange, 'start' | 'octets'>,
    sent: number,
  ): Promise<void> {
    await sql`
      with ended as (
        update link_downloads set octets = octets - ${octets - sent}, left_at = now(), reached = greatest(reached, ${start + sent})
        where project_id = ${link.projectId} and link_id = ${link.id} and id = ${downloadId}
      )
      update file_links set downloaded_octets = downloaded_octets + ${sent}
      where project_id = ${link.projectId} and id = ${link.id}`.execute(this.#database);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#judge[Symbol.asyncDispose]();
  }
}

function whatOf(wanted: LinkRequest): 'zip' | 'file' {
  return wanted === null ? 'zip' : 'file';
}
