/** Templates, layouts and partials as values. */
import type { TemplateFields } from './check-template.ts';
import type { TemplatePart } from './engine.ts';

export type Sources = Readonly<Record<TemplatePart, string>>;

export interface AuthoredTemplate extends TemplateFields {
  /** uuid; null for no layout */
  layoutId: string | null;
}

/** A template with its layout and partials, ready to be stored. */
export interface ComposedTemplate {
  html: string;
  text: string;
  variables: string[];
  /** The uuids of the layout and of all included partials. */
  pieceIds: string[];
}

/** A layout or a partial of a project. */
export interface Piece {
  /** uuid */
  id: string;
  kind: 'layout' | 'partial';
  /** Unique among the project's pieces of this kind. */
  name: string;
  /** Empty if the piece has no HTML. */
  html: string;
  text: string;
}
