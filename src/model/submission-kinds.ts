/**
 * The origin of a submission. `submitted`: the owner of a mailbox wrote the message. `vacation`: a vacation reply of a mailbox. `forward`:
 * a message that was delivered to a mailbox and is also forwarded. `moved`: a message that is forwarded and not stored in the mailbox.
 * `service`: mail from the installation itself. `report`: a report of success to a sender who requested it.
 */
export type SubmissionKind = 'submitted' | 'vacation' | 'forward' | 'moved' | 'service' | 'report';
