/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { cancelEmail } from './cancel-email.ts';
import type { DELIVERY_OPERATIONS } from './operations.ts';
import { requeue } from './requeue.ts';
import { sendNow, tryNow } from './send-now.ts';

/** The parts of the core that the operations need. */
export interface DeliveryParts {
  database: Database;
  /** Wakes workers, because there is new work. */
  wake: () => void;
}

export const run: Run<typeof DELIVERY_OPERATIONS, DeliveryParts> = {
  sendEmailNow: async ({ database, wake }, { projectId, id }) => {
    const isThere = await sendNow(database, projectId, id);
    wake();
    return isThere;
  },
  tryEmailNow: async ({ database, wake }, { projectId, id }) => {
    const isThere = await tryNow(database, projectId, id);
    wake();
    return isThere;
  },
  cancelEmail: async ({ database, wake }, { projectId, id }) => {
    const isThere = await cancelEmail(database, projectId, id);
    wake();
    return isThere;
  },
  retryEmail: async ({ database, wake }, { projectId, id }) => {
    const recipients = await requeue(database, projectId, id);
    wake();
    if (recipients === 0)
      throw new AppError('bad-request', 'No recipient of this email failed with reason internal.');
  },
};
