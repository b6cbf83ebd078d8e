/** What visitors of a link may do: the one place that judges passwords of links, and counts downloads. */
import { sql } from 'kysely';
import { PasswordJudge } from '../../accounts/passwords/password-judge.ts';
import { MAX_PASSWORD_BYTES } from '../../contract/mailboxes.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { newUuid } from '../../model/ids.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { LAST_DOWNLOAD_MS, MAX_RECENT_DOWNLOADS } from '../limits.ts';
import { RESUME_TIMES } from './limits.ts';
import { findOpenedLink, type OpenedLink } from './opened-link.ts';

/** One of its files, by its position; null: all of them as a zip. */
export type Wanted = number | null;

export type PasswordVerdict = 'right' | 'wrong' | { afterSeconds: number };

interface LinkAccount {
  id: string;
  passwordHash: string | null;
  isPasswordEnough: true;
  isKnown: false;
}

type Key = Pick<OpenedLink, 'projectId' | 'id'>;

export class LinkDoor implements AsyncDisposable {
  readonly #database: Database;
  readonly #reads: FairReads;
  readonly #judge: PasswordJudge<LinkAccount>;

  constructor({ database, reads }: { database: Database; reads: FairReads }) {
    this.#database = database;
    this.#reads = reads;
    this.#judge = new PasswordJudge(database);
  }

  /** @param address of the visitor: those of one network share their turns */
  find(token: string, address: string): Promise<OpenedLink | null> {
    return this.#reads.run(clientNetwork(address), (database) => findOpenedLink(database, token));
  }

  /** Guesses are counted by the link and by the network, in the table of all passwords (docs/decisions/0049-signing-in.md). */
  async judgePassword(link: OpenedLink, password: string, address: string): Promise<PasswordVerdict> {
    const judged = await this.#judge.judge({
      password: Buffer.byteLength(password) > MAX_PASSWORD_BYTES ? '' : password,
      // Four parts: no mailbox and no user has a name of so many.
      name: ['', '', 'file-link', link.id],
      address,
      network: clientNetwork(address),
      accounts: [{ id: link.id, passwordHash: link.passwordHash, isPasswordEnough: true, isKnown: false }],
    });
    if (judged.verdict === 'unheard') return { afterSeconds: judged.afterSeconds };
    return judged.verdict;
  }

  /**
   * Counts a download that begins, in one statement: of two who want the last one, one gets it, wherever they ask.
   * @param octets how many of its bytes are asked for
   * @returns its uuid; null: there is none left, or the link ended in this moment
   */
  async begin(link: OpenedLink, wanted: Wanted, octets: number): Promise<string | null> {
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
      insert into link_downloads (project_id, link_id, id, at, octets, what, position)
      select ${projectId}, id, ${downloadId}, now(), ${octets}, ${wanted === null ? 'zip' : 'file'}, ${wanted}::int
      from counted returning id`.execute(this.#database);
    return rows.length === 0 ? null : downloadId;
  }

  /**
   * Takes up a download that broke off. What it asks for counts against what one download may fetch before any of it is sent, so that many at once
   * get no more of it than one after the other.
   * @param octets how many bytes are asked for now
   * @param all how many there are
   */
  async goOn(link: Key, downloadId: string, octets: number, all: number): Promise<boolean> {
    const { rows } = await sql`
      update link_downloads d set octets = d.octets + ${octets}
      from file_links l
      where d.project_id = ${link.projectId} and d.link_id = ${link.id} and d.id = ${downloadId}
        and d.at > now() - ${LAST_DOWNLOAD_MS} * interval '1 millisecond' and d.octets + ${octets} <= ${RESUME_TIMES * all}
        and l.project_id = d.project_id and l.id = d.link_id and l.revoked_at is null and l.expires_at > now()
      returning d.id`.execute(this.#database);
    return rows.length > 0;
  }

  /** @param asked what `begin` or `goOn` was told @param sent how many of those bytes went out */
  async end(link: Key, downloadId: string, asked: number, sent: number): Promise<void> {
    await sql`
      with ended as (
        update link_downloads set octets = octets - ${asked - sent}
        where project_id = ${link.projectId} and link_id = ${link.id} and id = ${downloadId}
      )
      update file_links set downloaded_octets = downloaded_octets + ${sent}
      where project_id = ${link.projectId} and id = ${link.id}`.execute(this.#database);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#judge[Symbol.asyncDispose]();
  }
}
