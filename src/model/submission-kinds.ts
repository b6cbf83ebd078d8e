/**
 * Why a mailbox sends: its owner wrote it, it was made for them, or it came for them and goes on; `moved` if they have no copy of it.
 * `service`: this installation writes, and there is no mailbox.
 */
export type SubmissionKind = 'submitted' | 'vacation' | 'forward' | 'moved' | 'service';
