import type { Database } from '../db/database.ts';
import { FairReads } from '../db/fair-reads.ts';
import type { Sealer } from '../db/seal.ts';
import { DkimKeyring } from '../domains/dkim-keyring.ts';
import { trustsHand } from '../domains/sending-domains.ts';
import { EmailInspector } from '../inspect/email-inspector.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { TRACKING_KEY, TrackingLinks } from '../sending/track/tracking-links.ts';
import type { Config } from './config.ts';

interface InspectorSettings {
  /** For nobody else: to look at emails must not take the connections that accepting needs. */
  database: Database;
  /** How many it has. */
  connections: number;
  sealer: Sealer;
  config: Pick<Config, 'environment' | 'hostedDomain' | 'hostname'>;
}

/** Shows single emails to people. */
export function createEmailInspector({
  database,
  connections,
  sealer,
  config,
}: InspectorSettings): EmailInspector {
  return new EmailInspector({
    reads: new FairReads(database, connections),
    hostname: config.hostname,
    composing: {
      keyring: new DkimKeyring(database, sealer, config.hostedDomain, { trustsHand: trustsHand(config) }),
      returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
      trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
    },
  });
}
