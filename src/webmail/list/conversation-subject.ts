/** Prefixes of replies and forwarded messages, with the tags of mailing lists before them. */
const PREFIXES = /^\s*((?:\[[^[\]]*\]\s*)*)(?:(?:re|fwd?)\s*(?:\[\d{1,4}\]\s*)?:\s*)+/i;

/**
 * The subject of a conversation, in lists and above its messages: the subject of a message without prefixes such as `Re:`. Tags such as
 * `[dev]` stay, unlike in `baseSubject`, which compares subjects and is not shown.
 */
export function conversationSubject(subject: string): string {
  return subject.replace(PREFIXES, '$1') || subject;
}
