/** Who a session token belongs to, and what they are in a project or an organisation. */
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import { rowIs } from '../db/row-is.ts';
import { rowsOf } from '../db/rows.ts';
import { AppError } from '../model/app-error.ts';
import { NIL_UUID } from '../model/ids.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import { type ProjectRole, type Role, roleInProject } from '../model/roles.ts';
import type { SignedInUser } from './principal.ts';
import { isSessionToken, LIVING, sessionDigest } from './sessions.ts';

/** How long servers remember a session and a role: an end or a change counts after this at the latest. */
export const SESSION_TTL_MS = 2_000;
const MAX_CACHED = 10_000;
const MAX_BATCH = 64;
/** As with API keys (`api-keys.ts`): after so many wrong tokens at once the next ones are guesses too, and wait. */
const CROWD = 32;
const CROWD_PAUSE_MS = 50;
const MAX_WAITING = 2_000;
const RETRY_SECONDS = 5;

/** What a request is about. */
export interface Place {
  /** uuids */
  projectId?: string;
  organizationId?: string;
}

/** What somebody is in a place. */
export interface Standing {
  organizationId: string;
  role: Role;
  seesBodies: boolean;
}

export interface Found {
  user: SignedInUser;
  /** null: there is no such place, or the user is nobody there; and where the request is about none */
  standing: Standing | null;
}

interface Asked {
  token: string;
  place: Place;
}

type LookUps = GroupCommit<Asked, Found | null>;

export class SignedIn {
  readonly #found = new LoadingCache<Found | null>({
    ttlMs: SESSION_TTL_MS,
    maxEntries: MAX_CACHED,
    keeps: (found) => found !== null,
    nowMs: () => performance.now(),
  });
  /** Of tokens that nobody has used so far, and of those that were right before: guesses are in nobody's way. */
  readonly #ofStrangers: LookUps;
  readonly #ofKnown: LookUps;

  constructor(database: Database) {
    const lookUps = (flush: (asked: Asked[]) => Promise<(Found | null)[]>): LookUps =>
      new GroupCommit({ flights: 1, maxItems: MAX_BATCH, flush });
    let isCrowd = false;
    this.#ofStrangers = lookUps(async (asked) => {
      if (isCrowd) await setTimeout(CROWD_PAUSE_MS);
      const found = await find(database, asked);
      isCrowd = found.filter((each) => each === null).length >= CROWD;
      return found;
    });
    this.#ofKnown = lookUps((asked) => find(database, asked));
  }

  /**
   * Null for a session that does not exist, has ended or was idle for too long. A promise only when the database has to be asked.
   * @throws AppError unavailable
   */
  find(token: string, place: Place): MaybePromise<Found | null> {
    if (!isSessionToken(token)) return null;
    return this.#found.get(`${token} ${place.projectId ?? ''} ${place.organizationId ?? ''}`, (before) =>
      this.#load({ token, place }, before),
    );
  }

  /** As `find`, and true now: for whoever was told something else a moment ago. */
  look(token: string, place: Place): Promise<Found | null> {
    return this.#ofKnown.add({ token, place });
  }

  async #load(asked: Asked, before: Found | null | undefined): Promise<Found | null> {
    if (before !== undefined) return this.#ofKnown.add(asked);
    if (this.#ofStrangers.pending >= MAX_WAITING) {
      throw new AppError('unavailable', 'Too many sessions are being looked up at the moment.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    return this.#ofStrangers.add(asked);
  }
}

const ASKED = rowsOf<Asked & { at: number }>('a', {
  at: ['int4', ({ at }) => at],
  digest: ['bytea', ({ token }) => sessionDigest(token)],
  project_id: ['uuid', ({ place }) => place.projectId ?? NIL_UUID],
  organization_id: ['uuid', ({ place }) => place.organizationId ?? NIL_UUID],
});

interface Row {
  at: number;
  userId: string;
  sessionId: string;
  confirmedAt: Date;
  isNoted: boolean;
  email: string;
  name: string;
  isOperator: boolean;
  organizationId: string | null;
  role: Role | null;
  seesBodies: boolean | null;
  inProject: ProjectRole | null;
}

async function find(database: Database, asked: readonly Asked[]): Promise<(Found | null)[]> {
  const { rows } = await sql<Row>`
    select a.at, sessions.user_id, sessions.id as session_id, sessions.confirmed_at,
      sessions.used_at > now() - interval '1 minute' as is_noted,
      u.email, u.name, u.is_operator, m.organization_id, m.role, m.sees_bodies, r.role as in_project
    from ${ASKED.from(asked.map((each, at) => ({ ...each, at })))}
    join sessions on sessions.token_sha256 = a.digest and ${LIVING}
    join users u on u.id = sessions.user_id
    left join projects p on p.id = a.project_id
    left join memberships m on m.user_id = u.id and m.organization_id = coalesce(p.organization_id, a.organization_id)
    left join project_roles r on r.organization_id = m.organization_id and r.user_id = m.user_id and r.project_id = p.id`.execute(
    database,
  );
  await noteUse(database, rows);
  const found = new Map(rows.map((row) => [row.at, toFound(row)]));
  return asked.map((_, at) => found.get(at) ?? null);
}

/** Written once a minute for each session, over all processes. */
async function noteUse(database: Database, rows: readonly Row[]): Promise<void> {
  const used = rows.filter(({ isNoted }) => !isNoted);
  if (used.length === 0) return;
  await database
    .updateTable('sessions')
    .set({ usedAt: sql`now()` })
    .where((row) => row.or(used.map(({ userId, sessionId }) => rowIs(row, { userId, id: sessionId }))))
    .where('usedAt', '<', sql<Date>`now() - interval '1 minute'`)
    .execute();
}

function toFound({ userId, sessionId, email, name, isOperator, confirmedAt, ...row }: Row): Found {
  const { organizationId, role, seesBodies, inProject } = row;
  const here = role === null ? null : roleInProject(role, inProject);
  return {
    user: { kind: 'user', userId, sessionId, email, name, isOperator, confirmedAt },
    standing:
      organizationId === null || here === null
        ? null
        : { organizationId, role: here, seesBodies: here !== 'viewer' || seesBodies === true },
  };
}
