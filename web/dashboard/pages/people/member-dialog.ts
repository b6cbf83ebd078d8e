import type { Member } from '../../../../src/contract/dashboard/organizations.ts';

/** What each dialog about a member has. */
export interface MemberDialogProps {
  member: Member;
  onChanged(): Promise<void>;
  onClose(): void;
}
