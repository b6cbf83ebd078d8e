/**
 * The origin of a submission. `submitted`: the owner of a mailbox wrote the message. `vacation`: a vacation reply of a mailbox. `forward`:
 * a message forwarded by a mailbox. `moved`: like `forward`, without a copy in the mailbox. `service`: mail from the installation itself.
 */
export type SubmissionKind = 'submitted' | 'vacation' | 'forward' | 'moved' | 'service';
