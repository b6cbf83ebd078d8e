/** Decides which parts of a message are its body, and which are attachments. */
import { decodeEncodedWords, type Entity, fieldValue, partRole } from '../../rfc/mime/index.ts';

interface NumberedPart {
  entity: Entity;
  /** The part number as in IMAP, such as `1.2`. */
  part: string;
}

/** A section of the body, as HTML, as text or as both. */
export interface BodySection {
  html: Entity | null;
  text: Entity | null;
}

export interface SplitMessage {
  sections: BodySection[];
  /** The attachments in the order of the message, without the parts in `sections`. */
  attached: NumberedPart[];
  /** An invitation that is an alternative form of the text. */
  calendar: NumberedPart | null;
}

const MAX_SECTIONS = 50;
const MAX_ATTACHED = 500;

export function splitMessage(message: Entity): SplitMessage {
  const split: SplitMessage = { sections: [], attached: [], calendar: null };
  // The body of a message that is not multipart is part 1.
  walk({ entity: message, part: isMultipart(message) ? '' : '1' }, null, split);
  return split;
}

function walk(numbered: NumberedPart, parentType: string | null, split: SplitMessage): void {
  const { entity } = numbered;
  if (entity.type === 'multipart/alternative' && isMultipart(entity))
    return readAlternatives(numbered, split);
  if (isMultipart(entity)) {
    for (const part of partsOf(numbered)) walk(part, entity.type, split);
    return;
  }
  const { isText, isFile } = partRole(entity, parentType);
  const isShown = isText && split.sections.length < MAX_SECTIONS;
  if (isShown) split.sections.push(sectionOf(entity));
  if (isFile || (isText && !isShown)) attach(numbered, split);
}

function sectionOf(entity: Entity): BodySection {
  return entity.type === 'text/html' ? { html: entity, text: null } : { html: null, text: entity };
}

/** Merges the alternatives into one section. The attachments of all alternatives become attachments of the message. */
function readAlternatives(numbered: NumberedPart, split: SplitMessage): void {
  const forms: SplitMessage = { sections: [], attached: [], calendar: null };
  const texts: NumberedPart[] = [];
  let other: NumberedPart | null = null;
  for (const part of partsOf(numbered)) {
    if (part.entity.type === 'text/calendar') forms.calendar ??= part;
    else {
      const { isText, isFile } = partRole(part.entity, numbered.entity.type);
      if (isMultipart(part.entity) || isFile || isText) walk(part, numbered.entity.type, forms);
      else other = part;
      if (isText && !isMultipart(part.entity)) texts.push(part);
    }
  }
  const html = forms.sections.find((section) => section.html !== null)?.html ?? null;
  const text = forms.sections.find((section) => section.text !== null)?.text ?? null;
  if (html !== null || text !== null) split.sections.push({ html, text });
  // If no alternative can be shown, the last one, which is the best, can at least be saved.
  else if (other !== null && forms.attached.length === 0 && forms.calendar === null) attach(other, split);
  for (const part of texts)
    if (part.entity !== html && part.entity !== text && nameOf(part.entity) !== '') attach(part, split);
  for (const part of forms.attached) attach(part, split);
  split.calendar ??= forms.calendar;
}

function attach(numbered: NumberedPart, split: SplitMessage): void {
  if (numbered.entity.type === 'text/calendar') split.calendar ??= numbered;
  if (split.attached.length < MAX_ATTACHED) split.attached.push(numbered);
}

function partsOf({ entity, part }: NumberedPart): NumberedPart[] {
  return entity.parts.map((inside, at) => ({
    entity: inside,
    part: `${part === '' ? '' : `${part}.`}${at + 1}`,
  }));
}

/** A multipart without any boundary counts as text. */
function isMultipart(entity: Entity): boolean {
  return entity.parts.length > 0;
}

/** The decoded file name from the message. Empty if the part has no file name. */
export function nameOf(entity: Entity): string {
  const { name } = partRole(entity, null);
  if (name !== '') return name;
  if (entity.message === null) return '';
  const subject = decodeEncodedWords(fieldValue(entity.message.fields, 'subject') ?? '').trim();
  return subject === '' ? '' : `${subject}.eml`;
}

/** The Content-ID of a part, without angle brackets. Other parts refer to it. */
export function contentIdOf(entity: Entity): string | null {
  return /<?([^<>\s]{1,500})>?/.exec(fieldValue(entity.fields, 'content-id') ?? '')?.[1] ?? null;
}
