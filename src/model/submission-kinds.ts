/**
 * The origin of a message from a mailbox: written by its owner, generated on their behalf, or forwarded; `moved` is a forward without
 * a local copy. `service`: mail of the installation itself, without a mailbox.
 */
export type SubmissionKind = 'submitted' | 'vacation' | 'forward' | 'moved' | 'service';
