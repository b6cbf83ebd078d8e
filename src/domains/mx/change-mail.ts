/** The operator's settings for the mail of one domain. */
import { differences, recordChange } from '../../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';

export interface DomainMail {
  /**
   * Whether mail that is sent from this installation is delivered here. If null, the MX records decide. No effect if the claim was never
   * verified.
   */
  deliverLocally: boolean | null;
  /** Gateways and backup MX servers in front of this installation: lower case, without a trailing dot. */
  gateways: readonly string[];
  /** Networks that send mail of the domain without SPF and DKIM. Each is valid for `isNetwork`. */
  sendsElsewhere: readonly string[];
}

const AUTOMATIC: DomainMail = { deliverLocally: null, gateways: [], sendsElsewhere: [] };

/**
 * Changes the given settings and returns all settings. They apply to deliveries that start after the commit.
 * @param name A-labels, lower case
 * @throws AppError not-found if the project has no such domain
 */
export async function changeDomainMail(
  database: Database,
  projectId: string,
  name: string,
  changes: Partial<DomainMail>,
): Promise<DomainMail> {
  return database.transaction().execute(async (tx) => {
    const domain = await tx
      .selectFrom('domains')
      .select('id')
      .where((row) => rowIs(row, { projectId, name }))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (domain === undefined)
      throw new AppError('not-found', `The project has no domain ${name} of its own.`);
    const before = await readDomainMail(tx, projectId, domain.id);
    const after = { ...before, ...changes };
    const fields = {
      deliverLocally: after.deliverLocally,
      gateways: [...after.gateways],
      sendsElsewhere: [...after.sendsElsewhere],
    };
    await tx
      .insertInto('domainMx')
      .values({ projectId, domainId: domain.id, ...fields })
      .onConflict((conflict) => conflict.columns(['projectId', 'domainId']).doUpdateSet(fields))
      .execute();
    await recordChange(tx, {
      of: { projectId },
      action: 'domain.set-mail',
      target: encodeId('dom', domain.id),
      targetName: name,
      ...differences(mailFields(before), mailFields(after)),
    });
    return after;
  });
}

export async function readDomainMail(
  database: Database | DatabaseTransaction,
  projectId: string,
  domainId: string,
): Promise<DomainMail> {
  const found = await database
    .selectFrom('domainMx')
    .select(['deliverLocally', 'gateways', 'sendsElsewhere'])
    .where((row) => rowIs(row, { projectId, domainId }))
    .executeTakeFirst();
  return found ?? AUTOMATIC;
}

/** The settings by the names of the options of `posthorn domain set`. */
export function mailFields({ deliverLocally, gateways, sendsElsewhere }: DomainMail): {
  local: 'on' | 'off' | 'auto';
  mx: readonly string[];
  sends_elsewhere: readonly string[];
} {
  const local = deliverLocally === null ? 'auto' : deliverLocally ? 'on' : 'off';
  return { local, mx: gateways, sends_elsewhere: sendsElsewhere };
}
