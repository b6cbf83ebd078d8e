/** What the dashboard asks of the core. Identifiers are uuids; what belongs to a project takes its id first. */
import type { SendEmail } from '../../../contract/emails.ts';
import type { ProjectExports } from '../../../retention/project-exports.ts';
import type { ExportSlots } from '../../../concurrency/export-slots.ts';
import type { SignedInUser } from '../../../accounts/principal.ts';
import type { SignedIn } from '../../../accounts/signed-in.ts';
import type { UserSignIn } from '../../../accounts/user-sign-in.ts';
import type { Session } from '../../../contract/dashboard/session.ts';
import type { SentAgain } from '../../../insights/send-again.ts';
import type { RoomParts } from '../rooms.ts';
import type { sendTemplateTest } from '../../../insights/send-template-test.ts';
import type { Accepted } from '../../../sending/accept/accept-email.ts';

export interface DashboardServices {
  /** What the operations that rooms declare are run with. */
  readonly parts: RoomParts;
  /** Who a token belongs to. */
  readonly signedIn: Pick<SignedIn, 'find' | 'look'>;
  readonly signIn: Pick<UserSignIn, 'prove' | 'enter'>;
  /** What somebody may open, and what the pages tell of this installation. */
  describeSession(user: SignedInUser, csrfToken: string): Promise<Session>;
  readonly exports: ProjectExports;
  /** Of exports of all kinds. */
  readonly exportPlaces: ExportSlots;
  /** See `sendAgain`. Null: not an email of this project. */
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
  /** See `sendTest`. Null: the project is gone. */
  sendTest(projectId: string, to: string, key: string, traceParent: string | null): Promise<Accepted | null>;
  /** See `sendTemplateTest`. */
  sendTemplateTest(
    projectId: string,
    content: Parameters<typeof sendTemplateTest>[2],
    options: Parameters<typeof sendTemplateTest>[3],
  ): ReturnType<typeof sendTemplateTest>;
}
