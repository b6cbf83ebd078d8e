/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import { cancelEmail } from '../sending/deliver/cancel-email.ts';
import type { SingleEmails } from '../sending/read/single-emails.ts';
import type { TemplatePages } from '../templates/template-pages.ts';
import { assertSeesBodies } from './assert-sees-bodies.ts';
import type { EmailInspector } from './email-inspector.ts';
import type { INSPECT_OPERATIONS } from './operations.ts';

/** The objects that the operations work with. */
export interface InspectParts {
  database: Database;
  inspector: EmailInspector;
  templatePages: Pick<TemplatePages, 'tryWith'>;
  singleEmails: Pick<SingleEmails, 'get'>;
  /** Notifies workers that emails are queued. */
  wake: () => void;
}

export const run: Run<typeof INSPECT_OPERATIONS, InspectParts> = {
  getInspectedEmail: ({ inspector }, { principal, projectId, id }) =>
    inspector.describe(projectId, id, principal.seesBodies),
  getEmailContent: async ({ inspector }, { principal, projectId, id }) => {
    assertSeesBodies(principal);
    return inspector.content(projectId, id);
  },
  getLastTemplateEmail: async ({ inspector, templatePages }, { principal, projectId, id }) => {
    assertSeesBodies(principal);
    const last = await inspector.lastOfTemplate(projectId, id);
    if (last === null) return null;
    if (last.email === null) return { email: null };
    const { variables, ...email } = last.email;
    const trial = await templatePages.tryWith({ projectId, templateId: id }, variables);
    return trial === null ? null : { email: { ...email, trial } };
  },
  cancelAndShowEmail: async ({ database, singleEmails, wake }, { projectId, id }) => {
    const isThere = await cancelEmail(database, projectId, id);
    wake();
    return isThere ? singleEmails.get(projectId, id) : null;
  },
};
