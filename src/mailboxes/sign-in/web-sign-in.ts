/** Signing in to the web client: by the password alone, which is looked at where all doors do it. */
import type { BegunSession, Client } from '../../accounts/sessions.ts';
import type { Database } from '../../db/database.ts';
import type { ProofResult, SignIn } from './sign-in.ts';
import { beginWebSession } from './web-sessions.ts';

type Proved = Extract<ProofResult, { outcome: 'proved' }>;

export class WebSignIn {
  readonly #database: Database;
  readonly #signIn: Pick<SignIn, 'prove' | 'noteEntered'>;

  constructor(database: Database, signIn: Pick<SignIn, 'prove' | 'noteEntered'>) {
    this.#database = database;
    this.#signIn = signIn;
  }

  /** @param user the address of the mailbox, in any spelling @throws what the database says */
  prove(user: string, password: string, address: string): Promise<ProofResult> {
    return this.#signIn.prove({ user, password, address, door: 'web', wants: 'everything' });
  }

  /** @returns null: in this very moment the password was changed, or the mailbox is gone @throws what the database says */
  async enter({ account, passwordHash }: Proved, client: Client): Promise<BegunSession | null> {
    const begun = await beginWebSession(this.#database, { ...account, passwordHash }, client);
    if (begun === null) return null;
    await this.#signIn.noteEntered({ door: 'web', address: client.address }, account);
    return begun;
  }
}
