/** Where the bodies and files of a stored message are, as positions in its blob (table `email_messages`). */

export interface BodyRange {
  /** The start of the part, with its header. */
  start: number;
  end: number;
}

export interface FileRange {
  /** The decoded name, which is untrusted. Empty if the message names none. */
  name: string;
  /** In lower case. */
  type: string;
  /** The approximate decoded size. */
  octets: number;
  /** The start of the encoded content. */
  start: number;
  end: number;
  transferEncoding: string;
}

export interface MessageLayout {
  /** The parts that tracking may change. Null: there is no such part, it is signed, or its text was guessed. */
  html: BodyRange | null;
  text: BodyRange | null;
  files: readonly FileRange[];
  /** The names of header fields for other services, which were removed. */
  removed: readonly string[];
}

/** The layout after the header of the message has become longer. */
export function shifted(layout: MessageLayout, octets: number): MessageLayout {
  // The whole message begins at 0, whatever the length of its header is.
  const move = <Range extends BodyRange>(range: Range): Range => ({
    ...range,
    start: range.start === 0 ? 0 : range.start + octets,
    end: range.end + octets,
  });
  const { html, text, files } = layout;
  return { ...layout, html: html && move(html), text: text && move(text), files: files.map(move) };
}
