import type { SendingRestrictions } from '../../accounts/restrictions/sending-restrictions.ts';
import type { Plan } from '../../model/plans.ts';
import type { ProjectTracking } from './tracking-of.ts';

/** Who sends: a project as its API key was found. */
export interface Sender extends ProjectTracking {
  projectId: string;
  /** It may be some seconds old. A plan with limits is looked at again where they are checked. */
  plan: Plan;
  /** False: its webhooks hear nothing of the email. */
  emitsEvents?: boolean;
  /** Of its key. Null: it sends as the project may, to anybody. */
  restrictions: SendingRestrictions | null;
}
