/** Signs users in to the web client, with a passkey or with a password. `SignIn` checks the password as for other protocols. */
import type { BegunSession, SessionClient } from '../../accounts/sessions.ts';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { knownNetworks } from './known-networks.ts';
import type { MailboxId } from './mailbox-realm.ts';
import type { MailboxProofResult, SignIn } from './sign-in.ts';
import { beginWebSession } from './web-sessions.ts';

/** A mailbox whose owner has proved their identity. */
export interface ProvedOwner extends MailboxId {
  /** The hash that the password matched; null if a passkey was used. */
  passwordHash: string | null;
}

export class WebSignIn {
  readonly #database: Database;
  readonly #signIn: Pick<SignIn, 'prove' | 'noteEntered'>;

  constructor(database: Database, signIn: Pick<SignIn, 'prove' | 'noteEntered'>) {
    this.#database = database;
    this.#signIn = signIn;
  }

  /**
   * @param user the address of the mailbox, in any spelling
   * @param address the IP address of the client
   * @throws database errors
   */
  prove(user: string, password: string, address: string): Promise<MailboxProofResult> {
    return this.#signIn.prove({ user, password, address, door: 'web', access: 'everything' });
  }

  /**
   * @returns null if the password was changed or the mailbox was deleted in the meantime
   * @throws database errors
   */
  async enter(proved: ProvedOwner, client: SessionClient): Promise<BegunSession | null> {
    const { projectId, mailboxId } = proved;
    const mailbox = await this.#database
      .selectFrom('mailboxes')
      .select(['passwordHash', 'sessionsVersion'])
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      .executeTakeFirst();
    const passwordHash = proved.passwordHash ?? mailbox?.passwordHash ?? null;
    if (mailbox === undefined || passwordHash === null) return null;
    const { sessionsVersion } = mailbox;
    const begun = await beginWebSession(
      this.#database,
      { projectId, mailboxId, passwordHash, sessionsVersion },
      client,
    );
    if (begun === null) return null;
    const networks = await knownNetworks(this.#database, proved);
    const isKnown = networks.includes(clientNetwork(client.address));
    await this.#signIn.noteEntered(
      { door: 'web', address: client.address },
      { projectId, mailboxId, isKnown, isNoted: false },
    );
    return begun;
  }
}
