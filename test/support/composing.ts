import type { Sealer } from '../../src/db/seal.ts';
import type { DkimKeyring } from '../../src/domains/dkim-keyring.ts';
import { Blobs } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import type { Database } from '../../src/db/database.ts';
import type { SubmissionComposing } from '../../src/sending/deliver/compose-submission.ts';
import type { Composing } from '../../src/sending/deliver/compose-email.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../../src/reports/return-path.ts';
import { ServiceBodies } from '../../src/sending/service-mail/service-bodies.ts';
import { TRACKING_KEY, TrackingLinks } from '../../src/sending/track/tracking-links.ts';

/** The columns of an email that is composed from its content. */
export const NO_MESSAGE = { digest: null, bodyHash: null, messageId: null, layout: null };

/** A worker's dependencies for composing emails. */
export function composingWith(database: Database, sealer: Sealer, keyring: DkimKeyring): Composing {
  return {
    // For messages that are small enough for a row (`prepareInRow`).
    blobs: new Blobs(database, new ObjectFiles('/nowhere')),
    keyring,
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
  };
}

/** A worker's dependencies for composing emails and submissions that are small enough for a row (`prepareInRow`). */
export function composingAll(database: Database, sealer: Sealer, keyring: DkimKeyring): SubmissionComposing {
  return { ...composingWith(database, sealer, keyring), serviceBodies: new ServiceBodies(database, sealer) };
}
