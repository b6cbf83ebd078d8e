/** Codes from an authenticator app (RFC 6238): six digits that change every 30 seconds. */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';
import { qrCode } from '../../rfc/html/qr-code.ts';
import type { Realm } from './holder.ts';

/** The issuer that apps show for the account. */
const ISSUER = 'Posthorn';
const PERIOD_SECONDS = 30;
/** 160 bits (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
/** How many time steps before and after the current one are accepted too, because phone clocks are not exact (RFC 6238, section 5.2). */
const DRIFT = 1;

const SECRET = columnsOf({ secret: 'text' });

type TotpSealer = Pick<Sealer, 'seal' | 'open'>;

interface NewTotp {
  /** The secret in base32, the form that apps accept. */
  secret: string;
  /** `otpauth://totp/…` */
  uri: string;
  /** The URI as a QR code: an SVG image as a data URL. */
  qr_code: string;
}

export async function newTotp(email: string): Promise<NewTotp> {
  const { Secret } = await import('otpauth');
  const totp = await totpOf(new Secret({ size: SECRET_BYTES }).base32, email);
  const uri = totp.toString();
  return { secret: totp.secret.base32, uri, qr_code: await pictureOf(uri) };
}

async function pictureOf(uri: string): Promise<string> {
  const code = await qrCode(uri);
  // `code` is null if the address is so long that the QR code would be too dense. The user then types the secret.
  if (code === null) return 'data:image/svg+xml;base64,';
  const { size, path } = code;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"></rect><path d="${path}"></path></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** Finds the time step that a code belongs to. Null if the code is wrong, or its time step is not accepted now. */
export async function stepOf(secret: string, code: string): Promise<number | null> {
  const timestamp = clock.nowMs();
  const delta = (await totpOf(secret)).validate({ token: code, timestamp, window: DRIFT });
  return delta === null ? null : Math.floor(timestamp / 1_000 / PERIOD_SECONDS) + delta;
}

async function totpOf(secret: string, label = '') {
  const { TOTP } = await import('otpauth');
  return new TOTP({ issuer: ISSUER, label, secret, period: PERIOD_SECONDS });
}

/**
 * @param step the time step of the code that proved the app; the same code does not work again
 * @returns false if an app is already set up
 */
export async function insertTotp<Id>(
  tx: DatabaseTransaction,
  realm: Realm<Id>,
  id: Id,
  { sealer, secret, step }: { sealer: TotpSealer; secret: string; step: number },
): Promise<boolean> {
  const sealed = sealer.seal(Buffer.from(secret), contextOf(realm, id));
  const { numAffectedRows } = await sql`
    insert into ${sql.table(realm.tables.totp)} (${realm.columns}, secret, last_step, created_at)
    values (${realm.holder(id).values}, ${sealed}, ${step}, ${clock.now()}) on conflict do nothing`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** Checks a code and marks it as used. @returns false if the code is wrong or was already used, also by a concurrent call */
export async function useTotp<Id>(
  database: Database,
  sealer: TotpSealer,
  realm: Realm<Id>,
  id: Id,
  code: string,
): Promise<boolean> {
  const table = sql.table(realm.tables.totp);
  const { is } = realm.holder(id);
  const { rows } = await SECRET.sql`select secret from ${table} where ${is}`.execute(database);
  const [row] = rows;
  if (row === undefined) return false;
  const step = await stepOf(sealer.open(row.secret, contextOf(realm, id)).toString(), code);
  if (step === null) return false;
  // Attack: another person saw the code on the user's screen. A used code does not work again.
  const { numAffectedRows } = await sql`
    update ${table} set last_step = ${step} where ${is} and secret = ${row.secret} and last_step < ${step}`.execute(
    database,
  );
  return numAffectedRows === 1n;
}

/** @returns false if no app is set up */
export async function deleteTotp<Id>(
  tx: DatabaseTransaction,
  { tables, holder }: Realm<Id>,
  id: Id,
): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from ${sql.table(tables.totp)} where ${holder(id).is}`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** Binds a sealed secret to its holder, so that the secret cannot be opened for another holder. */
function contextOf<Id>({ tables, holder }: Realm<Id>, id: Id): string {
  return `${tables.totp} ${holder(id).text}`;
}
