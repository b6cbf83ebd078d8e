import type { Member } from '../../../api/schema.ts';

/** What each dialog about a member has. */
export interface MemberDialogProps {
  member: Member;
  onChanged(): Promise<void>;
  onClose(): void;
}
