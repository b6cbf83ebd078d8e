/**
 * The parts of the core that the dashboard uses. Identifiers are uuids. Operations on a project take the project id as the first argument.
 */
import type { SendEmail } from '../../../contract/emails.ts';
import type { ProjectExports } from '../../../retention/project-exports.ts';
import type { ExportSlots } from '../../../concurrency/export-slots.ts';
import type { SignedInUser } from '../../../accounts/principal.ts';
import type { SignedIn } from '../../../accounts/signed-in.ts';
import type { UserSignIn } from '../../../accounts/user-sign-in.ts';
import type { Session } from '../../../contract/dashboard/session.ts';
import type { SentAgain } from '../../../insights/send-again.ts';
import type { ModuleParts } from '../operation-modules.ts';
import type { sendTemplateTest } from '../../../insights/send-template-test.ts';
import type { Accepted } from '../../../sending/accept/accept-email.ts';

export interface DashboardServices {
  /** The dependencies of the operations that modules declare. */
  readonly parts: ModuleParts;
  /** Finds the user to whom a session token belongs. */
  readonly signedIn: Pick<SignedIn, 'find' | 'lookUp'>;
  readonly signIn: Pick<UserSignIn, 'prove' | 'enter'>;
  /** The organizations and projects that the user can open, and the facts about this installation that pages show. */
  describeSession(user: SignedInUser, csrfToken: string): Promise<Session>;
  readonly exports: ProjectExports;
  /** Limits concurrent exports of all kinds. */
  readonly exportSlots: ExportSlots;
  /** Sends an email again (see `sendAgain`). Null if the project has no email with this id. */
  sendAgain(
    projectId: string,
    emailId: string,
    key: string,
    traceParent: string | null,
  ): Promise<SentAgain | null>;
  sendComposed(
    projectId: string,
    email: SendEmail,
    key: string,
    traceParent: string | null,
  ): Promise<Accepted>;
  /** Sends a test email (see `sendTest`). Null if the project was deleted. */
  sendTest(projectId: string, to: string, key: string, traceParent: string | null): Promise<Accepted | null>;
  /** Sends a test email with a template (see `sendTemplateTest`). */
  sendTemplateTest(
    projectId: string,
    content: Parameters<typeof sendTemplateTest>[2],
    options: Parameters<typeof sendTemplateTest>[3],
  ): ReturnType<typeof sendTemplateTest>;
}
