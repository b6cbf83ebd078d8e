/** What is being written, over every page of the mailbox. */
export function ComposeHost() {
  return null;
}
