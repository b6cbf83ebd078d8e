import type { Sealer } from '../../src/db/seal.ts';
import type { DkimKeyring } from '../../src/domains/dkim-keyring.ts';
import type { Composing } from '../../src/sending/deliver/compose-email.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../../src/reports/return-path.ts';
import { TRACKING_KEY, TrackingLinks } from '../../src/sending/track/tracking-links.ts';

/** What composing needs beside the email, as a worker has it. */
export function composingWith(sealer: Sealer, keyring: DkimKeyring): Composing {
  return {
    keyring,
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
  };
}
