import type { Member } from '../../../../src/contract/dashboard/organizations.ts';

/** The properties that all dialogs about a member share. */
export interface MemberDialogProps {
  member: Member;
  onChanged(): Promise<void>;
  onClose(): void;
}
