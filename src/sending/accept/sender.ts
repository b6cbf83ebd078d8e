import type { SendingRestrictions } from '../../accounts/restrictions/sending-restrictions.ts';
import type { Plan } from '../../model/plans.ts';
import type { ProjectTracking } from './tracking-of.ts';

/** The sender of an email: the project of the API key. */
export interface Sender extends ProjectTracking {
  projectId: string;
  /** The plan may be a few seconds old. The limits are read again when they are checked. */
  plan: Plan;
  /** Whether events of the email are sent to webhooks. Default: true. */
  emitsEvents?: boolean;
  /** False: opens and clicks are not tracked, whatever the settings of the project and its domains. Default: true. */
  tracks?: boolean;
  /** The restrictions of the API key. Null: the key may use every sender of the project and send to any address. */
  restrictions: SendingRestrictions | null;
}
